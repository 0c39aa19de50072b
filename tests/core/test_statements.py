"""Statements: what a query text does, however it is padded."""

import pytest

from mcpgov.core.statements import from_query, from_sql, from_text, tails, texts, words


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("get_file_info", ["get", "file", "info"]),
        ("get-file-info", ["get", "file", "info"]),
        ("files.list", ["files", "list"]),
        ("listOpenIssues", ["list", "open", "issues"]),
        ("ListOpenIssues", ["list", "open", "issues"]),
        ("parseHTMLPage", ["parse", "html", "page"]),
        ("HTTPRequest", ["http", "request"]),
        ("github__create_issue", ["github", "create", "issue"]),
        ("repos/delete item", ["repos", "delete", "item"]),
        ("get_s3Bucket_v2", ["get", "s3", "bucket", "v2"]),
        ("ÄndereStraße", ["ändere", "straße"]),
        ("__", []),
        ("", []),
    ],
)
def test_a_name_of_any_spelling_falls_into_the_same_words(name, expected):
    assert words(name) == expected


def test_of_an_argument_its_last_word_and_the_whole_count_but_no_switch_or_homonym():
    assert list(tails(["user_id", "errorCode", "include_content", "body"])) == [
        "id", "userid", "errorcode", "includecontent", "body",
    ]  # fmt: skip
    assert list(tails(["saveTo", "output_format"])) == ["to", "saveto", ">saveTo", "format", "outputformat"]
    assert list(tails(["", "__", "x" * 300, None, 5])) == []


def test_only_texts_under_a_telling_key_are_read_however_deep_they_lie():
    call = {"a": [{"statements": ["one", " ", 5]}, "loose"], "saveTo": "/x", "title": "y", 5: "z"}
    assert sorted(texts(call)) == [(["save", "to"], "/x"), (["statements"], "one")]
    assert list(texts(None)) == []


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        (["cmd"], "ls", "execute"),
        (["raw", "sql", "text"], "DROP TABLE t", "delete"),
        (["query"], "update docs", ""),
        (["save", "to"], "/x", "write"),
        (["output", "format"], "json", ""),
    ],
)
def test_the_key_says_how_a_text_is_read(key, value, expected):
    assert from_text(key, value)[0] == expected


def sql(text):
    return from_sql(text.lower())[0] or "read"


def query(text):
    return from_query(text.lower())[0] or "read"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("TRUNCATE users", "delete"),
        ("DELETE users WHERE 1", "delete"),
        ("GRANT admin TO bob", "admin"),
        ("SHOW x", "read"),
    ],
)
def test_a_first_word_in_capitals_is_a_statement(text, expected):
    assert (from_query(text.lower(), loud=True)[0] or "read") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT * FROM t", "read"),
        (
            "select 'delete', updated_at, deleted, t.drop, replace(a, 'x', 'y') from t where act = \"drop\"",
            "read",
        ),
        ("SELECT a-delete-b, %drop%, load FROM t", "read"),
        ("SELECT a,\n  load\nFROM t", "read"),
        ("drop table t", "delete"),
        ("  \n-- note\n/* more */ DrOp TABLE t", "delete"),
        ("SELECT 1;DELETE FROM t", "delete"),
        ("SELECT 1DROP TABLE t", "delete"),
        ("SELECT 1.DROP TABLE t", "delete"),
        ("SELECT 'a'DELETE FROM t", "delete"),
        ("SELECT '/*'; DROP/**/TABLE t; --*/'", "delete"),
        ("/*! TRUNCATE t */", "delete"),
        ("DELETE--\nFROM t", "delete"),
        ("WITH x AS (SELECT 1) DELETE FROM t", "delete"),
        ("WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x", "delete"),
        ("EXPLAIN ANALYZE DELETE FROM t", "delete"),
        ("INSERT INTO t VALUES (1)", "write"),
        ("SELECT * INTO u FROM t", "write"),
        ("-- x\nCOPY t FROM '/x'", "write"),
        ("SELECT 1; CALL p()", "execute"),
        ("EXEC('drop')", "execute"),
        ("GRANT ALL ON t TO u", "admin"),
    ],
)
def test_an_sql_statement_raises_a_read_to_what_it_does(text, expected):
    assert sql(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("how to delete from a list", "read"),
        ("explain how to delete a branch", "read"),
        ("update docs", "read"),
        ("drop in replacement for redis", "read"),
        ("UPDATE t SET a = 1", "write"),
        ("explain delete /* x */ from t", "delete"),
        ("select 1; drop table t", "delete"),
        ("/* x */ delete t", "delete"),
        ("# x\ndelete t", "delete"),
        ("/* never closed delete", "read"),
        ("-- never ended", "read"),
        (" " * 5000 + "drop table t", "delete"),
        (" " * 5000 + "mutate", "write"),
        ("mutation { removeUser }", "write"),
        ("MATCH (n) DETACH DELETE n", "delete"),
        ("MATCH (n) SET n.a = 1", "write"),
        ("MATCH (n) CREATE (m)", "write"),
        ("CREATE (n:User)", "write"),
        ("/*! DROP TABLE t */", "delete"),
        ("MATCH (n) RETURN n", "read"),
        ("match the colours", "read"),
        ("", "read"),
    ],
)
def test_a_query_raises_only_when_it_begins_like_a_statement(text, expected):
    assert query(text) == expected


def test_a_statement_behind_megabytes_of_padding_is_still_seen():
    pad = 1 << 20
    assert sql("/*" + "x" * pad + "*/ DROP TABLE t") == "delete"
    assert query("SELECT 1" + " " * pad + "; DROP TABLE t") == "delete"
    assert sql("xdelete " * 60_000 + "; delete t") == "delete"


def test_a_text_stuffed_with_half_keywords_counts_as_what_it_imitates():
    assert query("begin " + "drop x " * 3_000) == "delete"
    assert query("show " + "update " * 3_000) == "read"
