"""The parameters of every request by their Go names."""

import pytest

from mcpgov.guards.cel_names import PARTS
from mcpgov.guards.go_names import STRUCTS, go_view, struct
from tests.helpers.expressions import ask, judge

CLIENT = {"protocolVersion": "1", "clientInfo": {"name": "n", "version": "2", "title": "t"},
          "capabilities": {"roots": {"listChanged": True}, "sampling": {}, "experimental": {"x": {"y": 1}}},
}  # fmt: skip
SAMPLE, SAMPLING = "sampling/createMessage", {
    "messages": [{"role": "user", "content": {"type": "text", "text": "hi", "annotations": {"priority": 0.5}}},
                 {"role": "user", "content": [{"type": "image", "mimeType": "image/png", "data": "x"}]}],
    "modelPreferences": {"hints": [{"name": "m"}], "costPriority": 0.5}, "systemPrompt": "s", "maxTokens": 5,
    "includeContext": "none", "temperature": 0.5, "stopSequences": ["z"], "metadata": {"a": {"b": 1}},
}  # fmt: skip


@pytest.mark.parametrize(
    ("method", "params", "source"),
    [
        ("initialize", CLIENT, 'mcpRequest.Initialize.ClientInfo.Name == "n"'),
        ("initialize", CLIENT, 'mcpRequest.Initialize.ClientInfo.Version == "2"'),
        ("initialize", CLIENT, 'mcpRequest.Initialize.ProtocolVersion == "1"'),
        ("initialize", CLIENT, "mcpRequest.Initialize.Capabilities.Roots.ListChanged"),
        ("initialize", CLIENT, "mcpRequest.Initialize.Capabilities.Experimental.x.y == 1"),
        ("initialize", CLIENT, "has(mcpRequest.Initialize.Capabilities.Sampling)"),
        ("initialize", CLIENT, 'mcpRequest.Initialize.clientInfo.name == "n"'),
        (SAMPLE, SAMPLING, 'mcpRequest.CreateMessage.Messages[0].Content.Text == "hi"'),
        (SAMPLE, SAMPLING, "mcpRequest.CreateMessage.Messages[0].Content.Annotations.Priority > 0.1"),
        (SAMPLE, SAMPLING, 'mcpRequest.CreateMessage.Messages.all(m, m.Role == "user")'),
        (SAMPLE, SAMPLING, 'mcpRequest.CreateMessage.Messages[1].Content[0].MIMEType == "image/png"'),
        (SAMPLE, SAMPLING, 'mcpRequest.CreateMessage.ModelPreferences.Hints[0].Name == "m"'),
        (SAMPLE, SAMPLING, "mcpRequest.CreateMessage.MaxTokens == 5"),
        (SAMPLE, SAMPLING, "mcpRequest.CreateMessage.Metadata.a.b == 1"),
        ("elicitation/create", {"message": "m", "requestedSchema": {"type": "object"}},
         'mcpRequest.Elicitation.Message == "m" && mcpRequest.Elicitation.RequestedSchema.type == "object"'),
        ("completion/complete", {"ref": {"type": "ref/resource", "uri": "u"}, "argument": {"name": "a", "value": "v"},
                                 "context": {"arguments": {"x": "y"}}},
         'mcpRequest.Complete.Ref.URI == "u" && mcpRequest.Complete.Argument.Value == "v"'
         ' && mcpRequest.Complete.Context.Arguments.x == "y"'),
        ("logging/setLevel", {"level": "debug"}, 'mcpRequest.SetLogLevel.Level == "debug"'),
        ("tools/list", {"cursor": "c"}, 'mcpRequest.Paginated.Cursor == "c"'),
        ("resources/read", {"uri": "a:b", "_meta": {"progressToken": 1}},
         'mcpRequest.ResourceRead.URI == "a:b" && mcpRequest.ResourceRead.Meta.ProgressToken == 1'),
        ("resources/subscribe", {"uri": "a:b"}, 'mcpRequest.ResourceSubscribe.URI == "a:b"'),
        ("resources/unsubscribe", {"uri": "a:b"}, 'mcpRequest.ResourceUnsubscribe.URI == "a:b"'),
        ("prompts/get", {"name": "p", "arguments": {"a": "b"}}, 'mcpRequest.PromptGet.Arguments.a == "b"'),
        ("tools/call", {"name": "t", "arguments": {"a": 1}, "_meta": {"progressToken": "x"}},
         'mcpRequest.ToolCall.Meta.ProgressToken == "x"'),
    ],
)  # fmt: skip
def test_fields_of_every_kind_of_parameters_have_their_go_names(method, params, source):
    assert ask(source, method, params) == "true"


def test_a_parsed_request_has_them_too():
    text = '{"method": "initialize", "params": {"clientInfo": {"name": "n"}}}'
    assert judge('mcp.Parse(args.t).Initialize.ClientInfo.Name == "n"', {"t": text}) == "true"


@pytest.mark.parametrize(
    "client",
    [{"Name": "n"}, {"Name": "n", "name": "other"}, {"NAME": "n"}, "n", None, [], ["n"], [{"x": {"name": "n"}}]],
)
def test_a_key_that_merely_looks_like_a_go_name_is_not_read(client):
    found = ask('mcpRequest.Initialize.ClientInfo.Name == "n"', "initialize", {"clientInfo": client})
    assert found in ("false", "error")


def test_what_a_model_fills_in_keeps_its_keys():
    args = {"name": {"uri": 1}}
    assert go_view({"arguments": args}, STRUCTS["ToolCall"]) == {"arguments": args, "Arguments": args}


def test_every_part_of_a_request_has_its_fields():
    assert set(STRUCTS) == set(PARTS.values())


def test_values_that_are_no_structs_stay():
    assert go_view([1, "x", None, {"a": 1}], struct("a")) == [1, "x", None, {"a": 1, "A": 1}]
    assert go_view({"a": 1}, None) == {"a": 1}
