"""The verbs of tool names, as data; `tool_names` combines them.

Law: a word stands here because it means the same in any server's names, never because of one tool;
a word in doubt stands with the stricter class. `a-b` is a phrase: two words read as one.
"""

from __future__ import annotations

from mcpgov.core.operations.vocabulary import common_verbs, trade_verbs
from mcpgov.core.operations.words import word_set as _set


def _table(**classes: str) -> dict[str, str]:
    return {word: kind for kind, text in classes.items() for word in text.split()}


# Always verbs, at any place of a name.
STRONG = (
    _table(**common_verbs.SURE)
    | _table(**trade_verbs.SURE)
    | _table(
        read="""
    get list read fetch search find query show view describe retrieve lookup inspect check count browse analyze
    analyse explain summarize summarise compare validate verify calculate calc compute estimate predict detect
    diagnose explore extract parse preview discover identify examine poll peek grep glob scan scrape enumerate
    locate ask assess classify rank aggregate diff blame decode encode geocode echo ping wait observe measure lint
    typecheck suggest recommend autocomplete whoami recall introspect reflect visualize visualise plot
    display screenshot infer interpret tokenize embed probe whois nslookup traceroute consult investigate research
    troubleshoot backtest gather survey solve think reason reflog stat ls cat pwd obtain determine evaluate
    proofread critique translate transcribe ocr dereference monitor audit export hgetall hget lrange smembers
    zrange mget llen scard correlate tell dump disassemble decompile learn exists guide forecast distance hash
    debug lookups is has are can does should was who whos what where which when how why buscar obtener listar
    consultar
    obter pesquisar suche lire chercher rechercher lister mostrar leer wait-for look-up look-for take-screenshot
    take-snapshot capture-screenshot capture-screen dry-run health-check self-check cross-check sanity-check
    spell-check type-check fact-check status-check deep-research reverse-geocode grab-screenshot git-log git-show
    git-diff git-shortlog git-status browser-snapshot page-snapshot chat-with chat-completion dom-snapshot
    accessibility-snapshot contrast paraphrase rephrase spellcheck quantify characterize characterise
    contextualize derive interpolate extrapolate approximate brainstorm ideate hypothesize advise traverse
    interrogate cite assert expect await see subtract multiply divide desc cmp chk qry srch zscore zcard zrevrange
    hkeys hvals hlen hexists sismember getrange strlen xrange xlen ttl pttl dbsize ver calcular comparar analizar
    analisar verificar ler afficher voir obtenir consulter calculer comparer analyser suchen zeige finden leggi
    elenca trova cerca snapshot-ui ui-snapshot read-only rerank regeocode dryrun pre-check precheck tabulate
    itemize appraise assay weigh tail symbolicate ffprobe
""",
        write="""
    create bring add update set write edit modify change insert append prepend put patch save store upload assign
    unassign move rename copy duplicate clone pull checkout rebase init initialize initialise configure setup stop
    start pause resume cancel unapprove reject accept decline close reopen unlock unpin unstar follow unfollow
    like unlike dislike subscribe unsubscribe join leave mark unmark toggle switch select use apply attach detach
    connect disconnect reconnect register login logout authenticate signin signup signout import load sync
    synchronize synchronise refresh reload reindex replace rewrite overwrite convert transform generate make
    reschedule hover scroll navigate go goto visit resize zoom emulate handle dismiss mute unmute crop rotate
    increase decrease increment decrement incr decr adjust tune turn dim react upvote downvote track migrate seed
    scaffold bootstrap allocate deallocate associate disassociate acquire checkin renew extend collapse concat
    combine compress decompress zip unzip
    gzip archive unarchive restore recover freeze unfreeze encrypt decrypt redact annotate categorize categorise
    memorize remember ingest finetune optimize optimise enhance improve refactor fix repair resolve complete
    finish end begin continue abort requeue enqueue dequeue ack acknowledge snooze delegate undelegate orchestrate
    coordinate customize customise populate prepare compose propose upsert download capture take give receive
    consume open protect unprotect unwatch expand highlight mkdir touch mv cp commit amend squash revert undo redo
    advance skip seek shuffle inject mock override bind unbind mount unmount eject bump draw paint render upscale
    animate synthesize synthesise dub speak say narrate stitch trim splice build transition reorder rearrange
    align ungroup flatten relabel vest redirect reroute persist warm prefetch preload feedback review crawl
    confirm finalize instantiate materialize containerize dockerize crear actualizar agregar guardar criar
    atualizar adicionar ajouter erstellen hset hmset lpush rpush sadd zadd setex xadd xack hincrby lset
    roll-forward log-in log-out sign-in sign-out sign-up set-up check-out check-in cherry-pick go-back go-forward
    turn-on turn-off opt-in opt-out fine-tune back-up str-replace find-replace search-replace git-fetch git-branch
    git-remote new-page new-tab new-context new-window clock-in clock-out read-write alter assemble calibrate
    colorize recolor
    compile consolidate construct deduplicate dedupe defer emit enlarge unfavorite unfavourite halt unhide
    initiate inpaint outpaint inscribe integrate localize localise maximize minimize modernize mutate normalize
    normalise nudge obfuscate perform propagate punch qualify quit rebalance relight relocate remediate remind
    renumber reparent replicate retrain revise revive rewind sanitize sanitise scrub settle shorten
    shrink silence simplify smelt stabilize standardize steer stretch substitute suppress takeoff throw
    tidy tweak unfold unify untag unuse vacuum vectorize warn unwrap dig unequip accelerate adopt upd ins
    bulkify curate modificar generar subir salvar alterar gerar creer modifier enregistrer generer aktualisieren
    speichern crea aggiorna aggiungi volume-up volume-down relist choose check-off favourite-status favorite-status
    abandon amplify anonymize augment backfill backdate blend bundle censor cleanse condense coalesce
    deprecate deplete divert digitize engage expedite fabricate fuse hotfix
    inflate interrupt intercept invert legalize manipulate manufacture
    obstruct offload overhaul prohibit prolong purify rebrand rectify refine reinstate replenish
    repurpose restock restrain retrofit revamp salvage scatter scramble shelve squeeze stimulate tether thaw
    tighten unleash unroll vouch weaken withhold post-process pre-process postprocess preprocess
    fast-forward simulate lift reconcile redline palletize mask organize organise flip mirror collect tidy-up
""",
        delete="""
    delete remove drop purge clear truncate erase destroy wipe clean cleanup prune trash discard unlink evict
    expunge flush flushall flushdb forget kill terminate rm rmdir del unset deregister unregister void nuke
    obliterate empty deprovision decommission teardown retire dispose shred delist expel hdel lrem srem zrem lpop
    rpop spop xdel undeploy disband dissolve dismantle eliminate eliminar borrar excluir apagar remover supprimer
    effacer clean-up tear-down loschen cancella elimina unprovision abolish annul nullify rescind repeal scrap
    jettison uproot yank zap unsend hard-delete soft-delete invalidate unpublish
""",
        execute="""
    execute exec run rerun eval invoke spawn trigger retrigger dispatch call sudo powershell bash automate
    ejecutar executar send publish republish submit resubmit merge deploy redeploy rollback roll-back roll-out buy
    sell purchase withdraw deposit pay repay prepay remit reimburse refund mint stake unstake claim broadcast
    retweet repost crosspost toot quote-tweet post-status boost-status reply reply-all respond forward notify rsvp
    click tap press fill drag swipe type-text input-text transfer disburse donate liquidate airdrop lend borrow
    fulfill fulfil deliver hire recruit reserve interact launch relaunch promote approve procure instruct push
    endorse esign countersign cosign notarize ratify petition lodge wager hedge topup top-up cash-out pay-out
    onramp offramp enviar envoyer senden invia soumettre kick-off handoff hand-off escalate advertise publicize
    distribute negotiate retry subsidize compensate contribute foreclose seize surrender insure outsource spoof
    hijack hail livestream simulcast syndicate go-live fax page-oncall page-team page-user key-down key-up
    mouse-down mouse-up key-press computer-use code-interpreter osascript applescript pulumi-up compose-up
    vagrant-up compose-down go-test go-build go-run go-generate make-target make-test honk actuate double-click
    doubleclick rightclick leftclick sendmail comprar pagar publicar acheter payer
    publier kaufen bezahlen veroffentlichen act pledge converge turn-in hand-in page-engineer page-doctor
    page-manager file-tax file-taxes file-claim file-patent file-lawsuit file-complaint file-dispute file-return
    file-appeal file-motion file-petition file-lien file-pleading payout cashout overnight courier resend blast
    vaccinate immunize sedate intubate defibrillate resuscitate amputate irrigate plow plough mow detonate brew pour
    preheat slew squawk uplink excavate demolish condemn arrest detain indict sue prosecute acquit convict pardon
    testify depose arbitrate embark disembark moor berth tow haul concede matriculate furlough bribe smuggle fumigate
    fertilize inseminate pollinate cull sign-off countersue bequeath
    hang-up mention-user efile
    resign forfeit waive incorporate prescribe admit euthanize slaughter plead disclose transmit e-file hand-over
""",
        admin="""
    grant impersonate ban unban kick elevate authorize deauthorize offboard whitelist allowlist blacklist denylist
    blocklist install reinstall uninstall upgrade downgrade provision restart reboot rebuild reset enable disable
    activate deactivate suspend unsuspend invite share unshare revoke power-on power-off power-cycle power-down
    power-up shut-down scale-up scale-down scale-out scale-in autoscale chmod chown cordon uncordon taint
    hibernate evacuate failover contain reveal restrict unrestrict quarantine isolate spin-up expose enforce
    exempt bypass tamper
    moderate govern demote enroll unenroll onboard deputize appoint disarm lockdown rekey reauthorize setuid
    instalar reiniciar installer redemarrer installieren neustarten harden allow deny permit poweroff poweron
    unblock
""",
    )
)

# Verbs or nouns: verbs only as the first word, right behind a prefix, or as the last word.
WEAK = _table(
    read="""
    trace head profile reference filter plan sample quote
""",
    delete="""
    expire deleter remover cleaner
""",
    execute="""
    shell terminal command commands cmd script python test ssh runner executor order book trade charge email mail
    message dm tweet announce dial text phone fund tip ship sign bill wire bet bid spend redeem swap exchange
    debit credit release rollout rent lease cast fire dispense drive vote request type repl bridge land
    sender poster payer dispatcher notifier deployer mailer messenger
    offer tender auction gift spray feed sow refer award taxi sound
""",
    admin="""
    permission permissions role roles acl iam scale shutdown boot power block drain throttle secure bounce timeout
""",
    write="""
    post comment tag label index fork branch stash lock log record schedule alert flag star pin backup snapshot
    cache queue draft format focus print play name invoice stage bookmark note link feature raise split train
    watch remote worktree submodule pair boost toast control host serve park wake sleep burn style extrude
    bevel paste cut design delegate clipboard rate mix group process plug step borrow sort updater creator writer
    manager editor builder uploader arm brake attack craft slice shift stamp strip compact flash jump
    seal favorite favourite repeat replay relay partition warp wrap fly hide produce equip place clip overlay
    pick exercise hold crossfade fillet chamfer grade signal
""",
)

# Mostly nouns: verbs only in front of an object, and only if the name has no other verb.
NOUN_LIKE = _table(**common_verbs.NOUN_LIKE) | _table(**trade_verbs.NOUN_LIKE)
# Of the noun-like, those that are nouns before a reading noun.
BODILY = _set(trade_verbs.BODILY)
# Verbs of noting: a word behind them is a noun if it can be one (`note_claim_call`).
NOTING = _set("note log tag label record jot annotate draft plan")
# Mostly nouns: verbs only in front of some head nouns, as the rows of `verb_objects` list them.
BESIDES = _set(
    "file issue report return board ground pass fail page contact serve lodge air stream house light point task deal"
)

# A word behind these is their object if it can be a noun (`post_update`, `queue_build`).
HANDING = _set("post queue schedule request")
# Reading verbs that are what is scheduled or requested, not what is done.
PLANNED = _set("query export audit scan research preview forecast")
# Verbs that are the noun of a name which a verb closes (`load_test_start`).
LEADS = _set("""
    load review store bundle group mask mirror shift call compose deploy build import export backup sync stream
    release order index cache queue stage link test
""")
# Verbs only in front of an object: `request_ride`, but `network_request`.
FRONT = _set("timeout bounce land request text bridge credit fund bill book type")
# Behind these a last word of FRONT is a verb after all: `browser_type`.
HANDS = _set("xdotool adb browser keyboard puppeteer playwright selenium computer desktop mouse element screen mobile")
# Of FRONT and of the reading nouns those that are verbs behind what they are done to: `hotel_book`, `drone_land`.
FRONTED = {
    "book": _set("hotel flight table room appointment slot seat ticket tour car ride class court spa trip taxi cab"),
    "land": _set("drone aircraft plane uav quadcopter helicopter"),
    "type": _set("input element keyboard field"),
    "fund": _set("account wallet card pot"),
    "bill": _set("customer client patient"),
    "credit": _set("account customer card"),
    "text": _set("customer user contact client patient"),
    "request": _set("ride payment money refund pickup"),
    "schedule": _set("interview demo viewing pickup tweet inspection"),
}
# Verbs that are as often the thing in front of a verb which is no noun (`switch_port_disable`, `grant_apply`).
THINGS_FIRST = _set("""
    switch vacuum seed grant survey claim permit fax audit monitor forecast guide display hash pledge supply reward
    purchase refund deposit stake feedback bundle mirror mask trash rescue
""")
# Last words that make a noun-like first word a noun: `email_templates`.
PARTS = _set("abi templates attachments folders labels lines threads types categories addresses numbers fields headers")

# As last words these are the verb, whatever verb stands before (`order_checkout_submit`).
FINAL = _set("submit publish send resend pay buy sell purchase deploy merge restart reboot revoke refund broadcast")
# Figures about a deal, never its object (`order_summary`).
FIGURES = _set("""
    summary summaries metric metrics result results score scores rate rates cost costs fee fees total price prices
    usage quota quote quotes log logs
""")
# Verbs of telling: what follows is the message (`email_report`).
SAYING = _set("email mail message dm tweet text announce phone")

# Reading verbs that are also nouns (`list_add_item`, `search_index_delete`): a stricter verb behind wins.
NOUNISH = _set("""
    list search query view read scan count lookup index trace profile preview show find guide hash audit forecast
    export research watch monitor display reason who what filter plan sample
""")

# Changing verbs that are also nouns: inside an object they are nouns (`get_commit`, `list_merge_requests`).
DOUBLE = _set("""
    commit merge pull push import upload transfer checkout download deposit stake switch mount build patch share
    copy change update clone claim set seed mark mock run call trigger dispatch command kick ban deploy feedback
    review release save archive install start stop end like follow open close press use trash empty void take load
    sync rollback launch login register go move make render touch grant whitelist allowlist blocklist replace
    refund invite reply highlight capture reserve resume upgrade fix draw forward select track handle transition
    zoom scroll begin crawl mint reset submit purchase broadcast click restart retry allow deny act harvest discharge
    permit rsvp supply reward visit blast rescue sign-in sign-up sign-out signin signup signout log-in log-out check-in
    check-out set-up opt-in opt-out roll-out roll-back back-up top-up pay-out cash-out clean-up clock-in clock-out
""")

# Verbs that are written together with their object (`listissues`).
JOINED = _set("""
    get list search find fetch read show view query describe check create add update delete remove send insert append
    write edit rename execute exec invoke cancel publish enable disable restart generate download
""")
# Of DOUBLE, those that are mostly nouns: as the last word behind an unknown word they prove no write
# (`shed_load`).
CLOSING = _set("load draw feedback track seed mock use end like build switch review patch")

# Before a closing word of STATES (`run_details`, `call_hierarchy`) these are nouns, too; a PROCESS before STAGES.
THINGS = _set("""
    build run call commit deploy review feedback claim track transition refund rebuild stake capture purchase
    transfer deposit broadcast click share invite install upgrade reset launch reserve restart retry reply press
    send submit publish push merge rerun trigger dispatch fax
""")
STATES = _set("""
    status statuses history hierarchy progress list get show describe info details read find fetch lookup graph
    logs transcript transcripts recording recordings count counts date dates duration id ids stats statistics
    analytics metrics metadata cost costs rate rates errors error summary time times timestamp check checks quote
    quotes results
""")
# A right or a sum before what it takes to get it (`permit_requirements`; `grant_read` grants).
OFFERED = _set("grant permit rsvp supply")
TERMS = _set("requirements deadlines deadline criteria eligibility fees count status history")
PROCESSES = _set("""
    sync import upload download login transfer pull push checkout install restore merge rollback render launch
    crawl deposit migrate train index backup stake
""")
STAGES = _set("status statuses history progress")
# Of THINGS, those whose object others get to know: nouns only before a figure about the act itself.
TELLS = _set("send submit publish share push broadcast reply dispatch")
OF_ACTS = _set("id ids count counts rate rates date dates duration timestamp time times cost costs error errors")
# Of THINGS, those that are verbs in front of an object of two words or more (`restart_job_status`).
ORDERS = _set("reset restart retry rerun launch trigger reserve merge")
# Reading verbs whose one-word object is no second verb (`get_reply`, `show_highlight`).
GETTERS = _set("get fetch retrieve describe show view inspect find read lookup list obtain")
# Results of a conversion that are returned (`pdf_to_text`).
ANSWERS = _set("text markdown json sql query yaml xml uri url id ids number timestamp")
# A name without a verb that begins with one of these reads.
LOOKING = _set("""
    my all top recent latest current available popular trending upcoming now today nearby nearest historical
    random last best supported existing matching legal who front
""")
# Last words that say that something is done, not read.
DOING = _set("""
    actions action operations operation management manager automation automations edits updates modifications
    commands
""")

# The verb of such a tool is one of its arguments: MANAGING anywhere, DOERS before DONE, DONE at the end.
MANAGING = _set("manage administer mgmt")
DOERS = _set("execute exec run call invoke perform do use dispatch")
DONE = _set("action actions operation operations management manager tool tools")
