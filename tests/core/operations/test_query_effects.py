"""What a query does that may be SQL, Cypher, GraphQL or plain English."""

import pytest

from mcpgov.core.operations.query_effects import from_cypher, from_query


def query(text, **kinds):
    return from_query(text, **kinds)[0] or "read"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("how to delete from a list", "read"),
        ("explain how to delete a branch", "read"),
        ("explain how to select a phone (cheap)", "read"),
        ("select the best phone (cheap)", "read"),
        ("update docs", "read"),
        ("drop in replacement for redis", "read"),
        ("kill bill", "read"),
        ("shutdown sequence of a reactor", "read"),
        ("vacuum cleaner reviews", "read"),
        ("install python on mac", "read"),
        ("call of duty", "read"),
        ("copy of a book", "read"),
        ("execute a plan", "read"),
        ("with love from me", "read"),
        ("NASA budget", "read"),
        ("UPDATE t SET a = 1", "write"),
        ("update t set a = 1", "write"),
        ("explain delete /* x */ from t", "delete"),
        ("explain select lo_import('x')", "execute"),
        ("with x as (select lo_import('x')) select 1", "execute"),
        ("begin; frobnicate t", "execute"),
        ("select 1; drop table t", "delete"),
        ("select lo_import('/etc/passwd')", "execute"),
        ("/* x */ delete t", "delete"),
        ("# x\ndelete t", "delete"),
        ("TRUNCATE users", "delete"),
        ("DELETE users WHERE 1", "delete"),
        ("GRANT admin TO bob", "admin"),
        ("SHOW x", "read"),
        ("FLUSH PRIVILEGES", "execute"),
        ("kill 5", "admin"),
        ("kill query 5", "admin"),
        ("shutdown", "admin"),
        ("vacuum;", "admin"),
        ("vacuum full", "admin"),
        ("set global x = 1", "admin"),
        ("set x = 1", "write"),
        ("install httpfs;", "admin"),
        ("exec xp_cmdshell 'dir'", "execute"),
        ("sp_configure 'x', 1", "execute"),
        ("call p(1)", "execute"),
        ("copy t to program 'sh'", "execute"),
        ("do $$ begin end $$", "execute"),
        ("attach 'x.db' as y", "execute"),
        ("pragma journal_mode = wal", "admin"),
        ("/* never closed delete", "read"),
        ("-- never ended", "read"),
        (" " * 5000 + "drop table t", "delete"),
        (" " * 5000 + "mutate", "execute"),
        (" " * 5000 + "select 1", "write"),
        ("/*! DROP TABLE t */", "execute"),
        ("CREATE (n:User)", "write"),
        ("", "read"),
    ],
)
def test_a_query_raises_only_when_it_begins_like_a_statement(text, expected):
    assert query(text) == expected


def test_where_a_server_speaks_sql_an_unknown_statement_is_no_read():
    assert query("frobnicate t", surely=True) == "execute"
    assert query("select a from t (nolock)", surely=True) == "read"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("query { viewer { login } }", "read"),
        ("{ viewer { mutationCount mutation: x my_mutation } }", "read"),
        ("mutation { renameUser }", "write"),
        ("mutation { removeUser }", "delete"),
        ("mutation($id: ID!) { mergePullRequest(input: {id: $id}) { id } }", "execute"),
        ("query A { a } mutation B { deleteUser(id: 1) { id } }", "delete"),
        ("fragment F on X { a }\nmutation @x { addStar }", "write"),
        ("{ a } #x\nmutation#\n{ publishPost }", "execute"),
        ("subscription { x }", "read"),
        ("\ufeffmutation { deleteUser }", "delete"),
        (", mutation { deleteUser }", "delete"),
        ('"what it does" mutation M($a: Int) { deleteUser }', "delete"),
        ("why a mutation of mutations, in mutation (biology)?", "write"),
        ("a mutation of genes, permutation {", "read"),
        ("mutation-a " * 3_000, "read"),
        ("x " + "mutation a " * 3_000, "write"),
        ("query about love", "read"),
    ],
)
def test_any_operation_of_a_graphql_document_may_be_the_one_that_runs(text, expected):
    assert query(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("MATCH (n) RETURN n", "read"),
        ("match the colours", "read"),
        ("MATCH (n) WHERE n.callsign = 'x' RETURN recall(n)", "read"),
        ("MATCH (n) DETACH DELETE n", "delete"),
        ("MATCH (n) REMOVE n.a", "delete"),
        ("MATCH (n) SET n.a = 1", "write"),
        ("MATCH (n) CREATE (m)", "write"),
        ("MATCH (n) CALL { WITH n RETURN 1 } RETURN n", "read"),
        ("MATCH (n) CALL db.labels() YIELD label RETURN label", "read"),
        ("MATCH (n) CALL dbms.killQuery('x')", "execute"),
        ("CALL apoc.load.json('http://x')", "execute"),
        ("RETURN apoc.text.join(['a'], ',')", "read"),
        ("RETURN apoc.cypher.runFirstColumnSingle('x', {})", "execute"),
        ("WITH 1 AS x LOAD CSV FROM 'http://x' AS l RETURN l", "execute"),
        ("MATCH (n) FOREACH (x IN [1] | SET n.a = x)", "execute"),
        ("CYPHER runtime=slotted MATCH (n) DELETE n", "delete"),
        ("PROFILE MATCH(n) DETACH DELETE n", "delete"),
        ("WITH 1 AS x MATCH (n) DETACH DELETE n", "delete"),
        ("WITH x AS (SELECT f() FROM t WHERE MATCH (a) AGAINST ('b')) SELECT * FROM x", "execute"),
        ("CALL db.labels()", "read"),
        ("TERMINATE TRANSACTIONS 'x'", "execute"),
    ],
)
def test_a_cypher_text_is_its_strictest_clause(text, expected):
    assert query(text) == expected


def test_a_text_under_a_key_that_names_cypher_needs_no_opening_word():
    assert from_cypher("return 1") == ("", "")
    assert from_cypher("merge (n)") == ("write", "Cypher `MERGE`")
    assert from_cypher("stop database x") == ("execute", "Cypher `STOP` is not known to read")
    assert from_cypher("alter current user set password") == ("admin", "Cypher `ALTER CURRENT`")
    assert from_cypher("rename user a to b") == ("write", "SQL `RENAME`")


def test_a_statement_behind_a_megabyte_of_padding_is_still_seen():
    assert query("SELECT 1" + " " * (1 << 20) + "; DROP TABLE t") == "delete"


def test_a_text_stuffed_with_half_keywords_counts_as_what_it_imitates():
    assert query("begin " + "drop x " * 3_000) == "delete"
    assert query("show " + "update " * 3_000) == "read"
    assert query("MATCH (n) " + "call( " * 60_000) == "read"
