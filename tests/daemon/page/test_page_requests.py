from mcpgov.daemon.control.codec import decode, encode
from mcpgov.daemon.control.request_row import LATER, STREAM
from mcpgov.daemon.page.page_requests import ROWS, OpenPageAnswer, OpenPageRequest, PageServiceRequest


def test_only_a_persons_own_command_gets_a_code():
    assert {row.op: (row.weakens, row.answers, row.by_proxy) for row in ROWS} == {
        "open_page": ("open", LATER, False),
        "page_service": ("", STREAM, False),
        "page_idle": ("", "at once", False),
    }


def test_what_is_sent_comes_back_as_it_was():
    for message in (OpenPageRequest(typed=True), PageServiceRequest(80, "ab"), OpenPageAnswer("u", 60.0, "/f")):
        assert decode(type(message), encode(message)) == message
