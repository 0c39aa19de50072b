"""Nouns that raise the operation of a verb, as data: what reaches others, who may do what, machines.

Law: as in `verb_objects`: what leaves the machine or cannot be undone is `execute`, rights and machines are `admin`.
"""

from __future__ import annotations

from mcpgov.core.operations.vocabulary import nouns, trade_nouns
from mcpgov.core.operations.vocabulary import verbs as v
from mcpgov.core.operations.words import word_set as _set

# Verbs that make, with a head noun that reaches others once it is made: a payment, a booking, a message.
MAKING = _set("""
    create make place add new initiate start begin issue process confirm complete finalize post generate perform
    request open put schedule insert do give raise record execute instantiate prepare-send crear criar file cut
    draw propose
""")
OUTWARD = _set("""
    payment payments payout payouts refund refunds transfer transfers order orders booking bookings reservation
    reservations deployment deployments deploy release releases message messages sms mms tweet tweets toot post
    posts charge charges purchase purchases subscription subscriptions shipment shipments donation donations
    transaction transactions trade trades bid bids bet bets call calls intent intents payroll envelope envelopes
    broadcast broadcasts livestream ride rides appointment appointments announcement announcements reply replies
    notification notifications run runs execution executions build builds swap swaps withdrawal withdrawals
    deposit deposits loan checkout remittance settlement disbursement installment mandate dispute disputes
    delivery pickup invocation invocations payment-link signature-request dispatch newsletter rollout rollback
    prescription wire claim chargeback rental lease votes vote position positions signature debit debits
    referral referrals consultation admission consignment waybill declaration lawsuit complaint appeal lien judgment
    subpoena summons warrant citation injunction visa mortgage escrow endowment bequest grant requisition mission
    sortie patrol arrest petition motion objection grievance fine penalty verdict ruling decree dividend obituary
    funeral auction lawsuits complaints appeals petitions permit permits passport adoption marriage divorce
    ballot ballots endorsement pledge pledges wager wagers  overdraft premium tender tenders
    counteroffer webcast telecast premiere airing press-release adverts advert preorder backorder
    dosage injection transfusion infusion immunization vaccination incision topup topups
    filing filings fulfillment fulfillments agreement agreements giftcard credit credits phone-call phone-calls
    offer offers sale sales return returns rma letter letters postcard postcards fax voicemail tip tips contribution
    investment redemption liquidation conversion direct-debit standing-order ach sepa autopay authorization
    job-posting finetune fine-tune finetuning fine-tuning training-job page-alert robocall
    termination bonus bonuses listing listings adjustment adjustments shipping-label return-label
""")
# Verbs that handle, with a thing of the world as their head.
HANDLING = _set("""
    cut pick insert start end lock unlock inject etch switch pull offload apply perform take place open close stop
    turn
    mix seal wrap split strip stretch trim put bring drop lift hold halt begin attach detach connect disconnect mount
    unmount load clean fix repair rebuild replace fold bend break shift slice stamp compact burn craft assemble
    dismantle smelt divert feather glaze polish scrub compress freeze thaw expand collapse rotate tighten squeeze
    weaken fuse restock replenish use consume equip eject wake sort arrange produce reverse box roll push raise lower
    paint shave process retrofit overhaul dilute saturate blend mark-down perforate erect collect reject rack
""")
PHYSICAL = _set(trade_nouns.PHYSICAL)
# These reach others only by a further step.
DRAFTS = _set("draft drafts template templates preview previews estimate mock sample sandbox example")

# Managing who may do what: CONTROL verbs with ACCESS anywhere in the object, or PEOPLE as its head.
CONTROL = _set("""
    create add update set edit modify change assign unassign invite enable disable put patch manage configure
    rotate reset generate register attach detach apply approve import upsert replace write provision activate
    deactivate suspend unsuspend promote demote transfer onboard renew block unblock insert protect unprotect
    elevate open close make lock unlock allow deny regenerate recreate refresh toggle turn-off turn-on send resend
    delegate exchange issue request store save submit accept mute timeout give raise increase lower decrease
    archive unarchive grant extend recover connect disconnect on off move migrate
""")
ACCESS = _set("""
    permission permissions role roles acl acls iam credential credentials secret secrets webhook webhooks password
    passwords passcode oauth sso saml mfa 2fa totp firewall rbac api-key api-keys access-key access-keys ssh-key
    ssh-keys deploy-key deploy-keys service-account service-accounts collaborator collaborators access-token
    access-tokens api-token api-tokens admin admins superuser restriction restrictions visibility sharing
    ownership quota quotas protection invite invites invitation invitations ingress egress dns nameserver
    nameservers share shared security-group security-groups security-rule privacy allowlist whitelist blocklist
    denylist entitlement entitlements privilege privileges cors guardrail guardrails waf sudo maintenance ruleset
    rulesets membership memberships clearance authority signatory signatories cosigner card-limit credit-limit
    spending-limit authority-limit rate-limit rate-limits routing badge badges keycard keycards fob combination
    gate-code door-code access-code pin-code forwarding forwarder delegate delegates delegation env-var env-vars
    env-variable env-variables environment-variable environment-variables config-var config-vars ci-variable
    ci-variables project-variable repo-variable repository-variable group-variable actions-variable pipeline-variable
    plugin plugins kill-switch sas sas-token policy-assignment role-assignment access-level email-alias ssl tls
    collaboration collaborations inheritance subnet subnets vpc load-balancer load-balancers route-table
    route-tables port-forwarding replica
    nodepool moderator moderators encryption ssl-certificate billing-limit spend-limit ratelimit txt mx cname
    vlan peering network-acl kill-switch superadmin sysadmin security-policy password-policy audit-log
    secret-value secret-values development-mode maintenance-mode app-registration
""")
PEOPLE = _set("""
    user users member members policy policies token tokens tenant tenants access owner owners guest guests seat
    seats runner runners manager managers supervisor supervisors
""")
# Lists of who may come in: behind `to` and `from` as well (`add_ip_to_allowlist`).
LISTS = _set("allowlist whitelist blocklist blacklist denylist acl admins owners safelist")
# Machines that cost and run from the moment they are made; a STARTER or a RESIZER reaches all of _MACHINES.
_MADE_MACHINES = _set("""
    vm vms droplet droplets server servers cluster clusters machine machines nodepool node-pool vps dyno dynos vpc
    load-balancer instance instances endpoint endpoints stack stacks tunnel tunnels nat-gateway hosted-zone
""")

# (verbs, nouns, anywhere in the object or only as its head, operation with them); the strictest counts.
OBJECTS = (
    (MAKING, OUTWARD, False, "execute"),
    (HANDLING, PHYSICAL, False, "execute"),
    (CONTROL, ACCESS, True, "admin"),
    (CONTROL, PEOPLE, False, "admin"),
    (_set("create add launch run make order clone copy"), _MADE_MACHINES, False, "admin"),
)
# Verbs that write only where their object is the user's own (OWN); with other things they reach others or a machine.
PRESUMED = {
    **dict.fromkeys(
        _set("""
        start begin initiate resume pause stop halt abort end cancel accept reject decline schedule place hold serve
        extend renew settle confirm finalize produce collect capture reroute control post rebalance backfill
        conclude commence recommence deduct
        """),
        "execute",
    ),
    **dict.fromkeys(_set("lock unlock rotate reload register freeze unfreeze override flash"), "admin"),
}
OWN = _set("""
    task tasks todo todos item items note notes page pages tab tabs file files folder document doc docs draft drafts
    text edit edits change changes suggestion suggestions completion completions selection comment comments thread
    conversation chat reminder reminders followup follow-up query search searches filter view views timer stopwatch
    countdown pomodoro recording recordings record screencast capture trace tracing profiling profiler codegen session
    sessions playback music song track media video audio player playlist animation slideshow presentation preview
    operation download downloads upload uploads editing bisect rebase merge revert cherry-pick transaction-log
    sprint cycle milestone epic issue issues story ticket tickets card board cell cells column columns row rows range
    shape image images photo layer layers layout screen display camera object objects mesh node nodes element block
    blocks model models component components widget font shortcut data table csv json url browser window tree
    watch watcher watching listener logging tracking workout lesson course quest game round turn dialog step steps
    line lines tag tags label labels bookmark buffer cache state context project workspace prospect shelf thought
    onboarding tour wizard report exam light lights lamp fan tv volume calf animal entry entries export exports
    backup backups
    schema schemas spotify sonos roku plex vlc mpd kodi jellyfin emby tidal deezer itunes podcast podcasts radio
    experiment-notes meditation focus breathing debug debugger breakpoint
""")
# Whoever reads these has them; names of secrets (`list_secrets`) are not the secrets.
SECRET = _set("secret password passwords credential credentials private-key secret-value api-key")
REVEALS = _set("get read fetch retrieve show view export dump decode")

# `destructiveHint` adds nothing to these: a file that is written or moved may replace another.
PLAIN_WRITES = _set("write edit append insert move rename patch")
DOCUMENTS = _set("file files text document documents doc note notes page line lines block cell cells content")

# With these `actions` names what is asked about.
REHEARSING = _set("simulate check validate verify")
QUESTIONS = _set("is has are can does should was who whos what where which when how why")
JOIN = _set("and or then plus")
PREPOSITIONS = _set("to for from with by in on at of as into near about between")
# Phrases of `verb_objects` alone.
_MORE = _set("""
    ad-budget route-table network-acl function-config function-configuration airplane-mode auto-pay instance-type
    instance-class
    machine-type desired-count node-group system-time legal-hold function-code lambda-code magic-packet
    merge-request pull-request gift-card gift-cards for-sale for-rent stop-loss take-profit
""")
PHRASES = frozenset(
    word
    for words in (v.STRONG, v.WEAK, nouns.READ_NOUNS, nouns.NOUNS, ACCESS, SECRET, OUTWARD, _MADE_MACHINES, _MORE)
    for word in words
    if "-" in word
)
