from dataclasses import fields

import pytest

from mcpgov.daemon.control.requests import AT_ONCE, LATER, LINK, STREAM, TABLE, StopRequest, row_of


def test_a_request_finds_its_row():
    assert (row_of(StopRequest()).op, row_of(StopRequest()).weakens) == ("stop", "daemon stop")


def test_no_two_rows_share_a_name_or_a_type():
    assert len({row.op for row in TABLE}) == len({row.request for row in TABLE}) == len(TABLE)


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.op)
def test_every_row_is_whole(row):
    assert row.answers in (AT_ONCE, LATER, STREAM, LINK)
    # The envelope of a line has these names for itself.
    names = {field.name for kind in (row.request, row.answer) for field in fields(kind)}
    assert names & {"v", "op", "id", "ok", "error", "code", "item", "end"} == set()
