"""Short forms are data; these hold them together."""

import pytest

from mcpgov.core.operations.classify import classify
from mcpgov.core.operations.vocabulary.short_forms import SHORT_FORMS


def test_a_short_form_stands_for_another_word_that_is_none_itself() -> None:
    assert all(word not in SHORT_FORMS for word in SHORT_FORMS.values())


@pytest.mark.parametrize(
    ("tool", "expected"),
    [
        ("pymt_create", "execute"),
        ("create_txn", "execute"),
        ("msg_create", "execute"),
        ("appt_cancel", "execute"),
        ("apikey_create", "admin"),
        ("update_perms", "admin"),
        ("fwd_mail", "execute"),
        ("list_accts", "read"),
        ("update_img", "write"),
    ],
)
def test_a_short_form_is_read_as_the_word_it_stands_for(tool: str, expected: str) -> None:
    assert classify(tool)[0] == expected
