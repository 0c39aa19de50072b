"""The words of SQL are data; these hold them together."""

from mcpgov.core.operations import sql_words as w

# What servers are known to do more with than read.
ACTING = [
    "lo_import",
    "lo_export",
    "load_extension",
    "load_file",
    "pg_terminate_backend",
    "pg_cancel_backend",
    "pg_read_file",
    "pg_ls_dir",
    "pg_sleep",
    "pg_reload_conf",
    "pg_rotate_logfile",
    "set_config",
    "setval",
    "nextval",
    "dblink",
    "dblink_exec",
    "query_to_xml",
    "xp_cmdshell",
    "sp_executesql",
    "sys_exec",
    "sys_eval",
    "benchmark",
    "sleep",
    "get_lock",
    "master_pos_wait",
    "readfile",
    "writefile",
    "edit",
    "fts3_tokenizer",
    "read_csv",
    "read_parquet",
    "read_text",
    "url",
    "file",
    "s3",
    "remote",
    "mysql",
    "postgresql",
    "executable",
    "jdbc",
    "openrowset",
    "opendatasource",
    "utl_http",
    "dbms_scheduler",
]


def test_no_function_that_acts_is_among_those_that_read():
    assert [name for name in ACTING if name in w.FUNCTIONS | w.KEYWORDS or name.startswith(w.PREFIXES)] == []


def test_no_statement_both_reads_and_changes():
    changing = {verb for _, verbs in w.CHANGES for verb in verbs.split()}
    assert w.READS.isdisjoint(changing)
    assert changing >= w.OPENERS
    assert w.NEXT.keys() <= changing
    assert w.PRAGMAS.isdisjoint(w.ASKED)


def test_all_words_are_lower_case():
    for table in (w.STARTS, w.READS, w.FUNCTIONS, w.KEYWORDS, w.PRAGMAS, w.CYPHER_READS, w.PREFIXES):
        assert all(word == word.lower() for word in table)
