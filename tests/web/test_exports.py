import json

import pytest

from tests.helpers.pages import page_desk


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    with page_desk(tmp_path_factory.mktemp("export") / "d") as made:
        with made.app() as app:
            app.call("read_file", path="/srv/a")
            app.call("list_files", path="/srv/b")
        yield made


def test_records_are_kept_as_a_file_with_the_filters_of_the_page(desk):
    browser = desk.browser()
    found = browser.get("export?tool=read_file")
    assert (found.status, found.headers["content-type"]) == (200, "application/x-ndjson; charset=utf-8")
    assert found.headers["content-disposition"].startswith('attachment; filename="mcpgov-')
    records = [json.loads(line) for line in found.body.splitlines()]
    assert {record["tool"] for record in records} == {"read_file"}
    table = browser.get("export?format=csv&action=allow")
    assert table.headers["content-type"] == "text/csv; charset=utf-8"
    assert len(table.body.splitlines()) == 3


def test_other_formats_and_times_are_refused(desk):
    browser = desk.browser()
    assert browser.get("export?format=exe").code == "400 wrong"
    assert browser.get("export?since=never").code == "409 declined"
