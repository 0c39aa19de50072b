"""What an SQL text does, however it is padded."""

import pytest

from mcpgov.core.operations.sql_effects import MOST_BLANKS, deletes, from_sql, skip_blanks


def sql(text):
    return from_sql(text.lower())[0] or "read"


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
        ("SELECT '/*'; DROP/**/TABLE t; -- */'", "delete"),
        ("/*! TRUNCATE t */", "execute"),
        ("DELETE--\nFROM t", "delete"),
        ("WITH x AS (SELECT 1) DELETE FROM t", "delete"),
        ("WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x", "delete"),
        ("EXPLAIN ANALYZE DELETE FROM t", "delete"),
        ("INSERT INTO t VALUES (1)", "write"),
        ("INSERT INTO public.t(a, b) VALUES (lower('A'), now())", "write"),
        ("CREATE TABLE IF NOT EXISTS t(id int, n varchar(20) references u(id))", "write"),
        ("CREATE INDEX i ON t(a)", "write"),
        ("SELECT * INTO u FROM t", "write"),
        ("-- x\nCOPY t FROM '/x'", "write"),
        ("COMMENT ON TABLE t IS 'x'", "write"),
        ("ANALYZE t", "write"),
        ("SELECT 1; CALL p()", "execute"),
        ("SELECT 1 \\g | sh", "execute"),
        ("SELECT 1\n\\! id", "execute"),
        ("SELECT 1;\\watch", "execute"),
        ("\\! id", "execute"),
        ("SELECT 'a \\g b', e'\\n' FROM t", "read"),
        ("SELECT a\\b, \\1 FROM t", "read"),
        ("EXEC('drop')", "execute"),
        ("GRANT ALL ON t TO u", "admin"),
    ],
)
def test_an_sql_statement_raises_a_read_to_what_it_does(text, expected):
    assert sql(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "SELECT count(*), date_trunc('day', x) FROM t WHERE a IN (1, 2) AND (b OR c) GROUP BY 2",
        "WITH x(a) AS (SELECT 1), y AS (SELECT 2) SELECT * FROM x",
        "SELECT 'a; b', 'it''s', \"c; d\" FROM t",
        "SELECT 1; SELECT 2;  ",
        "BEGIN; SELECT 1; COMMIT",
        "START TRANSACTION READ ONLY",
        "SELECT 1 -- ; and more\nFROM t /* ; more */",
        "# note\nSELECT 1",
        "SELECT x::varchar(20), cast(a as decimal(10,2)) FROM [dbo].[t] (nolock)",
        "EXPLAIN (ANALYZE, BUFFERS) SELECT count(*) FROM t",
        "EXPLAIN FORMAT=JSON SELECT 1",
        "EXPLAIN t",
        "DESCRIBE t",
        "DESC FORMATTED a.b.c",
        "SHOW TABLES",
        "USE shop",
        "VALUES (1)",
        "PRAGMA table_info(users)",
        "PRAGMA main.index_list(users)",
        "PRAGMA user_version",
        "SELECT pg_catalog.count(1), json_extract(a, '$.x') FROM t WHERE exists (select 1)",
        "",
    ],
)
def test_a_statement_that_is_known_to_read_is_a_read(text):
    assert sql(text) == "read"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("KILL 53", "admin"),
        ("SELECT 1 KILL 53", "admin"),
        ("SHUTDOWN", "admin"),
        ("SELECT 1 SHUTDOWN WITH NOWAIT", "admin"),
        ("BEGIN SHUTDOWN END", "execute"),
        ("SET GLOBAL general_log = 1", "admin"),
        ("SET @@global.x = 1", "admin"),
        ("SET statement_timeout = 0", "write"),
        ("INSTALL httpfs", "admin"),
        ("UNINSTALL PLUGIN x", "admin"),
        ("VACUUM", "admin"),
        ("PRAGMA journal_mode = wal", "admin"),
        ("PRAGMA writable_schema(1)", "admin"),
        ("EXEC xp_cmdshell 'dir'", "execute"),
        ("xp_cmdshell 'dir'", "execute"),
        ("SELECT load_extension('x')", "execute"),
        ("SELECT LOAD_FILE ('/etc/passwd')", "execute"),
        ("SELECT pg_terminate_backend(1)", "execute"),
        ("SELECT pg_catalog.lo_import('/etc/passwd')", "execute"),
        ("SELECT \"lo_import\"('/etc/passwd')", "execute"),
        ("SELECT * FROM a JOIN b ON lo_export(1, '/x') > 0", "execute"),
        ("SELECT evil.count(1)", "execute"),
        ("SELECT [dbo].[f](1)", "execute"),
        ("INSERT INTO t SELECT my_function(1)", "execute"),
        ("EXPLAIN ANALYZE SELECT my_function(1)", "execute"),
        ("EXPLAIN ANALYZE FROBNICATE the table", "execute"),
        ("COPY t TO PROGRAM 'sh'", "execute"),
        ("SELECT 1 INTO OUTFILE '/x'", "execute"),
        ("SELECT 1 INTO DUMPFILE '/x'", "execute"),
        ("DO $$ BEGIN PERFORM 1; END $$", "execute"),
        ("ATTACH 'x.db' AS y", "execute"),
        ("LOAD spatial", "execute"),
        ("LOCK TABLES t WRITE", "execute"),
        ("FLUSH PRIVILEGES", "execute"),
        ("FROBNICATE t", "execute"),
        ("SELECT 1; FROBNICATE t", "execute"),
        ("USE a b c d", "execute"),
        ("SELECT '\\'; FROBNICATE -- '", "execute"),
        ("SELECT 1 --1; FROBNICATE", "execute"),
        ("SELECT 1 -- x\rFROM t; FROBNICATE", "execute"),
        ("SELECT 1 /* /* */ FROM t; FROBNICATE */", "execute"),
        ("SELECT 1 /* never closed; FROBNICATE", "execute"),
        ("SELECT 'never closed; FROBNICATE", "execute"),
        ("; 5", "execute"),
        ("SELECT system('id')", "execute"),
        ("SELECT * FROM ts_stat('select f()')", "execute"),
        ("CREATE FUNCTION f RETURNS STRING SONAME 'x.so'", "execute"),
        ("ALTER SYSTEM SET x = 1", "admin"),
        ("CREATE USER x PASSWORD 'y'", "admin"),
        ("CREATE TABLE t (a int); CREATE OR REPLACE ROLE x", "admin"),
        ("\ufeffDROP TABLE t", "delete"),
        ("CREATE", "write"),
        ("CREATE VIEW v; " * 2_001, "write"),
    ],
)
def test_a_statement_or_a_function_that_is_not_known_to_read_is_no_read(text, expected):
    assert sql(text) == expected


def test_more_parts_than_a_person_writes_are_no_read():
    assert sql("SELECT 1;" * 30_000) == "execute"
    assert sql("SELECT " + "(" * 30_000) == "execute"
    assert sql("SELECT " + "'a' " * 30_000) == "read"


def test_what_deletes_is_seen_beside_what_is_stricter():
    assert deletes("delete from t where f(a)")
    assert not deletes("select f(a)")


def test_a_statement_behind_megabytes_of_padding_is_still_seen():
    pad = 1 << 20
    assert sql("/*" + "x" * pad + "*/ DROP TABLE t") == "delete"
    assert sql("select " + "xdelete " * 60_000 + "; delete t") == "delete"
    assert sql("SELECT 1" + " " * pad + "; FROBNICATE t") == "execute"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("update docs", ""),
        ("update t set a = 1", "write"),
        ("drop in replacement", "execute"),
        ("drop table t", "delete"),
        ("drop x " * 3_000, "delete"),
        ("delete /* x */ from t", "delete"),
    ],
)
def test_where_a_text_may_be_english_a_keyword_needs_its_follower(text, expected):
    assert from_sql(text, shaped=True)[0] == (expected or "execute")


def test_blanks_and_comments_before_a_statement_are_skipped():
    assert skip_blanks(" ;(-- x\n# y\n/* z */select") == 19
    assert skip_blanks("/* open") == len("/* open")
    assert skip_blanks("-- open") == len("-- open")
    assert skip_blanks("/*! x */") == 0
    assert skip_blanks(" " * 5000) == MOST_BLANKS


def test_where_a_text_may_be_english_a_function_touches_its_bracket():
    assert from_sql("select phone (cheap)", tight=True) == ("", "")
    assert from_sql("select phone (cheap)")[0] == "execute"
