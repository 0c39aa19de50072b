"""The operation of a verb with certain objects, as data: the noun decides where the verb is weak.

Law: a row here only narrows what a verb means with a kind of thing, never with one server's thing;
what leaves the machine or cannot be taken back is `execute`, who may do what and how machines run is `admin`.
"""

from __future__ import annotations

from mcpgov.core.operations.vocabulary import trade_objects

# People who are affected by an act.
_PERSONS = """
    user users customer customers client clients contact contacts team teams member members subscriber subscribers
    lead leads candidate candidates employee employees attendee attendees guest guests everyone all oncall on-call
    manager managers driver drivers patient patients student students parent parents friend friends support staff
    recipient recipients participants participant people person group owner owners admin admins reviewer reviewers
    assignee assignees buyer seller vendor supplier tenant donor donors channel followers audience boss mom
    player players opponent opponents counsel court regulator
"""
# Things that run for others as well: how they run is an administrator's matter.
_MACHINES = """
    server servers service services instance instances vm vms machine machines host hosts container containers pod
    pods node nodes cluster clusters droplet droplets dyno dynos device devices computer computers router routers
    modem daemon daemonset statefulset deployment replicaset replicas nodepool node-pool database databases db
    replica broker nginx apache systemd kubelet workstation hypervisor vps autoscaler asg fleet gateway gateways
    vpn proxy ec2 rds gke eks aks lxc kvm appliance switch firewall runner runners worker workers workload
    workloads warehouse warehouses app apps application applications site sites systemctl docker podman pm2
    codespace codespaces kernel vagrant launchctl supervisorctl stack endpoint endpoints mailbox tunnel
    bucket-replication
"""
_RUNS = """
    workflow workflows job jobs build builds pipeline pipelines run runs execution executions task-run process
    processes dag script scripts livestream stream broadcast campaign campaigns deployment deployments rollout
    sync-job crawl scan-job training batch backfill automation automations sequence migration migrations function
    functions agent agents call phone-call ride trip auction
"""
_DEALS = """
    payment payments order orders booking bookings subscription subscriptions transfer transfers reservation
    reservations flight flights appointment appointments shipment shipments delivery trade trades purchase
    purchases payout payouts refund refunds transaction transactions invoice invoices contract contracts ride
    rides trip offer offers charge charges membership policy-application auction bid loan
"""
_LIVE = """
    production prod live release releases deployment deployments environment build builds slot traffic
"""
_ADMINS = "admin admins owner owners moderator moderators superuser user users member members leader role"
_PROTECTIONS = """
    protection protections alarm alarms security firewall antivirus mfa 2fa sso encryption lock locks backup
    backups guard monitoring logging audit vpn tls ssl https
"""
_ACCESSES = (
    "access user users member members join request-access membership invite invitation permission permissions device"
)
# (verbs, [(words of an object, operation with such an object)]). The first match decides.
_QUERYISH = """
    query queries report reports search searches analysis diagnostic diagnostics check checks lint healthcheck
    soql promql kql logql validation comparison inspection lookup audit benchmark simulation backtest forecast
    screener scan scans dax esql nrql spl gaql jql wiql kusto select readonly read-only
"""
_CODE = "sql statement mutation command commands script scripts code cypher dml ddl shell javascript js"
_TYPED = """
    command commands shell terminal process stdin input keys key keystrokes keystroke console tty pty repl tmux
    powershell bash ssh session
"""
_PICTURE = "screenshot screen snapshot state page dom html frame photo"
_NAMED = """
    id ids name names dns domain library address url uri path symbol symbols ens handle ref refs reference
    references redirect hostname type username user users assignee assignees link shortlink identity identities
    entity entities alias slug coordinates location place package version versions module dependencies import
    imports ticker company doi pmid citation mention mentions query
"""
_UNITS = """
    currency currencies time timezone timezones unit units date dates timestamp temperature amount color colour
    colors coordinates coordinate markdown json number numbers length weight angle base case id ids uri url hex
    rgb epoch period yaml xml text string sql address ms seconds measurement
"""
_TEXTS = """
    uuid guid hash query sql dql jql kql cypher promql regex cron explanation suggestions ideas recommendations
    prompt summary insights esql spl nrql graphql gaql xpath selector selectors locator locators deeplink random
    hogql chart mermaid
"""
_CONTENT = "bytes base64 text content log logs transcript transcripts subtitles captions"
_PAPERS = "issues orders positions prs incidents tickets interest presentation workbook document spreadsheet nodes"
# Joining several of the user's own things.
_JOINED = """
    cell cells row rows column columns range pdf pdfs file files image images layer layers duplicate duplicates
    contact contacts tag tags document documents doc docs dataset datasets table tables node nodes sheet sheets
    clip clips video videos audio record records shape shapes object objects mesh meshes list lists note notes
    cell-range segments subtitles dataframe dataframes data json arrays dict excel people faces companies leads
    ticket tickets conversations accounts tracks vertices paragraphs slides text properties entities relations
"""
_SOFT = """
    filter filters view zoom form layout camera counter timer position style styles format formatting search
    selection breakpoint breakpoints cursor dark theme notification notifications layer grid subtitles captions
    autoplay repeat shuffle light lights scene animation toolset toolsets tool tools gridlines snapping autosave
    highlight preview tracking wordwrap ruler outline wireframe physics collision shadows budget score game board
    progress streak transform pose sort subtitle caption column columns row line overlay crop color colors tab
    page canvas simulation skill option options debugger rendering bloom viewport
"""
_APPLIED_LIVE = """
    manifest manifests yaml terraform kubectl k8s kubernetes helm cluster stack chart infrastructure infra tf tofu
    plan job migration migrations cloudformation pulumi ansible playbook argocd production rollout puppet salt
    flux chef kustomize
"""
_ADDRESSES = "ip ips address addresses elastic eip number numbers phone domain hostname subdomain"
# Machines that move, heat, pour or hold something where somebody may stand.
_PLANT = """
    car vehicle engine oven pump pumps motor motors ventilator harvester tractor combine irrigation sprinkler
    sprinklers valve valves vent vents heater boiler furnace drone robot conveyor crane generator turbine dialysis
    infusion centrifuge reactor compressor elevator press-brake lathe mill gate barrier door garage pivot
    transmitter dispenser autoclave incubator vacuum roomba mower dishwasher sauna
"""
_CARRIERS = """
    vessel ship truck trucks flight flights aircraft train shipment shipments parcel parcels delivery deliveries
    call calls traffic funds payment ambulance driver
"""
# What is simulated on paper only; the rest of what `simulate` does may reach a device or a running system.
_ON_PAPER = """
    transaction transactions trade trades swap swaps portfolio scenario scenarios policy policies order orders
    strategy strategies bundle calldata portfolios growth returns loan mortgage retirement impact rebalance
    monte-carlo model circuit dice bets outcome outcomes spread transfer
"""
_HANDS = """
    click clicks key keys keypress keystroke keystrokes input touch tap swipe drag gesture mouse typing press
    scroll failure failures outage fault faults crash attack phishing payment call purchase
"""
_PUBLIC = "public publicly private visible anyone everyone world"
_POSTED = """
    message messages tweet tweets status statuses update updates story stories reel photo photos announcement job
    review reply replies thread channel slack twitter x linkedin facebook instagram reddit mastodon bluesky
    threads tiktok timeline wall feed webhook bulletin notice ad listing social public notification
"""
# What runs a project's own code to build it.
_BUILDERS = """
    docker podman npm yarn pnpm bun gradle maven mvn cargo xcode xcodebuild make cmake bazel go dotnet msbuild
    packer app
    apk ipa ios android solution target workspace image images
"""
_SIZES = "instance-type instance-class machine-type plan-size capacity replicas desired-count nodegroup node-group"
# Nouns of removing: whoever makes one removes.
_REMOVALS = "deletion deletions removal removals purge invalidation erasure teardown decommission cleanup"
_ROWS: tuple[tuple[str, list[tuple[str, str]]], ...] = (
    ("list relist put", [("for-sale for-rent", "execute")]),
    ("invoice", [("email mail", "execute")]),
    ("activate", [("campaign campaigns siren scene flow sequence automation ad ads property drip", "execute")]),
    ("enroll", [("lead leads prospect prospects subscriber subscribers", "execute")]),
    ("unlock lock", [("car-doors doors", "execute")]),
    ("protect unprotect", [("branch", "admin")]),
    ("create make add buy", [("gift-card gift-cards", "execute")]),
    ("exercise", [("option options warrant warrants", "execute")]),
    ("run execute exec", [("write update insert mutation", "execute")]),
    ("attach detach", [("interface nic eni network-interface gpu", "admin")]),
    ("close", [("port ports", "admin")]),
    ("boost", [("post posts ad ads listing", "execute")]),
    ("freeze unfreeze", [("pane panes row rows column columns layer header", "write")]),
    ("scale", [("recipe image photo layer shape object mesh font node", "write")]),
    ("stream", [("twitch youtube", "execute")]),
    ("set update change", [("parental-controls controls controlplane", "admin")]),
    ("toggle switch", [("relay relays", "execute")]),
    ("mute unmute silence adopt", [("host hosts device devices", "admin")]),
    ("update", [("container containers", "admin")]),
    ("drop", [("voicemail", "execute")]),
    ("resize", [("nodepool linode", "admin")]),
    ("change reset", [("password passwords passcode pin", "admin")]),
    (
        "set update adjust move change modify",
        [("leverage stop-loss take-profit stoploss margin collateral", "execute")],
    ),
    (
        "reschedule rebook confirm cancel change",
        [
            (
                "appointment appointments interview demo delivery pickup booking reservation flight visit viewing",
                "execute",
            )
        ],
    ),
    ("check-in checkin", [("flight flights hotel", "execute")]),
    ("upgrade downgrade change switch", [("plan tier subscription membership", "execute")]),
    ("print", [("printer", "execute")]),
    ("set", [("global", "admin")]),
    ("start stop", [("dev dev-server localhost", "execute")]),
    ("simulate", [(_HANDS, "execute"), (_ON_PAPER, "read")]),
    (
        "accept decline cancel propose reschedule",
        [("meeting meetings invitation webinar interview standup rsvp", "execute")],
    ),
    ("decline accept propose", [("event events time invite", "execute")]),
    ("end stop", [("meeting meetings webinar conference call", "execute")]),
    ("mute unmute silence", [("monitor monitors alert alerts alarm alarms alerting rule rules", "admin")]),
    (
        "pause unpause resume",
        [
            ("subscription subscriptions campaign campaigns " + _RUNS, "execute"),
            ("monitor monitors monitoring alerts alerting connector connectors", "admin"),
        ],
    ),
    ("play", [("job jobs pipeline stage playbook", "execute")]),
    ("rebase", [("merge-request pull-request mr pr", "execute")]),
    ("deprecate", [("package version versions api crate gem release npm pypi", "execute")]),
    ("build", [(_BUILDERS, "execute")]),
    ("modify update", [("instance instances vm vms droplet droplets cluster clusters", "admin")]),
    ("modify update set change", [(_SIZES, "admin")]),
    (
        "associate disassociate",
        [("iam profile role roles policy policies eip route permission permissions " + _ADDRESSES, "admin")],
    ),
    ("rotate", [("ca", "admin")]),
    ("restore", [("table tables", "admin")]),
    ("reject", [("account accounts", "admin")]),
    ("reverse", [(_DEALS, "execute")]),
    ("update modify change switch", [("subscription subscriptions salary salaries compensation wage", "execute")]),
    ("assign unassign remove", [("license licenses licence seat seats", "admin")]),
    ("remove", [("collaborator collaborators", "admin")]),
    ("apply", [("credit credits", "execute")]),
    ("rebuild", [("index indexes indices cache search", "write")]),
    (
        "kill terminate",
        [
            ("session sessions query queries connection connections backend", "admin"),
            ("process processes pid job jobs task tasks workflow workflows run runs execution", "execute"),
        ],
    ),
    ("accept dismiss confirm", [("dialog dialogs popup", "execute")]),
    ("connect disconnect", [("vpn", "admin")]),
    ("create schedule request issue", [(_REMOVALS, "delete")]),
    ("schedule", [("meeting meetings webinar demo", "execute")]),
    ("update set add modify", [("attendee attendees invitee invitees", "execute")]),
    ("lock unlock", [("card cards", "admin")]),
    ("modify amend replace", [("order orders", "execute")]),
    ("change modify", [("booking bookings reservation reservations flight", "execute")]),
    ("end relist close", [("listing listings", "execute")]),
    ("start stop", [("crawler crawlers cleaning scraper simulation-run", "execute")]),
    ("register deregister", [("target targets backend backends instance instances", "admin")]),
    ("modify update", [("volume volumes service services", "admin")]),
    ("queue enqueue requeue", [("build builds run runs pipeline job jobs", "execute")]),
    ("add install remove update upgrade", [("yarn pnpm npm pip apt brew gem cargo poetry dnf pacman", "admin")]),
    ("shift split", [("traffic", "admin")]),
    ("revert restore", [("snapshot vm", "admin")]),
    ("repair", [("keyspace filesystem disk volume raid", "admin")]),
    ("open", [("app application program", "execute")]),
    ("move", [("mouse robot arm cursor", "execute")]),
    ("print", [("document documents receipt label shipping-label return-label", "execute")]),
    ("void", [("shipping-label return-label", "execute")]),
    ("confirm", [("signup sign-up user", "admin")]),
    ("signal", [("workflow process execution", "execute")]),
    ("enrich", [("person people company companies contact lead domain profile email", "read")]),
    ("solve", [("ticket tickets case issue", "write")]),
    ("create", [("contract contracts", "execute")]),
    ("report", [("phishing spam abuse scam fraud", "execute")]),
    ("page", [("responder responders oncall engineer", "execute")]),
    ("remind", [("slack teams discord", "execute")]),
    ("request", [("review reviews", "write")]),
    ("run", [("card cards look chart charts panel", "read")]),
    ("set unset", [("env environment motor servo actuator", "admin")]),
    ("set enable disable toggle", [("autopay auto-pay", "execute")]),
    ("toggle", [("wifi bluetooth airplane-mode network internet", "admin")]),
    ("update upgrade", [("dependencies dependency function-config function-configuration", "admin")]),
    ("attach", [("debugger", "execute")]),
    ("solve", [("captcha captchas", "execute")]),
    ("choose pick", [("file option dropdown", "execute")]),
    ("mark", [("shipped fulfilled dispatched delivered", "execute")]),
    ("update set increase raise", [("ad-budget", "execute")]),
    ("edit write update replace", [("crontab cron sudoers", "execute")]),
    ("close", [("pull-request merge-request pr mr", "write")]),
    ("triage", [("issue issues ticket tickets", "write")]),
    ("extract", [("function method variable component constant class", "write")]),
    ("go", [("definition reference references implementation", "read")]),
    ("take", [("db database vm volume disk cluster ebs rds", "write")]),
    ("generate", [("presigned", "read")]),
    ("run", [("linter", "read")]),
    ("set update change", [("bid bids", "execute")]),
    ("export", [("key keys private-key seed mnemonic", "admin")]),
    ("bind unbind", [("identity role roles service-account", "admin")]),
    ("expand", [("pvc volume disk filesystem", "admin")]),
    ("inject", [("latency failure failures packet-loss", "execute")]),
    ("quit", [("app application", "execute")]),
    ("remind", [("invoice invoices", "execute")]),
    ("redact", [("message messages event", "delete")]),
    ("tail", [("worker workers pod pods service container log logs", "read")]),
    ("show", [("notification notifications toast alert dialog", "write")]),
    ("takeoff", [("drone aircraft plane helicopter", "execute")]),
    ("seal unseal", [("vault", "admin")]),
    ("wake", [("wol magic-packet", "admin")]),
    ("connect reconnect", [("ssh telnet rdp vnc winrm sftp", "execute")]),
    ("mount unmount", [("share disk drive nfs smb iso filesystem partition", "admin")]),
    ("hold", [("fare seat seats reservation ticket tickets booking room", "execute")]),
    ("produce", [("kafka topic pulsar", "execute")]),
    ("scan", [("nmap port ports masscan nikto sqlmap subnet", "execute")]),
    ("request", [("reviewer reviewers", "write")]),
    ("transfer", [("repo repository project app workspace organization issue-ownership", "admin")]),
    ("upgrade", [("helm chart", "execute")]),
    ("enable disable", [("merge automerge", "execute")]),
    ("enroll", [("sequence sequences campaign cadence drip contact contacts", "execute")]),
    ("update publish put replace", [("function-code lambda-code", "execute")]),
    ("deallocate allocate reallocate", [(_MACHINES + _ADDRESSES, "admin")]),
    ("add", [("sequence sequences cadence responder responders", "execute"), ("domain domains", "admin")]),
    ("set change", [("hostname clock system-time", "admin")]),
    ("quote", [(_PERSONS, "execute")]),
    ("attack", [(_PERSONS, "execute")]),
    ("recall", [("product products batch batches lot vehicle vehicles shipment shipments message", "execute")]),
    ("discharge check-in check-out", [(_PERSONS, "execute")]),
    ("reroute divert", [(_CARRIERS, "execute")]),
    ("serve", [("subpoena notice summons papers writ complaint eviction", "execute")]),
    ("place lift", [("legal-hold hold ban suspension embargo restriction restrictions lien quarantine", "admin")]),
    (
        "override bypass cut",
        [(_PROTECTIONS + " interlock safety limit limits approval power electricity water gas supply", "admin")],
    ),
    ("adopt", [("pet dog cat child animal", "execute")]),
    ("replenish restock", [("supplier suppliers vendor wholesaler", "execute")]),
    ("set adjust increase decrease change", [("infusion dose dosage setpoint", "execute")]),
    ("run execute rerun invoke exec call trigger", [(_CODE + " python", "execute"), (_QUERYISH, "read")]),
    ("evaluate", [(_CODE + " expression xpath function", "execute")]),
    ("eval", [("template", "read")]),
    (
        "test",
        [
            (
                "permission permissions access connection connectivity query regex pattern reachability credentials",
                "read",
            )
        ],
    ),
    ("resolve", [(_NAMED, "read")]),
    ("convert transform", [(_UNITS, "read")]),
    ("generate make compose", [(_TEXTS, "read"), (_PUBLIC + " " + "admin admins", "admin")]),
    ("download", [(_CONTENT, "read")]),
    ("extract", [("audio frames archive zip tar video clip clips pages", "write")]),
    ("review", [("code diff changes query plan document text", "read")]),
    ("perform", [(_QUERYISH, "read"), ("payment transfer transaction trade action deployment rollback", "execute")]),
    ("load", [("skill skills memory context guide docs instructions schema resource prompt", "read")]),
    (
        "select",
        [("rows row records data query table from", "read"), ("option options dropdown checkbox radio", "execute")],
    ),
    ("check uncheck", [("checkbox checkboxes radio", "execute")]),
    ("track", [("shipment package order parcel flight delivery status progress", "read")]),
    ("take", [(_PICTURE, "read")]),
    ("capture", [(_PICTURE, "read"), ("payment payments charge charges authorization order", "execute")]),
    ("move", [("trash bin", "delete"), ("money funds", "execute")]),
    ("send", [("trash bin junk spam", "delete"), ("back backward front forward", "write")]),
    ("write type paste append", [(_TYPED + " contract", "execute")]),
    ("launch", [("browser chromium chrome firefox page tab", "write")]),
    ("start", [("command commands shell terminal process stdin repl", "execute")]),
    ("open", [(_PAPERS, "read"), ("position positions trade " + _PLANT, "execute"), ("port ports", "admin")]),
    ("export", [("file disk files s3 gcs bucket drive sheets notion airtable", "write")]),
    ("snapshot", [("camera page dom ui browser screen accessibility", "read")]),
    ("watch", [("price prices list logs events directory folder run runs build", "read")]),
    ("build", [("query url filter", "read"), ("job jenkins project pipeline trigger image now", "execute")]),
    ("merge", [(_JOINED, "write")]),
    (
        "fill",
        [
            (
                "color colour colors cell cells range shape layer gaps missing na series down background area bucket",
                "write",
            )
        ],
    ),
    ("press", [("release", "read")]),
    ("drag", [("layer node card column row", "write")]),
    ("push", [("file files content contents value item element changes-locally stack data state card", "write")]),
    (
        "promote demote",
        [
            ("replica standby secondary primary", "admin"),
            (_LIVE, "execute"),
            (_ADMINS, "admin"),
            ("heading block section task item", "write"),
        ],
    ),
    (
        "share unshare",
        [("post posts story tweet video reel photo status social feed linkedin twitter facebook", "execute")],
    ),
    ("reset", [("hard", "delete"), (_SOFT + " git head index mixed soft cart stage", "write")]),
    ("enable disable activate deactivate", [(_SOFT, "write")]),
    ("approve", [(_ACCESSES, "admin")]),
    (
        "reject decline deny dismiss",
        [(_ACCESSES + " login", "admin"), (_DEALS + " candidate candidates applicant", "execute")],
    ),
    ("accept", [(_DEALS + " merge-request pull-request mr pr terms agreement call quote proposal", "execute")]),
    (
        "confirm finalize complete settle process collect close authorize extend",
        [
            (
                _DEALS + " checkout payroll position positions balance debt pull-request "
                "merge-request pr mr escrow claim envelope " + _PLANT,
                "execute",
            )
        ],
    ),
    (
        "cancel abort stop halt",
        [(_DEALS + _RUNS + _PLANT + " surgery operation-room exam", "execute"), (_MACHINES, "admin")],
    ),
    ("start begin initiate resume continue", [(_RUNS + _PLANT, "execute"), (_MACHINES, "admin")]),
    ("restart", [("workflow job jobs build pipeline run", "execute")]),
    ("pause unpause", [(_MACHINES, "admin")]),
    ("terminate end invalidate", [("session sessions", "admin")]),
    ("patch", [("server servers host hosts vm os kernel system machine", "admin")]),
    ("subscribe", [("customer customers user users contact contacts plan", "execute")]),
    ("acquire", [("license licenses domain number company property", "execute")]),
    ("transfer", [("file files task tasks note notes", "write")]),
    ("checkout check-out", [("cart complete basket order guest express pay shop bag session", "execute")]),
    (
        "renew",
        [("certificate certificates cert ssl tls", "admin"), (_DEALS + " license domain plan prescription", "execute")],
    ),
    ("apply", [(_APPLIED_LIVE + " pesticide herbicide fertilizer treatment brake brakes", "execute")]),
    ("sync", [("app application argocd production live", "execute")]),
    ("handle", [("dialog dialogs alert prompt popup payment", "execute")]),
    ("inject", [("script javascript js code payload fault chaos", "execute")]),
    ("remind warn alert nudge invoice ping text email message credit debit bill", [(_PERSONS, "execute")]),
    ("revert undo", [("deployment deployments migration migrations release production rollout", "execute")]),
    ("migrate", [("database db production data server vm", "execute")]),
    ("restore", [("backup backups database db snapshot instance cluster server system", "admin")]),
    ("protect unprotect", [("branch branches tag tags environment account", "admin")]),
    (
        "lock unlock",
        [("account accounts user users door doors device devices car vehicle phone computer gate bootloader", "admin")],
    ),
    ("mute unmute silence", [("user users member members participant participants", "admin")]),
    (
        "freeze unfreeze block unblock",
        [
            ("account accounts user users card cards member sender contact ip ips domain caller number", "admin"),
            ("time calendar slot diagram text comment code", "write"),
        ],
    ),
    ("rotate", [("key keys cert certificate certificates log logs", "admin")]),
    ("turn-on turn-off toggle switch turn", [(_PROTECTIONS + " server vm machine computer router dns", "admin")]),
    ("arm", [("alarm system security", "admin")]),
    (
        "logout log-out signout sign-out",
        [("user users all session sessions others everyone device devices force other", "admin")],
    ),
    ("sign", [("url urls language detection", "read")]),
    (
        "remove detach unassign strip",
        [("permission permissions right rights role roles access admin privilege privileges", "admin")],
    ),
    ("wake sleep", [("computer machine lan host server pc device", "admin")]),
    ("post", [("search query", "write"), (_POSTED, "execute")]),
    ("reorder", [("prescription prescriptions groceries supplies stock product products inventory", "execute")]),
    ("order group sort", [("by", "write"), ("items rows list cards columns tasks layers", "write")]),
    (
        "release",
        [(_ADDRESSES, "delete"), ("lock locks connection session resource memory key button slot hold", "write")],
    ),
    (
        "schedule",
        [
            (
                "tweet tweets post posts email emails message messages sms payment "
                "payments transfer ride pickup call newsletter campaign",
                "execute",
            )
        ],
    ),
    ("swap exchange", [("layers cells columns rows panes axes variables faces nodes colors sides windows", "write")]),
    ("cast", [("tv screen chromecast type types value dtype media audio video", "write")]),
    ("produce relay emit", [("message messages event events record records counsel court regulator", "execute")]),
    (
        "place",
        [("block blocks object component image actor node text item shape instance symbol wall furniture", "write")],
    ),
    ("hold", [("key button call", "execute")]),
    (
        "update upgrade",
        [("firmware os kernel driver drivers bios system package packages capacity quota replicas", "admin")],
    ),
    ("set change put", [(_PUBLIC + " capacity quota quotas replicas dns nameserver nameservers", "admin")]),
    ("resize", [("vm vms cluster droplet instance server node pool node-pool disk volume nodes pvc", "admin")]),
    ("reload", [("service nginx server daemon systemd apache config haproxy firewall", "admin")]),
    ("switch", [("dns traffic production primary", "admin")]),
    ("delegate", [("access permission permissions admin mailbox", "admin"), ("stake tokens vote votes", "execute")]),
    ("text", [("to from box file block message", "write")]),
    (
        "register",
        [
            ("domain domains trademark company business birth marriage", "execute"),
            ("device devices runner agent app", "admin"),
        ],
    ),
    ("leave", [("review voicemail feedback rating", "execute")]),
    ("upload", [("youtube tiktok reel testflight", "execute")]),
    ("go", [("live", "execute")]),
    ("import", [("key certificate", "admin")]),
    ("print", [("check checks shipping postage", "execute")]),
    ("charge", [("ev car vehicle battery phone", "write")]),
    ("book", [("mark chapter", "write")]),
    ("drive", [("file files folder folders", "write")]),
    ("fire", [("tv stick", "write")]),
)
_ROWS_OF: dict[str, list[tuple[str, str]]] = {}
for _verbs, _pairs in (*_ROWS, *trade_objects.ROWS):
    for _verb in _verbs.split():
        _ROWS_OF[_verb] = [*_ROWS_OF.get(_verb, ()), *_pairs]  # a verb may stand in several rows: none hides another
_parsed_rows: dict[str, list[tuple[frozenset[str], str]]] = {}


def object_classes(verb: str) -> list[tuple[frozenset[str], str]]:
    """(words of an object, operation of the verb with one of them); the first match decides. Parsed on first use."""
    rows = _parsed_rows.get(verb, [])
    if not rows and verb in _ROWS_OF:
        rows = _parsed_rows[verb] = [(frozenset(nouns.split()), kind) for nouns, kind in _ROWS_OF[verb]]
    return rows
