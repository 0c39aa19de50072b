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
    get
    list read fetch search find query show view describe retrieve lookup inspect check count browse analyze analyse
    explain summarize summarise compare validate verify calculate calc compute estimate predict detect diagnose
    explore extract parse preview discover identify examine poll peek grep glob scan scrape enumerate locate ask
    assess classify rank aggregate diff blame decode encode geocode echo ping wait observe measure lint typecheck
    simulate suggest recommend autocomplete whoami recall introspect reflect visualize visualise plot display
    screenshot infer interpret tokenize embed probe whois nslookup traceroute consult investigate research
    troubleshoot backtest gather survey solve think reason reflog stat ls cat pwd obtain determine evaluate proofread
    critique translate transcribe ocr dereference monitor audit export hgetall hget lrange smembers zrange mget llen
    scard correlate tell dump disassemble decompile learn exists guide forecast distance hash debug lookups is has are
    can does should was who what where which when how why buscar obtener listar consultar obter pesquisar suche lire
    chercher rechercher lister mostrar leer wait-for look-up look-for take-screenshot take-snapshot capture-screenshot
    capture-screen dry-run health-check self-check cross-check sanity-check spell-check type-check fact-check
    status-check deep-research reverse-geocode grab-screenshot git-log git-show git-diff git-shortlog git-status
    browser-snapshot page-snapshot chat-with chat-completion dom-snapshot accessibility-snapshot contrast paraphrase
    rephrase spellcheck quantify characterize characterise contextualize derive interpolate extrapolate approximate
    brainstorm ideate hypothesize advise traverse interrogate cite assert expect await see subtract multiply divide
    desc cmp chk qry srch zscore zcard zrevrange hkeys hvals hlen hexists sismember getrange strlen xrange xlen ttl
    pttl dbsize ver calcular comparar analizar analisar verificar ler afficher voir obtenir consulter calculer
    comparer analyser suchen zeige finden leggi elenca trova cerca snapshot-ui ui-snapshot read-only rerank regeocode
""",
    write="""
    create
    add update set write edit modify change insert append prepend put patch save store upload send publish unpublish
    share submit assign unassign move rename copy duplicate clone merge push pull checkout rebase init initialize
    initialise configure setup install upgrade downgrade enable disable activate deactivate stop start restart pause
    resume cancel approve unapprove reject accept decline close reopen unlock unpin unstar follow unfollow like unlike
    dislike subscribe unsubscribe join leave invite mark unmark toggle switch select use apply attach detach connect
    disconnect reconnect register login logout authenticate signin signup signout import load sync synchronize
    synchronise refresh reload reindex rebuild replace rewrite overwrite convert transform generate make deploy
    redeploy rollback promote demote reschedule reserve buy sell withdraw deposit pay refund mint stake unstake claim
    broadcast click tap press fill drag hover scroll swipe navigate go goto visit resize zoom emulate handle dismiss
    mute unmute crop rotate increase decrease increment decrement incr decr adjust tune turn dim reply respond react
    upvote downvote notify retweet track migrate seed provision scaffold bootstrap launch relaunch allocate acquire
    checkin renew extend collapse concat combine compress decompress zip unzip gzip archive unarchive restore recover
    freeze unfreeze suspend unsuspend unblock encrypt decrypt redact annotate categorize categorise memorize remember
    ingest finetune optimize optimise enhance improve refactor fix repair resolve complete finish end begin continue
    abort retry requeue enqueue dequeue ack acknowledge snooze escalate delegate undelegate handoff orchestrate
    coordinate manage maintain customize customise populate prepare compose propose upsert download capture take give
    receive consume open reset protect unprotect unwatch expand highlight interact chmod chown mkdir touch mv cp
    commit amend squash revert undo redo advance skip seek shuffle inject mock override bind unbind mount unmount
    eject bump draw paint render upscale animate synthesize synthesise dub speak say narrate stitch trim splice build
    transition reorder rearrange align ungroup flatten relabel borrow lend repay liquidate vest airdrop forward
    redirect reroute onboard enroll unenroll persist warm prefetch preload transfer feedback review crawl confirm
    finalize instantiate materialize containerize dockerize crear actualizar agregar enviar guardar criar atualizar
    adicionar ajouter envoyer erstellen hset hmset lpush rpush sadd zadd setex xadd xack hincrby lset roll-back
    roll-forward log-in log-out sign-in sign-out sign-up set-up check-out check-in cherry-pick go-back go-forward
    turn-on turn-off opt-in opt-out hand-off fine-tune back-up kick-off spin-up scale-up scale-down str-replace
    find-replace search-replace git-fetch git-branch git-remote new-page new-tab clock-in clock-out type-text
    read-write alter assemble calibrate certify colorize recolor compile consolidate construct cordon uncordon taint
    deduplicate dedupe defer deliver distribute donate emit enforce enlarge unfavorite unfavourite fulfill fulfil halt
    unhide hire initiate inpaint outpaint inscribe integrate isolate localize localise maximize minimize modernize
    mutate negotiate normalize normalise nudge obfuscate onramp perform propagate publicize punch qualify quarantine
    quit rebalance relight relocate remediate remind renumber reparent replicate repost resign resubmit retract
    retrain revise revive rewind sanitize sanitise scrub settle shorten shrink silence simplify smelt stabilize
    standardize steer stretch substitute summon suppress takeoff throw tidy tweak unfold unify untag unuse vacuum
    vectorize warn unwrap disarm dig unequip accelerate adopt appoint attest upd ins reply-all bulkify curate
    modificar generar subir salvar alterar gerar creer modifier soumettre enregistrer generer aktualisieren senden
    speichern crea aggiorna aggiungi invia power-on power-off power-cycle volume-up volume-down quote-tweet
    post-status boost-status scale-out scale-in roll-out check-off sign-off favourite-status favorite-status abandon
    advertise amplify anonymize arrange augment backfill backdate blend bundle bypass censor cleanse compensate
    condense contribute coalesce deprecate deplete disburse discharge divert digitize endorse engage enlist evacuate
    exempt expedite expose fabricate foreclose fuse govern harden harvest hibernate hijack hotfix ignite impose
    incorporate inflate instruct insure interrupt intercept invalidate invert legalize manipulate manufacture mobilize
    moderate neutralize nominate notarize obstruct offload outsource overhaul overrule procure prohibit prolong
    purchase purify ratify rebrand recruit rectify refine reinstate replenish repurpose restock restrain restrict
    retrofit revamp salvage scatter scramble seize shelve spoof squeeze stimulate subsidize surrender tamper tether
    thaw tighten topup unleash unroll vouch waive weaken weld withhold
""",
    delete="""
    delete
    remove drop purge clear truncate revoke erase destroy wipe clean cleanup prune trash discard uninstall unlink
    evict expunge flush flushall flushdb forget kill terminate rm rmdir del unset deregister unregister void nuke
    obliterate empty deprovision decommission teardown retire dispose shred delist expel hdel lrem srem zrem lpop rpop
    spop xdel undeploy disband dissolve dismantle eliminate eliminar borrar excluir apagar remover supprimer effacer
    clean-up tear-down loschen cancella elimina unprovision abolish annul nullify rescind repeal scrap jettison uproot
    yank zap
""",
    execute="""
    execute exec run rerun eval invoke spawn trigger retrigger dispatch call sudo powershell bash automate ejecutar
    executar """,
    admin="""
    grant impersonate ban unban kick elevate authorize deauthorize offboard whitelist allowlist blacklist
    denylist blocklist
""",
)

# As often nouns: verbs only in front, right behind a prefix, or at the end.
WEAK = _table(
    read="trace tail head profile reference filter plan sample",
    write="""
    post
    comment tag label index fork branch stash lock log record schedule book order trade charge email mail message
    alert flag star pin release backup snapshot cache queue draft scale type format focus print play name bill invoice
    ship sign stage rollout bookmark note block link feature bet raise split train vote watch debit credit remote
    worktree submodule dial text pair boost tip fund dm tweet toast announce control operate host serve lease rent
    park wake sleep reboot shutdown boot burn style spend redeem extrude bevel paste cut dispense design swap delegate
    wire clipboard rate mix group process plug step borrow sort updater creator writer manager editor builder sender
    uploader drive arm brake attack craft award slice shift stamp strip compact secure drain flash jump throttle seal
    favorite favourite repeat replay relay partition warp wrap fly hide produce equip place clip overlay cast bid
    exchange exercise hold fire power crossfade fillet chamfer offer allow deny permit grade signal
""",
    delete="expire deleter remover cleaner",
    execute="shell terminal command commands cmd script python test ssh runner executor",
    admin="permission permissions role roles acl iam",
)

# Reading verbs that are also nouns (`list_add_item`, `search_index_delete`): a stricter verb behind wins.
NOUNISH = _set("""
    list search query view read scan count lookup index trace profile preview show find guide hash audit forecast
    export research watch monitor display reason who what filter plan sample
""")

# Changing verbs that are also nouns: inside an object they are nouns (`get_commit`, `list_merge_requests`).
DOUBLE = _set("""
    commit merge pull push import upload transfer checkout download deposit stake switch mount build patch share copy
    change update clone claim set seed mark mock run call trigger dispatch command kick ban deploy feedback review
    release save archive install start stop end like follow open close press use trash empty void take load sync
    rollback launch login register go move make render touch grant whitelist allowlist blocklist replace refund invite
    reply highlight capture reserve resume upgrade fix draw forward select track handle transition zoom scroll begin
    crawl mint reset submit
""")

# Before a closing word of STATES (`run_details`, `call_hierarchy`) these are nouns, too; a PROCESS before STAGES.
THINGS = _set("build run call commit deploy review feedback claim track transition refund rebuild stake capture")
STATES = _set("""
    status statuses history hierarchy progress list get show describe info details read find fetch lookup graph logs
    transcript transcripts recording recordings
""")
PROCESSES = _set("""
    sync import upload download login transfer pull push checkout install restore merge rollback render launch crawl
    deposit migrate train index backup stake
""")
STAGES = _set("status statuses history progress")
# Closing nouns that can also be made: behind an unknown word, maybe a verb (`rescind_rules`), they prove nothing.
MADE = _set("""
    report reports events plan plans schedule rules metric metrics alerts chart charts profile profiles members map
    doc articles paper papers query queries route routes list listing certificate certificates cookies headers
    keywords positions portfolio environment env context contexts graph recommendations suggestions categories
    activity activities timeline wiki blog spec specs specification standards state states size sizes outline preview
    thumbnail reference references quote quotes captions subtitles menu output outputs names formats languages locales
    regions zones countries locks schema schemas places itinerary wizard dependencies stops signature signatures
    citation citations ideas risk risks catalog sitemap robots subgraph indicators callgraph statement statements
    inventory answer answers
""")
# Those that can at least be noted down or sent: they prove nothing behind a noun-like verb (`log_result`).
NOTED = MADE | _set("""
    logs log instructions guide guides docs documentation summary summaries usage score scores result results price
    prices news example examples tutorial primer glossary dictionary joke jokes fact facts rate rates total fee fees
    cost costs abstract traces spans quota quotas followers following capabilities findings mentions version versions
    tree diff diffs changelog readme benchmark benchmarks matrix path paths metadata transcript transcripts progress
    measurement measurements reading readings observations
""")
# Reading verbs whose one-word object is no second verb (`get_reply`, `show_highlight`).
GETTERS = _set("get fetch retrieve describe show view inspect find read lookup list obtain")
# What comes out of a conversion as an answer (`pdf_to_text`).
ANSWERS = _set("text markdown json sql query yaml xml uri url id ids number timestamp")
# A name without a verb that opens so only looks.
LOOKING = _set("""
    my all top recent latest current available popular trending upcoming now today nearby nearest historical random
    last best supported existing matching legal who front
""")
# Closing words that say something is done, not looked at.
DOING = _set("""
    actions action operations operation management manager automation automations edits updates modifications commands
""")

# (verb, words of its object) -> what the verb is with such an object. First match speaks.
_QUERYISH = """
    query queries report reports search searches analysis diagnostic diagnostics check checks lint
    healthcheck soql promql kql logql validation comparison inspection lookup audit benchmark simulation
    backtest forecast screener scan scans dax esql nrql spl gaql jql wiql kusto select readonly read-only
"""
_CODE = "sql statement mutation command commands script scripts code cypher dml ddl shell javascript js"
_PICTURE = "screenshot screen snapshot state page dom html frame photo"
_NAMED = """
    id ids name names dns domain library address url uri path symbol symbols ens handle ref refs reference references
    redirect hostname type username user users assignee assignees link shortlink identity identities entity entities
    alias slug coordinates location place package version versions module dependencies import imports ticker company
    doi pmid citation mention mentions query
"""
_UNITS = """
    currency currencies time timezone timezones unit units date dates timestamp temperature amount color colour colors
    coordinates coordinate markdown json number numbers length weight angle base case id ids uri url hex rgb epoch
    period yaml xml text string sql address ms seconds measurement
"""
_TEXTS = """
    uuid guid hash query sql dql jql kql cypher promql regex cron explanation suggestions ideas
    recommendations prompt summary insights esql spl nrql graphql gaql xpath selector selectors locator locators
    deeplink random hogql chart mermaid
"""
_CONTENT = "bytes base64 text content log logs transcript transcripts subtitles captions"
_PAPERS = "issues orders positions prs incidents tickets interest presentation workbook document spreadsheet nodes"
TURNS = {
    verb: turns
    for verbs, pairs in (
        ("run execute rerun invoke exec call trigger", [(_CODE + " python", "execute"), (_QUERYISH, "read")]),
        ("evaluate", [(_CODE + " expression xpath function", "execute")]),
        ("eval", [("template", "read")]),
        ("test", [("connection connectivity query regex pattern reachability credentials", "read")]),
        ("resolve", [(_NAMED, "read")]),
        ("convert transform", [(_UNITS, "read")]),
        ("generate make compose", [(_TEXTS, "read")]),
        ("download", [(_CONTENT, "read")]),
        ("extract", [("audio frames archive zip tar video clip clips pages", "write")]),
        ("review", [("code diff changes query plan document text", "read")]),
        ("perform", [(_QUERYISH, "read")]),
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
    for turns in ([(_set(nouns), kind) for nouns, kind in pairs],)
    for verb in verbs.split()
}

# Heads of names without a verb that only look.
READ_NOUNS = _set("""
    status statuses info information detail details stats statistics summary summaries overview history log logs list
    listing tree metric metrics schema schemas weather forecast forecasts price prices quote quotes news docs doc
    documentation guide guides guidance help version versions health healthcheck context usage instructions reference
    references example examples catalog insight insights result results score scores ranking rankings rates count
    counts total totals balance balances search lookup diff diffs blame changelog reflog graph outline metadata
    preview thumbnail activity activities timeline trend trends trending leaderboard leaderboards definition
    definitions symbols diagnostics completions dependencies dependents capabilities quota quotas pricing availability
    time datetime timezone clock me self about readme headlines articles candles ohlc ohlcv klines ticker tickers
    orderbook fundamentals financials earnings dividends holders holdings positions portfolio performance analysis
    analytics analyzer checker validator validation inspector viewer finder explorer monitor searcher summarizer
    calculator estimator detector scanner linter profiler lint types names fields guidelines practices tips faq lyrics
    transcript transcripts captions subtitles similarity comparison order-book events alerts contexts top query
    queries report reports wizard tutorial primer cheatsheet glossary dictionary thesaurus synonyms antonyms horoscope
    joke jokes fact facts trivia sentiment odds standings fixtures roster schedule itinerary directions route routes
    elevation geocoding nearby places astronomy sunrise tides air-quality exchange-rate vulnerabilities cves findings
    traces spans coverage heartbeat uptime latency ping env environment whoami hierarchy callers callees usages
    implementations signature signatures neighbors neighbours subgraph map rules reader getter fetcher plan plans
    chart charts freebusy thinking similar related recommendations suggestions categories indicators candlesticks
    volatility yields yield sitemap robots headers cookies certificate certificates backlinks keywords serp abstract
    abstracts citation citations papers paper profile profiles contributors followers following members mentions state
    states size sizes path paths distance difficulty ideas worth pulse departures arrivals stops lineups injuries
    zones heart-rate breakdown distribution correlation histogram matrix isochrone bounding-box screener overlap
    leaders gainers losers movers ancestors descendants children parents lineage xrefs callgraph ast toc nutrition
    menu traffic tutor blog quickstart walkthrough onboarding hotspots measures languages regions countries currencies
    locales formats outliers locks ps sequentialthinking sum average mean median percentile sqrt factorial hostname
    uname netstat df du ratio ratios playing measurement measurements reading readings observations cheapest fastest
    hover-info call-hierarchy call-graph stack-trace wiki specification spec specs standards best-practices benchmark
    benchmarks esql promql nrql jql kql progress duration risk risks fees fee cost costs spending revenue output
    outputs privileges rate delta deltas contents series statement statements balance-sheet cash-flow gdp cpi rsi macd
    sma ema inflation unemployment anomaly anomalies inventory logcat daily weekly monthly answer answers
""")
# What may stand before such a head, or before any plural, without being an unknown verb.
NOUNS = _set("""
    my all recent latest new open available current active popular upcoming saved public deleted archived pending
    failed past next previous daily weekly monthly yearly hourly live realtime historical random system server network
    console item collection creator user account team group project repo repository branch commit file folder
    directory issue pr mr merge-request pull-request page site board card channel thread message email calendar event
    contact customer order product payment invoice transaction wallet token block market stock crypto coin fund bond
    option company bank tax job task workflow pipeline build test cluster node pod service container image volume
    database table column row index record document note tag label dashboard alert incident audit session tab browser
    element device app application package module provider resource function class method type symbol code data source
    model dataset article book author video audio song track artist album playlist game match player season league
    country city location address place flight hotel air security policy rule key secret domain dns ip url web api
    http request response error crash memory entity relation web3 chain contract nft gas pool account-balance
    attachment link tool template form field value property settings billing sprint epic story release deployment
    feature return remark resort retail unread currency exchange position trade asset filing sector industry economic
    macro insider institutional analyst etf forex futures commodity treasury workspace organization org space member
    role notification reaction comment review post tweet subreddit feed hashtag media photo picture clip stream
    subscription coupon category inventory warehouse shipment supplier vendor lead deal opportunity campaign ad adset
    keyword audience segment funnel cohort experiment flag variant survey question answer quiz course lesson
    assignment student grade teacher school patient doctor drug gene protein disease trial medication clinical medical
    lab law case court bill vote congress legislation patent trademark train bus stop station line airport airline
    trip travel restaurant recipe ingredient food meal drink house rental mortgage neighborhood region area zone
    county postal zip sensor light climate camera automation scene room floor home vehicle car battery energy power
    printer print namespace replica ingress config configmap helm registry artifact runs stage step instance vm host
    disk storage bucket object blob queue topic partition consumer stack vpc subnet firewall gateway endpoint cdn
    lambda layer cron trace span exception check probe slo oncall shift escalation project-item work-item backlog
    iteration milestone roadmap goal objective initiative variable import call scope dependency license vulnerability
    cve advisory pdf excel sheet worksheet workbook cell range slide word paragraph heading section footnote design
    component style font color icon shape frame mesh material texture actor level blueprint animation deck hand round
    tournament club fixture pg db sql redis mongo mysql postgres sqlite kafka elastic opensearch vector embedding
    google github gitlab jira slack notion aws azure gcp docker kubernetes k8s git npm pypi cargo agent character
    movie film show episode planet species sys referring matching organic hardened shared person people credit signal
    skill id global real instant income balance net
""")
# No verb ends so.
NOUN_ENDINGS = tuple(
    _set("ity ness ology ware ous ful less ial ical onal ual ator ing ted ked sed ned led red ded ved ced ged ied hed")
)
# Nouns above that are verbs as well (`file_taxes`): in front they are no proof.
VERBAL = _set("issue file")
# Words in front that say nothing about the operation.
SKIP = _set("mcp api tool tools server bulk batch mass multi auto async quick smart safe simple please do")

# Managing who may do what: CONTROL verbs with ACCESS anywhere in the object, or PEOPLE as its head.
CONTROL = _set("""
    create add update set edit modify change assign unassign invite enable disable put patch manage configure rotate
    reset generate register attach detach apply approve import upsert replace write provision activate deactivate
    suspend unsuspend promote demote transfer onboard renew block unblock insert protect unprotect elevate
""")
ACCESS = _set("""
    permission permissions role roles acl acls iam credential credentials secret secrets webhook webhooks password
    passwords oauth sso saml mfa 2fa totp firewall rbac api-key api-keys access-key access-keys ssh-key ssh-keys
    deploy-key deploy-keys service-account service-accounts collaborator collaborators access-token access-tokens
    api-token api-tokens admin admins superuser
""")
PEOPLE = _set("user users member members policy policies token tokens tenant tenants access owner owners")
# Reading these is as good as holding them; names of secrets (`list_secrets`) are not the secrets.
SECRET = _set("secret password passwords credential credentials private-key secret-value api-key")
REVEALS = _set("get read fetch retrieve show view export dump decode")

QUESTIONS = _set("is has are can does should was who what where which when how why")
JOIN = _set("and or then plus")
PREPOSITIONS = _set("to for from with by in on at of as into near about between")
PHRASES = frozenset(
    word for words in (STRONG, WEAK, READ_NOUNS, NOUNS, ACCESS, SECRET) for word in words if "-" in word
)
