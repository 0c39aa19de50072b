"""The nouns of tool names, as data: which of them, as last word of a name without a verb, mean that it reads.

Law: as in `verbs`: a word stands here because it means the same in any server's names.
"""

from __future__ import annotations

from mcpgov.core.operations import trade_nouns
from mcpgov.core.operations.words import word_set as _set

_READ_HEADS = _set(trade_nouns.READ_HEADS)
MATTER = _set(trade_nouns.MATTER)
# Last nouns that can also be made: behind an unknown word, maybe a verb (`rescind_rules`), they prove nothing.
MADE = (
    _set("""
    report reports events plan plans schedule rules metric metrics alerts chart charts profile profiles members
    map doc articles paper papers query queries route routes list listing certificate certificates cookies headers
    keywords positions portfolio environment env context contexts graph recommendations suggestions categories
    activity activities timeline wiki blog spec specs specification standards state states size sizes outline
    preview thumbnail reference references quote quotes captions subtitles menu output outputs names formats
    languages locales regions zones countries locks schema schemas places itinerary wizard dependencies stops
    signature signatures citation citations ideas risk risks catalog sitemap robots subgraph indicators callgraph
    statement statements inventory answer answers score scores result results metadata price prices rate rates
    quota quotas version versions transcript transcripts balance balances total totals tree path paths diff diffs
""")
    | _READ_HEADS
)
# Those that can at least be noted down or sent: they prove nothing behind a noun-like verb (`log_result`).
NOTED = MADE | _set("""
    logs log instructions guide guides docs documentation summary summaries usage score scores result results
    price prices news example examples tutorial primer glossary dictionary joke jokes fact facts rate rates total
    fee fees cost costs abstract traces spans quota quotas followers following capabilities findings mentions
    version versions tree diff diffs changelog readme benchmark benchmarks matrix path paths metadata transcript
    transcripts progress measurement measurements reading readings observations time date dates yield yields
    nutrition weather parents children contributors holders leaders neighbors neighbours
    distance duration revenue spending size sizes elevation sentiment uptime latency
""")

# Head nouns of names without a verb that read.
READ_NOUNS = _READ_HEADS | _set("""
    status statuses date dates info information detail details stats statistics summary summaries overview history
    log logs list listing tree metric metrics schema schemas weather forecast forecasts price prices quote quotes
    news docs doc documentation guide guides guidance help version versions health healthcheck context usage
    instructions reference references example examples catalog insight insights result results score scores
    ranking rankings rates count counts total totals balance balances search lookup diff diffs blame changelog
    reflog graph outline metadata preview thumbnail activity activities timeline trend trends trending leaderboard
    leaderboards definition definitions symbols diagnostics completions dependencies dependents capabilities quota
    quotas pricing availability time datetime timezone clock me self about readme headlines articles candles ohlc
    ohlcv klines ticker tickers orderbook fundamentals financials earnings dividends holders holdings positions
    portfolio performance analysis analytics analyzer checker validator validation inspector viewer finder
    explorer monitor searcher summarizer calculator estimator detector scanner linter profiler lint types names
    fields guidelines practices tips faq lyrics transcript transcripts captions subtitles similarity comparison
    order-book events alerts contexts top query queries report reports wizard tutorial primer cheatsheet glossary
    dictionary thesaurus synonyms antonyms horoscope joke jokes fact facts trivia sentiment odds standings
    fixtures roster schedule itinerary directions route routes elevation geocoding nearby places astronomy sunrise
    tides air-quality exchange-rate vulnerabilities cves findings traces spans coverage heartbeat uptime latency
    ping env environment whoami hierarchy callers callees usages implementations signature signatures neighbors
    neighbours subgraph map rules reader getter fetcher plan plans chart charts freebusy free-busy loss soql sosl
    logql thinking similar related
    recommendations suggestions categories indicators candlesticks volatility yields yield sitemap robots headers
    cookies certificate certificates backlinks keywords serp abstract abstracts citation citations papers paper
    profile profiles contributors followers following members mentions state states size sizes path paths distance
    difficulty ideas worth pulse departures arrivals stops lineups injuries zones heart-rate breakdown
    distribution correlation histogram matrix isochrone bounding-box screener overlap leaders gainers losers
    movers ancestors descendants children parents lineage xrefs callgraph ast toc nutrition menu traffic tutor
    blog quickstart walkthrough onboarding hotspots measures languages regions countries currencies locales
    formats outliers locks ps sequentialthinking sum average mean median percentile sqrt factorial hostname uname
    netstat df du ratio ratios playing measurement measurements reading readings observations cheapest fastest
    burndown csat inbox uuid sign-ins log-ins check-ins watchlist watchlists highlights hover-info call-hierarchy
    call-graph stack-trace wiki specification spec specs standards best-practices
    benchmark benchmarks esql promql nrql jql kql progress duration risk risks fees fee cost costs spending
    revenue output outputs privileges rate delta deltas contents series statement statements balance-sheet
    cash-flow gdp cpi rsi macd release-notes sma ema inflation unemployment anomaly anomalies inventory logcat
    daily weekly monthly answer answers
""")
# What may stand before such a head, or before any plural, without being an unknown verb.
NOUNS = _set("""
    mailbox my all recent latest new open available current active popular upcoming saved public deleted archived
    pending
    failed past next previous daily weekly monthly yearly hourly live realtime historical random system server
    network console item collection creator user account team group project repo repository branch commit file
    folder directory issue pr mr merge-request pull-request page site board card channel thread message email
    calendar event contact customer order product payment invoice transaction wallet token block market stock
    crypto coin fund bond option company bank tax job task workflow pipeline build test cluster node pod service
    container image volume database table column row index record document note tag label dashboard alert incident
    audit session tab browser element device app application package module provider resource function class
    method type symbol code data source model dataset article book author video audio song track artist album
    playlist game match player season league country city location address place flight hotel air security policy
    rule key secret domain dns ip url web api http request response error crash memory entity relation web3 chain
    contract nft gas pool account-balance attachment link tool template form field value property settings billing
    sprint epic story release deployment feature return remark resort retail unread currency exchange position
    trade asset filing sector industry economic macro insider institutional analyst etf forex futures commodity
    treasury workspace organization org space member role notification reaction comment review post tweet
    subreddit feed hashtag media photo picture clip stream subscription coupon category inventory warehouse
    shipment supplier vendor lead deal opportunity campaign ad adset keyword audience segment funnel cohort
    experiment flag variant survey question answer quiz course lesson assignment student grade teacher school
    patient doctor drug gene protein disease trial medication clinical medical lab law case court bill vote
    congress legislation patent trademark train bus stop station line airport airline trip travel restaurant
    recipe ingredient food meal drink house rental mortgage neighborhood region area zone county postal zip sensor
    light climate camera automation scene room floor home vehicle car battery energy power printer print namespace
    replica ingress config configmap helm registry artifact runs stage step instance vm host disk storage bucket
    object blob queue topic partition consumer stack vpc subnet firewall gateway endpoint cdn lambda layer cron
    trace span exception check probe slo oncall shift escalation project-item work-item backlog iteration
    milestone roadmap goal objective initiative variable import call scope dependency license vulnerability cve
    advisory pdf excel sheet worksheet workbook cell range slide word paragraph heading section footnote design
    component style font color icon shape frame mesh material texture actor level blueprint animation deck hand
    round tournament club fixture pg db sql redis mongo mysql postgres sqlite kafka elastic opensearch vector
    embedding google github gitlab jira slack notion aws azure gcp docker kubernetes k8s git npm pypi cargo agent
    character movie film show episode planet species sys referring matching organic hardened shared person people
    credit signal skill id global real instant income balance net transfer-learning prefix terraform pulumi
    ansible kubectl vercel netlify heroku stripe paypal shopify hubspot salesforce zendesk twilio gmail outlook
    discord telegram teams linear asana trello airtable monday clickup confluence bitbucket figma spotify youtube
    twitter reddit linkedin instagram facebook cloudflare datadog sentry grafana prometheus jenkins
""")
# No verb has these endings.
NOUN_ENDINGS = tuple(
    _set("ity ness ology ware ous ful less ial ical onal ual ator ing ted ked sed ned led red ded ved ced ged ied hed")
)
# Few verbs have these endings: VERBS_IN_DISGUISE, and those with a prefix of VERB_OPENINGS.
LIKELY_ENDINGS = tuple(
    _set("""
    ment tion sion ance ence ancy ency ship ist ists ism ery ory ary logy graphy metry nomy sis itis phone graph
    scope meter ette eer ian ians ics ium eum cy hood dom ular ible able ant ent age tor sor er or
    """)
)
VERB_OPENINGS = ("re", "un", "de", "dis", "mis", "out", "over", "pre", "em", "en", "be", "co")
# Verbs with an ending of nouns that `verbs` does not list: in front of a plural they prove no read.
VERBS_IN_DISGUISE = _set("""
    abandon adjourn advantage alter anger answer antagonize apportion assent augment auction author average badger
    balance bandage banter barter batter befriend belabor better bicker billet bolster bother broker buffer bunker
    butter caption cater caution cement center chamber champion charter chatter cipher clamor cleaver clutter cluster
    comment commission compliment conceal condition conference confer conquer consent consider consort cosponsor
    counter courier cover damage dance decipher deliver demand dement deter differ discolor discover dishonor
    dismember disorder disparage doctor document dominate downsize drum embarrass embitter encounter encourage
    encumber endanger engender engineer enter entrance envisage error evidence experience experiment factor falter
    falsify favor fester fence ferment fetter filter finance finger flatter flounder flower flutter forage foster
    fragment function further garner gather gender glimmer hamper hammer hanker harbor hinder honor hover hunger
    implement influence inter invent inventory jabber labor lament launder lather leverage litter loiter lower lumber
    manufacture maneuver master matter mention mentor merit minister mirror misplace monitor mortgage motion motor
    muster mutter neighbor number nurture offer order outnumber package pamper pander parameter partition partner
    patent pepper percent pester petition pillage pilfer plaster plunder ponder portion position powder power present
    prevent prefer prepare proctor proffer prosper provision purchase quarter question ration ravage reference refer
    register remember render repent requisition resent rubber sabotage salvage sanction savage scatter section sentence
    sequence service shatter shelter shepherd shimmer shower shutter silence slander slaughter slumber smother sponsor
    splinter sputter squander stagger station stutter suffer supplement surrender survey swagger tailor tamper tamper
    taper target temper tender tether thunder torment totter tower traffic transfer transition trigger tutor umpire
    usher utter vacation vector venture voyage waiver wander warrant water weather whimper whisper winter wonder invent
    circumvent dissent frequent orient patent segment complement pigment parent rent vent torment event cover recover
    action assist autograph blister blunder bluster career commence consist covenant cushion desist distance enchant
    exist flicker fluster foment founder fumble graph hunker insist license linger meander ornament persist photograph
    pioneer pirouette pucker regiment resist roster sequester sever silhouette slither smolder stammer sticker
    subsist sunder supplant telescope tinker twist upstage vapor waver wither worship bewilder clamber saunter
    uncover rediscover reorder shoulder solder bladder chance advance enhance romance freelance glance trance
    """)
# Nouns above that are verbs as well (`file_taxes`): in front they are no proof.
VERBAL = _set("issue file")
# Products that tools are named after: in front of the rest of a name they say nothing about the operation.
PRODUCTS = _set("""
    1password acrobat adyen affinity airbnb airbyte aircall airflow airtable algolia alpaca amadeus amazon amplitude
    ansible apollo argocd asana atlassian attio auth0 aws azure bamboohr basecamp bigcommerce bigquery binance
    bitbucket bitly bitwarden blender bluesky booking braintree brevo brex browserbase buildkite burp calcom calendly
    canva cassandra chargebee chroma circleci clickhouse clickup cloudflare cloudformation cloudfront cloudinary
    cloudwatch coda codecov cognito coinbase confluence consul copilot crowdstrike d1 dagster databricks datadog dbt
    deel digitalocean discord dockerhub docusign doordash dropbox drupal duckdb dynamodb ebay ec2 ecr ecs eks
    elasticsearch elevenlabs entra es etsy evernote exa expedia expensify facebook fastmail figma firebase firecrawl
    firestore fivetran framer freshbooks freshdesk gcal gcloud gcp gcs gdocs gdrive gh ghost gitea github gitlab gke
    glue gmail gocardless godot google gorgias grafana greenhouse gslides gsheets gusto hackernews helpscout heroku
    hetzner homeassistant hubspot huggingface ibkr imap influx influxdb instacart instagram intercom ios istio jenkins
    jira jupyter kaggle kafka keycloak kibana kinesis klaviyo kraken lambda langfuse lark launchdarkly lemonsqueezy
    linkedin linode logseq looker lyft macos magento mailchimp mailgun mastodon mattermost mem0 mercury meraki metabase
    metamask milvus minecraft miro mixpanel mlflow mongo mongodb mqtt mysql n8n nats neo4j neon netlify netsuite
    newrelic nomad notion npm obsidian octoprint odoo okta onedrive openai opensearch opentable opsgenie outlook
    paddle pagerduty paypal pg pinecone pinterest pipedrive plaid planetscale playwright plex portainer postgres
    posthog postman postmark powerbi prefect prometheus proxmox puppeteer qdrant quickbooks rabbitmq railway readwise
    redis redshift replicate rippling robinhood rocketchat roku route53 s3 sagemaker salesforce sap sendgrid sentry
    servicenow sharepoint shopify slack smartsheet snowflake snyk sns solana sonarqube sonos splunk spotify sqlite sqs
    ssm statuspage stepfunctions stripe sts substack supabase superset supersonic tableau tavily teamcity telegram
    temporal tesla ticktick tiktok todoist trello tuya twilio twitch twitter typeform uber uipath uniswap unity unreal
    uptimerobot vercel virustotal vonage vsphere wandb weaviate webex webflow whatsapp woocommerce wordpress workday
    xero ynab youtube zapier zendesk zoho zotero zulip
""")
# Products whose names are verbs or common nouns: prefixes only in front of a verb.
PRODUCT_VERBS = _set("""
    zoom fly drive render buffer box linear front segment wave square clover toast ramp lever wise signal line ring
    nest hue echo things monday harvest copper close gong outreach sheets docs slides word excel meet chat teams
    calendar mail contacts photos maps vault drone branch heap split pulse spark make page desktop windows medium
    reddit x ha browser mobile screen element jina resend iam
""")
# Words in front that say nothing about the operation.
SKIP = _set("mcp api tool tools server bulk batch mass multi auto async quick smart safe simple please do")
