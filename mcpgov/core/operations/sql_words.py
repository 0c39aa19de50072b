"""The words of SQL and Cypher, as data: which statements and functions only read.

Law: a statement or function that is not known to read is not a read; a name stands here because every server that
knows it only reads by it.
"""

from __future__ import annotations

from mcpgov.core.operations.words import word_set as _set

# Keywords that change something wherever they stand as separate words, strictest first.
CHANGES = (
    ("admin", "grant revoke deny shutdown kill reconfigure install uninstall vacuum"),
    ("execute", "exec execute call outfile dumpfile soname attach detach load do prepare handler"),
    ("delete", "drop delete truncate"),
    ("write", "insert update create alter merge replace upsert into copy rename reindex"),
)
_MADE = """
    table tables database schema index view user role function procedure trigger sequence type materialized or
    temporary temp unique external extension policy column constraint keyspace if stream
"""
# What must follow where the text may be plain English.
NEXT = {
    verb: _set(following)
    for verbs, following in (
        ("drop alter create", _MADE),
        ("delete", "from"),
        ("truncate", "table"),
        ("insert replace merge upsert", "into overwrite"),
        ("grant revoke", "select insert update delete all usage execute create connect"),
        ("kill", "query connection soft hard mutation user"),
        ("shutdown", "with immediate abort nosave save"),
        ("deny", "select insert update delete all execute"),
        ("attach detach", "database if"),
        ("load", "data csv extension"),
        ("outfile dumpfile", "from"),
    )
    for verb in verbs.split()
}
# Also names of columns and English words: they count only where a statement may begin.
OPENERS = _set("""
    call copy rename attach detach reindex vacuum load kill shutdown install uninstall reconfigure deny do prepare
    handler
""")
# A text that begins with one of these is a statement, not English.
STARTS = _set("""
    select with explain begin declare set use show values start pragma describe analyze insert update delete drop
    truncate create alter grant revoke merge replace upsert exec execute
""")
# The same for these, if they are written in capitals.
LOUD = _set("""
    flush lock unlock reset discard cluster notify listen unlisten checkpoint optimize repair backup restore
    unload put remove undrop security purge cancel system refresh comment savepoint release xa change stop clone
    bulk dbcc waitfor revert export import terminate
""")
# Statements that only read, and those that only open or close a transaction.
READS = _set("select with values table show describe desc explain from summarize help list")
TRANSACTION = _set("""
    begin commit rollback end start transaction work read only isolation level serializable repeatable committed
    uncommitted deferred tran abort
""")
EXPLAINS = _set("""
    explain analyze analyse verbose extended query plan formatted json partitions pipeline ast syntax buffers
    costs settings wal timing summary format yaml xml text tree serialize memory generic_plan true false on off
    logical distributed type io validate indexes header estimate
""")
# Asked without a value, or with the name of a table in brackets, these only read.
PRAGMAS = _set("""
    table_info table_xinfo table_list index_list index_info index_xinfo foreign_key_list foreign_key_check
    database_list collation_list compile_options function_list module_list pragma_list integrity_check quick_check
    stats show_tables database_size storage_info version
""")
ASKED = _set("""
    schema_version user_version page_count page_size freelist_count journal_mode encoding foreign_keys cache_size
    application_id auto_vacuum synchronous busy_timeout data_version locking_mode mmap_size temp_store
""")
# May stand before an opening bracket without being a function, and types that take a size.
KEYWORDS = _set("""
    in and or not as on where from select values over exists any some all using when then else case by having
    union except intersect lateral filter within group with recursive distinct limit offset like ilike rlike
    between join set is partition order rows range unique key index primary check references returning apply pivot
    unpivot for if interval tablesample top fetch next qualify window rollup cube sets
    materialized similar to regexp glob match explain analyze escape minus only array row struct map nolock
    forceseek columns exclude rename sample varchar nvarchar char nchar character decimal numeric number float
    double real int integer bigint smallint tinyint varbinary binary varying bit time timestamp timestamptz
    datetime datetime2 datetimeoffset text string fixedstring nullable enum list
""")
# Behind these a name before a bracket is a new name or a table's, no function.
NAMING = _set("tablesample as with recursive into overwrite table exists index view references key constraint")
FUNCTIONS = _set("""
    count sum avg mean min max median mode total stddev stddev_pop stddev_samp variance var_pop var_samp var stdev
    stdevp varp corr covar_pop covar_samp regr_slope regr_intercept regr_r2 every bool_and bool_or count_if
    countif count_big sumif avgif uniq uniqexact uniqcombined any_value anylast arg_max arg_min argmax argmin
    max_by min_by first last first_value last_value nth_value lag lead rank dense_rank row_number ntile
    percent_rank cume_dist percentile_cont percentile_disc percentile quantile quantiles grouping grouping_id
    group_concat string_agg listagg xmlagg wm_concat grouparray groupuniqarray ratio_to_report coalesce nullif
    ifnull isnull nvl nvl2 iif if decode greatest least choose cast convert try_cast try_convert safe_cast parse
    try_parse typeof pg_typeof sql_variant_property zeroifnull nullifzero div0 multiif tostring toint32 toint64
    touint32 touint64 tofloat64 toint tofloat tobool todate todatetime toyyyymm toyyyymmdd abs ceil ceiling floor
    round trunc truncate mod power pow sqrt cbrt exp ln log log10 log2 sign pi rand random randn radians degrees
    sin cos tan cot asin acos atan atan2 sinh cosh tanh width_bucket gcd lcm factorial square div intdiv bitand
    bitor bitxor bitnot bitshiftleft bitshiftright hex unhex bin oct conv crc32 md5 sha sha1 sha2 sha224 sha256
    sha384 sha512 hashbytes checksum farm_fingerprint hash xxhash64 cityhash64 digest encode tohex fromhex length
    len char_length character_length octet_length bit_length datalength lengthb lower upper lcase ucase initcap
    trim ltrim rtrim btrim lpad rpad left right substr substring substring_index mid split split_part strpos instr
    charindex patindex position locate concat concat_ws replace translate reverse repeat replicate space stuff
    insert ascii chr char unicode nchar format printf quote quote_ident quote_literal quote_nullable overlay
    starts_with startswith ends_with endswith contains contains_substr field elt find_in_set soundex difference
    levenshtein editdistance similarity word_similarity metaphone dmetaphone unaccent quotename trimboth
    splitbychar arrayjoin normalize collate to_base64 from_base64 base64 unbase64 base64encode base64decode
    urldecode urlencode strcmp regexp regexp_like regexp_replace regexp_substr regexp_instr regexp_count
    regexp_contains regexp_extract regexp_extract_all regexp_match regexp_matches regexp_split_to_array
    regexp_split_to_table rlike like glob now today yesterday sysdate sysdatetime sysutcdatetime getdate
    getutcdate curdate curtime current_date current_time current_timestamp localtime localtimestamp utc_date
    utc_time utc_timestamp clock_timestamp statement_timestamp transaction_timestamp date time datetime timestamp
    timestampadd timestampdiff dateadd datediff date_diff datename datepart datetrunc datefromparts eomonth
    date_add date_sub date_trunc date_part date_bin date_format date_parse adddate subdate addtime subtime
    add_months months_between next_day last_day extract year quarter month monthname week weekday weekofyear
    yearweek day dayname dayofmonth dayofweek dayofyear hour minute second microsecond unix_timestamp
    from_unixtime epoch epoch_ms unixepoch julianday strftime strptime str_to_date make_date make_time
    make_timestamp make_timestamptz make_interval age justify_days justify_hours justify_interval isfinite
    timezone convert_timezone convert_tz from_tz at_timezone generate_series generate_date_array
    generate_timestamp_array generate_array sequence range numbers formatdatetime parsedatetimebesteffort
    tostartofday tostartofhour tostartofminute tostartofmonth tostartofweek tostartofyear tostartofinterval
    timediff period_diff to_days from_days makedate maketime sec_to_time time_to_sec json jsonb openjson isjson
    row_to_json parse_json try_parse_json get_path flatten object_keys object_construct array_construct get unnest
    explode posexplode inline cardinality element_at size sort_array array contains_key struct_pack row map
    named_struct transform reduce filter zip xpath xmlparse xmlserialize xmlelement xmlforest xmltable ts_rank
    ts_rank_cd ts_headline tsvector_to_array plainto_tsquery phraseto_tsquery websearch_to_tsquery setweight
    numnode match against bm25 snippet highlight rank_bm25 freetext freetexttable containstable version database
    schema user current_user session_user system_user current_role current_database current_schema current_schemas
    current_catalog current_setting connection_id pg_backend_pid pg_postmaster_start_time pg_is_in_recovery
    pg_database_size pg_relation_size pg_total_relation_size pg_table_size pg_indexes_size pg_size_pretty
    pg_column_size pg_relation_filepath pg_table_is_visible pg_encoding_to_char pg_stat_get_activity
    pg_blocking_pids obj_description col_description shobj_description format_type to_regclass to_regtype
    pg_current_wal_lsn pg_wal_lsn_diff txid_current object_id object_name schema_name schema_id db_name db_id
    suser_name suser_sname user_name host_name app_name type_name col_name columnproperty objectproperty
    serverproperty databasepropertyex objectpropertyex has_perms_by_name last_insert_rowid changes total_changes
    sqlite_version sqlite_source_id scope_identity ident_current last_insert_id found_rows row_count rowcount
    error_message error_number charset collation coercibility newid uuid gen_random_uuid uuid_generate_v4
    uuid_generate_v1 uuid_generate_v7 generateuuidv4 generate_uuid newsequentialid inet_aton inet_ntoa host
    network masklen broadcast netmask family abbrev ip_to_int geography geometry point polygon linestring box
    circle distance geolocation tolabel convertcurrency calendar_year calendar_month calendar_quarter fiscal_year
    fiscal_quarter week_in_year day_only cosine_distance l2_distance inner_product cosinedistance l2distance
    vector_distance vec_distance_cosine vec_distance_l2 vec_to_text nodes labels type id properties keys
    relationships startnode endnode elementid head tail collect shortestpath allshortestpaths none single duration
    localdatetime zoned_datetime toupper tolower tointeger toboolean randomuuid isempty exists any all degree
    sum_distinct coll approx_count_distinct approx_distinct approx_quantile approx_percentile histogram bucket
    time_bucket time_bucket_gapfill locf interpolate rate irate increase exponential_moving_average
""")
# Beginnings of function names whose functions all only read.
PREFIXES = (
    "json_", "jsonb_", "st_", "array_", "arrays_", "regexp_", "date_", "to_", "is_", "approx_",
    "str_", "string_", "list_",
    "map_", "bit_", "bool_", "h3_", "hll_", "percentile_", "current_", "has_", "pg_get_", "inet6_", "timestamp_",
    "datetime_", "time_", "safe_", "parse_", "format_", "extract_", "try_to_", "object_", "ts_", "xml_", "dictget",
    "arrayf", "arraym", "arrays", "arrayc", "arraye", "arrayd", "arrayz", "arrayr", "jsonextract", "tostartof", "uniq",
    "quantile",
)  # fmt: skip
# Of those, the functions that run a query given as text.
RUNNING = _set("ts_stat ts_rewrite")
# Words behind `set` by which a setting outlives the statement.
LASTING = _set("global persist password role session authorization")
# `create` and `alter` of these is administration: who may do what, how the server runs.
GOVERNED = _set("user users role roles login system server current credential policy profile")
# Schemas whose functions are the server's own.
SCHEMAS = _set("pg_catalog information_schema safe net hll_count json keys mysql_json")

CYPHER_CHANGES = (("execute", "load foreach"), ("delete", "delete remove drop"), ("write", "create merge set insert"))
# A Cypher text that begins with one of these only reads, unless it contains a changing keyword.
CYPHER_STARTS = _set("match optional unwind with return call show use explain profile cypher union where order finish")
# A text that begins with one of these is Cypher if it contains a pattern of nodes.
CYPHER_MAYBE = _set("match optional unwind with explain profile cypher use call foreach")
# Procedures and function families of graph servers that only read.
CYPHER_READS = (
    "db.labels", "db.relationshiptypes", "db.propertykeys", "db.schema.", "db.indexes", "db.constraints", "db.info",
    "db.ping", "db.index.fulltext.query", "db.index.vector.query", "dbms.components", "dbms.procedures",
    "dbms.functions", "dbms.info", "apoc.meta.", "apoc.help", "apoc.version", "apoc.text.", "apoc.coll.", "apoc.map.",
    "apoc.date.", "apoc.convert.", "apoc.math.", "apoc.number.", "apoc.temporal.", "apoc.node.", "apoc.rel.",
    "apoc.label.", "apoc.path.", "apoc.algo.", "apoc.agg.", "apoc.any.", "point.", "date.", "datetime.", "duration.",
    "time.", "localdatetime.", "vector.similarity.",
)  # fmt: skip
