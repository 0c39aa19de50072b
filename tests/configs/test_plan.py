from mcpgov.configs.client_limits import ClientLimits
from mcpgov.configs.clients import BY_NAME
from mcpgov.configs.plan import WRAP, Task


def test_a_task_without_more_knows_no_lists_no_layers_and_no_originals():
    task = Task(BY_NAME["cursor"], "/c.json", WRAP, "/new", ["/old"])
    assert task.known == {"/new", "/old"}
    assert task.limits("/project") == ClientLimits()
    assert task.overlaid("name") == ""
    assert task.original("/c.json", ("mcpServers", "a"), ["npx"]) is None
