"""The nouns of tool names, as data: which of them, as last word of a name without a verb, mean that it reads.

Law: as in `verbs`: a word stands here because it means the same in any server's names.
"""

from __future__ import annotations

from mcpgov.core.operations.vocabulary import trade_nouns
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
    space expiry receipt receipts chain data text content html expiration capacity bandwidth throughput value level
    pipeline conversion
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
    daily weekly monthly answer answers space expiry receipt receipts chain data text content html expiration
    capacity bandwidth throughput geo-code value level pipeline conversion unread extent
""")
# What may stand before such a head, or before any plural, without being an unknown verb.
NOUNS = _set("""
    password whiteboard ssl tls certificate temperature crm erp hr checklist habit mailbox my all recent latest new
    open available current active popular upcoming saved public deleted archived
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
    accrual acquirer acquisition added annotation applicant apy artboard asn assigned assignee attribution avatar
    base bios blocked buyer canvas carousel centroid cert classifier closed cname completed contributor core corpus
    cpu custom daemon decibel department depreciation digest dimension distributor dividend division drafts drift
    due emoji epoch expired expiring extent external facet filtered firmware follower footer gadget genre gif glyph
    gpu gradient greeks header high hop hub hyperparameter idle imei impression inactive inference intent interface
    internal issuer iv jitter kernel keystore landing liability lifetime ligature lightbox linked low main margin
    maturity max mempool min mnemonic modal modem mx nameserver navbar nested nic nonce okr optimizer oracle outlier
    owned owner packet pageview paid palette panel payable payslip peer pinned polygon popup prediction primary
    processor quantile raw receivable received recently recruiter referrer registrar regression reporter retention
    reviewer rig roaming rolling rollup router scholar secondary semantic sent shader shard sidebar sim sku slippage
    sorted stale starred strategy subsidiary swatch tensor theta tick timesheet tooltip tvl txt typography
    unassigned unpaid unused utm utterance utxo vault vega vertex visitor vlan vocab voucher voxel watcher waveform
    wholesaler widget wishlist
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
    register remember render repent requisition resent rubber sabotage salvage sanction savage scatter section
    sentence
    sequence service shatter shelter shepherd shimmer shower shutter silence slander slaughter slumber smother sponsor
    splinter sputter squander stagger station stutter suffer supplement surrender survey swagger tailor tamper tamper
    taper target temper tender tether thunder torment totter tower traffic transfer transition trigger tutor umpire
    usher utter vacation vector venture voyage waiver wander warrant water weather whimper whisper winter wonder
    invent
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
    1password ableton acrobat acrolinx activecampaign activepieces adobe adyen affinity afterpay agora aha ahrefs
    airbnb airbrake airbyte aircall airflow airtable akeneo alation algolia alpaca alteryx amadeus amazon amazonq
    amplitude anki ansible anthropic apify apollo appdynamics appium appsflyer arcgis archicad argo argocd arize
    arxiv asana atlassian attio audacity auth0 autocad automattic avalara aws azure azuredevops backblaze badgr
    bamboohr bandcamp banktrack basecamp beeminder bestbuy betterstack bexio bigcommerce bigpanda bigquery billcom
    binance bitbucket bitly bitrise bitwarden blackboard blender bloomberg bluejeans bluesky bonusly booking box2d
    braintree brevo brex browserbase bugsnag bugzilla buildkite bunq burp cachet calcom caldav calendly
    campaignmonitor canva canvaslms carddav carta cassandra certbot chargebee chargify chartmogul chatgpt chatwoot
    checkmk checkr chipotle chroma circleci clearbit clevertap clickhouse clickup clockify clockwise cloudera
    cloudflare cloudformation cloudfront cloudinary cloudsmith cloudwatch coda codeberg codecademy codecov codepen
    codesandbox cognito cohere coinbase coingecko coinmarketcap comfyui composio confluence consul contentful
    convertkit convex copilot copyai couchbase couchdb coursera craftcms crisp crowdstrike crunchbase customerio
    cyberduck d1 dagster databricks datadog datagrip davinci dbt deel deepgram deepl deepseek delighted dependabot
    dialpad digitalocean diigo directus discogs discord discourse dockerhub docparser docusign docuware dolibarr
    doordash drata drawio dribbble dropbox drupal duckdb duckduckgo duolingo dynamics dynamodb dynatrace ebay ec2
    ecr ecs edgar edx eks elasticsearch elevenlabs emby encharge entra envato epicgames es eslint espn espocrm
    etherscan etsy eventbrite evernote exa excalidraw expedia expensify facebook factset fastmail feedly fibery
    figma figshare filestack firebase firecrawl fireflies firestore fitbit fivetran flexera flickr flightaware
    flightradar flutter folk formstack foursquare framer fred freeagent freecad freshbooks freshdesk freshsales
    freshservice freshworks fusebill garmin gcal gcloud gcp gcs gdocs gdrive geonames gerrit getresponse gh ghost
    giphy gitbook gitea github gitlab gitpod gke glue gmail gmaps gnucash gocardless godot goodreads google gorgias
    gotomeeting grafana grafbase grammarly granola graylog greenhouse gsheets gslides guesty gusto habitica
    hackernews hackerone handwrytten harness hasura helpscout heroku hetzner hevodata hexo heygen hibob highlevel
    hightouch holded homeassistant honeybadger honeycomb hootsuite hotjar hoverfly hubspot huggingface hugo humaans
    hypothesis ibkr icloud ifttt imap imdb imessage influx influxdb inkscape inoreader insightly instacart instagram
    instantly instapaper intercom intruder invision ios irs isbndb istio jellyfin jenkins jetbrains jfrog jira
    joplin jotform jumpcloud jupyter justcall kafka kaggle keka keycdn keycloak kibana kicad kinesis klarna klaviyo
    klipfolio knime kodi komoot kraken kubecost lambda langchain langfuse langsmith lark lastfm lastpass
    launchdarkly leetcode lemlist lemonsqueezy lexoffice librenms libreoffice lightspeed linkedin linkly linode
    litmus liveblocks livechat loggly logseq looker lucid lucidchart luma lyft macos magento mailchimp mailerlite
    mailgun mailosaur mapbox mastodon matomo mattermost maven maxmind mem mem0 memberstack mendeley meraki mercury
    metaads metabase metamask milvus mindmeister minecraft miro missive mixcloud mixpanel mlflow moneybird
    moneyforward mongo mongodb monica moodle motherduck moxfield moz mqtt mturk musescore musicbrainz mux
    myfitnesspal mysql n8n nagios namely nasa nationbuilder nats neo4j neon netatmo netdata netlify netsuite
    newrelic newsapi nextcloud ngrok nightscout noaa nocodb nomad notebooklm noteplan notesnook notion npm nuxt obs
    obsidian octoprint odoo okta omdb omnifocus onedrive onenote onepassword onshape openai openaq openfda
    openproject openrouter opensearch openstreetmap opentable openweather opsgenie oura outlook overleaf packagist
    paddle pagerduty pandadoc paperless papertrail parseur patreon paypal penpot perplexity personio pg phabricator
    photopea photoprism pinecone pingdom pinterest pipedrive pipefy plaid planetscale plausible playfab playwright
    plex pocketbase podio polygonscan portainer postgres posthog postman postmark powerbi prefect prismic
    productboard prometheus proofhub protonmail proxmox pubmed puppeteer pushbullet pushover qdrant qgis qualtrics
    qualys quickbase quickbooks quip quizlet quora rabbitmq railway raindrop rapid7 razorpay readwise reaper recurly
    redash redis redmine redshift remnote replicate replit reportportal retool revenuecat revit rhino ringcentral
    rippling roam robinhood rocketchat roku rollbar route53 rundeck rytr s3 sagemaker salesforce salesloft sanity
    sap scopus scrapingbee scribd seatable semrush sendgrid sentry serpapi servicem8 servicenow sharepoint shippo
    shodan shopify signnow simplenote sketchup skyscanner slack slite smartlead smartsheet smugmug snowflake sns
    snyk solana sonarqube sonos soundcloud sourcegraph spacelift splunk spotify spotinst sqlite sqs squarespace ssm
    stackoverflow stackstorm standardnotes statista statuspage steam stepfunctions storyblok strapi strava streamlit
    stripe sts substack supabase superset supersonic surveymonkey svelte swagger tableau taiga tana tandem tavily
    teamcity teamwork telegram temporal tesla thingsboard ticketmaster ticktick tiktok todoist toggl tomtom trakt
    transifex trello trengo tripadvisor turso tuya twenty twilio twitch twitter typeform typesense uber uipath
    uniswap unity unreal unsplash uptimerobot uspto vagaro vanta veed vercel vimeo virustotal vonage vscode vsphere
    wakatime walmart wandb wayback wazuh wealthbox weaviate webex webflow webpack wekan whatsapp whoop wikidata
    wikipedia withings wix wolfram wolframalpha woocommerce wordpress workday wrike wufoo wunderground xero yahoo
    yelp ynab yotpo youtrack youtube zabbix zapier zendesk zenhub zenodo zerobounce zillow zoho zoominfo zotero
    zulip
""")
# Products whose names are verbs or common nouns: prefixes only in front of a verb.
PRODUCT_VERBS = _set("""
    zoom fly drive render buffer box linear front segment wave square clover toast ramp lever wise signal line ring
    nest hue echo things monday harvest copper close gong outreach sheets docs slides word excel meet chat teams
    calendar mail contacts photos maps vault drone branch heap split pulse spark make page desktop windows medium
    mint amplify snap reflect reddit x ha brew browser mobile screen element jina resend iam
""")
# Words in front that say nothing about the operation.
SKIP = _set("mcp api tool tools server bulk batch mass multi auto async quick smart safe simple please do")
