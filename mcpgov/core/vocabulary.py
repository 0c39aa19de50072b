"""The words tool names are made of. Data only: `operations` says how they combine.

Law: a word stands here because it means the same in any server's names, never because of one tool;
a word in doubt stands with the stricter class. `a-b` is a phrase: two words read as one.
"""

from __future__ import annotations


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _table(**classes: str) -> dict[str, str]:
    return {word: kind for kind, text in classes.items() for word in text.split()}


# Verbs wherever they stand.
STRONG = _table(
    read="""
    get list read fetch search find query show view describe retrieve lookup inspect check count browse
    analyze analyse explain summarize summarise compare validate verify calculate calc compute estimate
    predict detect diagnose explore extract parse preview discover identify examine poll peek grep glob
    scan scrape enumerate locate ask assess classify rank aggregate diff blame decode encode geocode echo
    ping wait observe measure lint typecheck simulate suggest recommend autocomplete whoami recall
    introspect reflect visualize visualise plot display screenshot infer interpret tokenize embed probe
    whois nslookup traceroute consult investigate research troubleshoot backtest gather survey solve think
    reason reflog stat ls cat pwd obtain determine evaluate proofread critique translate transcribe ocr
    dereference monitor audit export hgetall hget lrange smembers zrange mget llen scard correlate tell
    dump disassemble decompile learn exists guide forecast distance hash debug lookups is has are can does
    should was who what where which when how why buscar obtener listar consultar obter pesquisar suche
    lire chercher rechercher lister mostrar leer wait-for look-up look-for take-screenshot take-snapshot
    capture-screenshot capture-screen dry-run health-check self-check cross-check sanity-check spell-check
    type-check fact-check status-check deep-research reverse-geocode grab-screenshot
    git-log git-show git-diff git-shortlog git-status browser-snapshot page-snapshot chat-with
    chat-completion dom-snapshot accessibility-snapshot
""",
    write="""
    create add update set write edit modify change insert append prepend put patch save store upload send
    publish unpublish share submit assign unassign move rename copy duplicate clone merge push pull
    checkout rebase init initialize initialise configure setup install upgrade downgrade enable disable
    activate deactivate stop start restart pause resume cancel approve unapprove reject accept decline
    close reopen unlock unpin unstar follow unfollow like unlike dislike subscribe unsubscribe join leave
    invite mark unmark toggle switch select use apply attach detach connect disconnect reconnect register
    login logout authenticate signin signup signout import load sync synchronize synchronise refresh
    reload reindex rebuild replace rewrite overwrite convert transform generate make deploy redeploy
    rollback promote demote reschedule reserve buy sell withdraw deposit pay refund mint stake unstake
    claim broadcast click tap press fill drag hover scroll swipe navigate go goto visit resize zoom
    emulate handle dismiss mute unmute crop rotate increase decrease increment decrement incr decr adjust
    tune turn dim reply respond react upvote downvote notify retweet track migrate seed provision scaffold
    bootstrap launch relaunch allocate acquire checkin renew extend collapse concat combine compress
    decompress zip unzip gzip archive unarchive restore recover freeze unfreeze suspend unsuspend unblock
    encrypt decrypt redact annotate categorize categorise memorize remember ingest finetune optimize
    optimise enhance improve refactor fix repair resolve complete finish end begin continue abort retry
    requeue enqueue dequeue ack acknowledge snooze escalate delegate undelegate handoff orchestrate
    coordinate manage maintain customize customise populate prepare compose propose upsert download
    capture take give receive consume open reset protect unprotect unwatch expand highlight interact chmod
    chown mkdir touch mv cp commit amend squash revert undo redo advance skip seek shuffle inject mock
    override bind unbind mount unmount eject bump draw paint render upscale animate synthesize synthesise
    dub speak say narrate stitch trim splice build transition reorder rearrange align ungroup flatten
    relabel borrow lend repay liquidate vest airdrop forward redirect reroute onboard enroll unenroll
    persist warm prefetch preload transfer feedback review crawl confirm finalize place instantiate
    materialize containerize dockerize crear actualizar agregar enviar guardar criar atualizar adicionar
    ajouter envoyer erstellen hset hmset lpush rpush sadd zadd setex xadd xack hincrby lset roll-back
    roll-forward log-in log-out sign-in sign-out sign-up set-up check-out check-in cherry-pick go-back
    go-forward turn-on turn-off opt-in opt-out hand-off fine-tune back-up kick-off spin-up scale-up
    scale-down str-replace find-replace search-replace git-fetch git-branch git-remote new-page new-tab
    clock-in clock-out type-text read-write
""",
    delete="""
    delete remove drop purge clear truncate revoke erase destroy wipe clean cleanup prune trash discard
    uninstall unlink evict expunge flush flushall flushdb forget kill terminate rm rmdir del unset
    deregister unregister void nuke obliterate empty deprovision decommission teardown retire dispose
    shred delist expel hdel lrem srem zrem lpop rpop spop xdel undeploy disband dissolve dismantle
    eliminate eliminar borrar excluir apagar remover supprimer effacer clean-up tear-down
""",
    execute="""
    execute exec run rerun eval invoke spawn trigger retrigger dispatch call sudo powershell bash automate
    ejecutar executar
""",
    admin="""
    grant impersonate ban unban kick elevate authorize deauthorize offboard whitelist allowlist blacklist
    denylist blocklist
""",
)

# As often nouns: verbs only in front, right behind a prefix, or at the end.
WEAK = _table(
    read="trace tail head profile reference",
    write="""
    post comment tag label index fork branch stash lock log record schedule book order trade charge email
    mail message alert flag star pin release backup snapshot cache queue draft scale type format focus
    print play name bill invoice ship sign stage rollout bookmark note block link feature bet raise split
    train vote watch debit credit remote worktree submodule dial text pair boost tip fund dm tweet toast
    announce control operate host serve lease rent park wake sleep reboot shutdown boot burn style spend
    redeem extrude bevel paste cut dispense design swap delegate wire clipboard rate mix group process
    plug step borrow sort updater creator writer manager editor builder sender uploader
""",
    delete="expire deleter remover cleaner",
    execute="shell terminal command commands cmd script python test ssh runner executor",
    admin="permission permissions role roles acl iam",
)

# Reading verbs that are also nouns (`list_add_item`, `search_index_delete`): a stricter verb behind wins.
NOUNISH = _set("""
    list search query view read scan count lookup index trace profile preview show find guide hash audit
    forecast export research watch monitor display reason who what
""")

# Changing verbs that are also nouns: inside an object they are nouns (`get_commit`, `list_merge_requests`).
DOUBLE = _set("""
    commit merge pull push import upload transfer checkout download deposit stake switch mount build patch
    share copy change update clone claim set seed mark mock run call trigger dispatch command kick ban
    deploy feedback review release save archive install start stop end like follow open close press use
    trash empty void take load sync rollback launch login register go move make render touch grant
    whitelist allowlist blocklist replace
""")

# (verb, words of its object) -> what the verb is with such an object. First match speaks.
_QUERYISH = """
    query queries report reports search searches analysis diagnostic diagnostics check checks lint
    healthcheck soql promql kql logql validation comparison inspection lookup audit benchmark simulation
    backtest forecast screener scan scans
"""
_CODE = "sql statement mutation command commands script scripts code cypher dml ddl shell javascript js"
_PICTURE = "screenshot screen snapshot state page dom html frame photo"
_NAMED = "id name dns domain library address url uri path symbol ens handle ref reference redirect hostname type"
_UNITS = "currency time timezone unit units date timestamp temperature amount color coordinates markdown json"
_TEXTS = """
    uuid guid hash query sql dql jql kql cypher promql regex cron explanation suggestions ideas
    recommendations prompt summary insights
"""
_PAPERS = "issues orders positions prs incidents tickets interest presentation workbook document spreadsheet"
TURNS = {
    verb: [(_set(nouns), kind) for nouns, kind in pairs]
    for verbs, pairs in (
        ("run execute rerun invoke exec call trigger", [(_CODE + " python", "execute"), (_QUERYISH, "read")]),
        ("evaluate", [(_CODE + " expression xpath function", "execute")]),
        ("eval", [("template", "read")]),
        ("test", [("connection connectivity query regex pattern reachability credentials", "read")]),
        ("resolve", [(_NAMED, "read")]),
        ("convert transform", [(_UNITS, "read")]),
        ("generate make prepare compose", [(_TEXTS, "read")]),
        ("download", [("bytes base64 text", "read")]),
        ("load", [("skill skills memory context guide docs instructions schema resource prompt", "read")]),
        ("select", [("rows row records data query table from", "read")]),
        ("track", [("shipment package order parcel flight delivery status progress", "read")]),
        ("take capture", [(_PICTURE, "read")]),
        ("move", [("trash bin", "delete")]),
        ("send start launch type write", [("command commands shell terminal process stdin", "execute")]),
        ("open", [(_PAPERS, "read")]),
        ("watch", [("price prices list logs events", "read")]),
        ("build", [("query url filter", "read")]),
    )
    for verb in verbs.split()
}

# Heads of names without a verb that only look.
READ_NOUNS = _set("""
    status statuses info information detail details stats statistics summary summaries overview history
    log logs list listing tree metric metrics schema schemas weather forecast forecasts price prices quote
    quotes news docs doc documentation guide guides guidance help version versions health healthcheck
    context usage instructions reference references example examples catalog insight insights result
    results score scores ranking rankings rates count counts total totals balance balances search lookup
    diff diffs blame changelog reflog graph outline metadata preview thumbnail activity activities
    timeline trend trends trending leaderboard leaderboards definition definitions symbols diagnostics
    completions dependencies dependents capabilities quota quotas pricing availability time datetime
    timezone clock me self about readme headlines articles candles ohlc ohlcv klines ticker tickers
    orderbook fundamentals financials earnings dividends holders holdings positions portfolio performance
    analysis analytics analyzer checker validator validation inspector viewer finder explorer monitor
    searcher summarizer calculator estimator detector scanner linter profiler lint types names fields
    guidelines practices tips faq lyrics transcript transcripts captions subtitles similarity comparison
    order-book events alerts contexts top query queries report reports wizard tutorial primer cheatsheet
    glossary dictionary thesaurus synonyms antonyms horoscope joke jokes fact facts trivia sentiment odds
    standings fixtures roster schedule itinerary directions route routes elevation geocoding nearby places
    astronomy sunrise tides air-quality exchange-rate vulnerabilities cves findings traces spans coverage
    heartbeat uptime latency ping env environment whoami hierarchy callers callees usages implementations
    signature signatures neighbors neighbours subgraph map rules reader getter fetcher plan plans chart
    charts freebusy thinking similar related recommendations suggestions categories indicators
    candlesticks volatility yields yield sitemap robots headers cookies certificate certificates backlinks
    keywords serp abstract abstracts citation citations papers paper profile profiles contributors
    followers following members mentions
""")
# What may stand before such a head, or before any plural, without being an unknown verb.
NOUNS = _set("""
    my all top recent latest new open available current active popular trending upcoming saved public
    deleted archived pending failed past next previous daily weekly monthly yearly hourly live realtime
    historical random related similar nearby system server network console item items collection creator
    user users account team group project repo repository branch commit file files folder directory issue
    issues pr prs mr merge-request pull-request page pages site sites board card channel thread message
    email calendar event contact customer order product payment invoice transaction wallet token block
    market stock crypto coin fund bond option company bank tax job jobs task tasks workflow pipeline build
    test cluster node pod service container image volume database table column row index record document
    note tag label metric dashboard alert incident log audit session tab browser element device app
    application package module provider resource function class method type symbol code data source schema
    model dataset paper article book author video audio song track artist album playlist game match player
    season league country city location address place map flight hotel weather air security policy rule
    key secret certificate domain dns ip url web api http request response error crash memory entity
    relation graph query search web3 chain contract nft gas pool account-balance attachment link tool
    tools template form field value property settings cost billing price usage performance health sprint
    epic story version release deployment environment feature return remark
""")
# Words in front that say nothing about the operation.
SKIP = _set("""
    mcp api tool tools server bulk batch mass multi auto async quick smart safe simple please do
""")

# Managing who may do what: CONTROL verbs with ACCESS anywhere in the object, or PEOPLE as its head.
CONTROL = _set("""
    create add update set edit modify change assign unassign invite enable disable put patch manage
    configure rotate reset generate register attach detach apply approve import upsert replace write
    provision activate deactivate suspend unsuspend promote demote transfer onboard renew block unblock
    insert protect unprotect elevate
""")
ACCESS = _set("""
    permission permissions role roles acl acls iam credential credentials secret secrets webhook webhooks
    password passwords oauth sso saml mfa 2fa totp firewall rbac api-key api-keys access-key access-keys
    ssh-key ssh-keys deploy-key deploy-keys service-account service-accounts collaborator collaborators
    access-token access-tokens api-token api-tokens admin admins superuser
""")
PEOPLE = _set("""
    user users member members policy policies token tokens tenant tenants access owner owners
""")
# Reading these is as good as holding them; names of secrets (`list_secrets`) are not the secrets.
SECRET = _set("""
    secret password passwords credential credentials private-key secret-value api-key
""")
REVEALS = _set("get read fetch retrieve show view export dump decode")

QUESTIONS = _set("is has are can does should was who what where which when how why")
JOIN = _set("and or then plus")
PREPOSITIONS = _set("to for from with by in on at of as into near about between")
PHRASES = frozenset(
    word for words in (STRONG, WEAK, READ_NOUNS, NOUNS, ACCESS, SECRET) for word in words if "-" in word
)

# Values of a call. SQL keywords, strictest first; SQL_NEXT must follow where the text may be plain English.
SQL = (
    ("admin", "grant revoke"),
    ("execute", "exec execute call"),
    ("delete", "drop delete truncate"),
    ("write", "insert update create alter merge replace upsert into copy rename attach reindex vacuum load"),
)
_MADE = """
    table tables database schema index view user role function procedure trigger sequence type
    materialized or temporary temp unique external extension policy column constraint keyspace if stream
"""
SQL_NEXT = {
    verb: _set(following)
    for verbs, following in (
        ("drop alter create", _MADE),
        ("delete", "from"),
        ("truncate", "table"),
        ("insert replace merge upsert", "into overwrite"),
        ("grant revoke", "select insert update delete all usage execute create connect"),
    )
    for verb in verbs.split()
}
# Also names of columns: statements only where one may begin.
SQL_OPENERS = _set("call copy rename attach reindex vacuum load")
SQL_STARTS = _set("""
    select with explain begin declare set use show values start pragma describe analyze insert update
    delete drop truncate create alter grant revoke merge replace upsert exec execute call
""")
SQL_KEYS = _set("sql statement statements stmt ddl dml cql soql hql")
QUERY_KEYS = _set("query queries q input cypher")
SHELL_KEYS = _set("command commands cmd cmdline argv script shell bash powershell javascript")
ACTION_KEYS = _set("action actions operation operations op mode method methods verb subcommand")
HTTP = {"post": "write", "put": "write", "patch": "write", "delete": "delete"}
WATCHED = SQL_KEYS | QUERY_KEYS | SHELL_KEYS | ACTION_KEYS
# A `command` of one of these words picks a function of the tool; it is no shell line.
FUNCTIONS = _set("""
    view create insert get list delete update add remove describe search undo_edit str_replace
""")

# Argument names, last word. `action` and its like make one tool many operations.
WRITE_ARGS = _set("""
    body content contents payload data value values message attachments edits changes
""")
READ_ARGS = _set("""
    query q search keyword keywords limit cursor page offset filter filters since until symbol ticker
""")
CODE_ARGS = _set("command commands cmd script code shell javascript")
CHOICE_ARGS = _set("action actions operation operations op subcommand mode")
# Only what changes something asks for these. OUTPUT with PLACE (`output_dir`, `saveTo`): a file gets written.
SAFETY_ARGS = _set("confirm confirmed overwrite ignoreconflicts onconflict destpath")
OUTPUT = _set("output out save response result download export dest destination")
PLACE = _set("path file folder dir directory filename to location")
