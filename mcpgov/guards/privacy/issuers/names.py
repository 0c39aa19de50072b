"""Names of issuers whose keys have no beginning of their own: only the name nearby tells them, as data."""

from __future__ import annotations

from mcpgov.core.operations.words import word_set

NAMES = word_set("""
    17track ably abstractapi abuseipdb abyssale accuweather activecampaign adafruit adafruitio adobe adobesign
    adyen adzuna aeroworkflow affirm africastalking afterpay aftership agora aha ahrefs ai21 ai21studio ai71
    aikido airbrake airship airtable airvisual airwallex aiven akamai alchemy alconost alegra alethea algolia
    alibaba alibabacloud alienvault aliyun alloy allsports alpaca alphavantage amadeus ambee amplitude ankr
    anthropic anypoint anyscale apacta api2cart apideck apiflash apifonica apify apilayer apim apimatic
    apimetrics apitemplate apollo appcenter appcircle appcues appdynamics appfollow appointedd appoptics
    appsflyer appsynergy apptics apptivo appwrite arbiscan arcgis arcjet argocd artifactory artsy asaas asana
    assemblyai atera atlassian attio audd auth0 authentik authress autodesk autoklose autopilot avazapp
    aviationstack aws axiom axonaut aylien ayrshare azure azuremaps azureopenai baidu baidumaps bamboo
    bamboohr bandwidth bannerbear baremetrics baseapi basecamp baseten beamer beebole belvo besnappy besttime
    betterstack betteruptime bhlapi bigcommerce billomat binance binaryedge bing bingmaps bintray birdeye
    bitbar bitbucket bitcoinaverage bitdefender bitfinex bitget bitly bitmex bitpay bitrise bitstamp bittrex
    bitwarden blablabus blackduck blazemeter blitapp blockchair blockfrost blocknative blogger bluejeans
    bluesky blynk bombbomb boostnote borgbase braintree branchio brandfetch braze brevo browserbase
    browserstack browseruse browshot bscscan buddyns budibase bugherd bugsnag builderio buildkite builtwith
    bulbul bulksms bunny bunnynet buttercms bybit caflou calcom calendarific calendly calorieninja campayn
    cannyio canva caprover capsulecrm captaindata carbonblack carboninterface cartesia carto cashboard caspio
    censys centralstation centralstationcrm cerebras cexio chainstack chartmogul chatfuel checkio checklyhq
    checkmarx checkout checkr checkvist cicero cielo circleci cisco ciscospark civo clarifai clay clearbit
    clearout clerk clickhelp clickhouse clicksend clickup cliengo clientary climacell clinchpad clockify
    clockwork clojars closecrm cloudant cloudconvert cloudelements cloudflare cloudimage cloudinary
    cloudmersive cloudplan cloudsight cloudsmith cloudways cloverly cloze clustdoc cockroach cockroachlabs
    coda codacy codat codeberg codeclimate codecov codemagic codequiry coderabbit cognitive cohere coinapi
    coinbase coingecko coinlayer coinlib coinmarketcap commercejs companyhub composio configcat confluence
    confluent confluentcloud contabo contentful contentstack conversiontools convertapi convertkit convex
    convier coolify copper copyscape coralogix coreweave coshmac couchbase countrylayer courier coveralls coze
    craftmypdf criminalip cronitor crossmint crowdin crowdstrike cryptocompare currencycloud currencyfreaks
    currencylayer currencyscoop currentsapi cursor customerguru customerio cybereason cypress d7network
    dailyco dandelion dareboost darktrace databento databox databricks datadog dataforseo datagov datastax
    datocms debounce deepai deepgram deepinfra deepl deepseek deepsource deezer definednetworking delighted
    delivra demandbase demio deno deputy deribit descope detectify detectlanguage devcycle deviantart devin
    dfuse diffbot dify diggernaut digitalocean directus discogs discord disqus ditto dnscheck dnsimple docker
    dockerhub docparser documo docusign dokku doppler dotdigital dotmailer dovico dronahq drone droneci
    dropbox dropboxsign dropcontact dryrunsecurity duckdns duffel duo duplocloud duply dwolla dynalist
    dynatrace dynu dyspatch e2b eagleeye easyinsight easypost ebay ecostruxure ecwid edamam edenai eightxeight
    elastic elasticemail elasticsearch elevenlabs elevio enablex endorlabs enigma envoy equinix eraser esri
    ethereum etherscan ethplorer etsy eventbrite everhour exchangerate exoscale exportsdk extractorapi
    facebook faceplusplus fal falai fastforex fastlane fastly fastspring feedier fernet fetchrss fibery figma
    fileio fillout finage financialmodelingprep findl finicity finnhub firebase firecrawl fireworks fitbit
    fixer fixerio flagsmith flatio fleetbase flexport flickr flightapi flightlabs flightstats flinks flowflu
    flowise flutterwave flyio fmfw forestadmin forgejo formbucket formcarry formcraft formio formsite
    formspree forter foursquare frameio freemius freshbooks freshdesk freshservice friendli frontegg fulcrum
    fullcontact fullstory fusionauth fxmarket gandi garmin gateio gcp geckoboard gemfury gemini gengo geoapify
    geocodify geocodio geoipifi getblock getemail getform getgeo getgist getresponse getsandbox getstream
    ghost giphy gitea gitee gitguardian github gitlab gitter gladia glassnode globalping gocanvas gocardless
    gocd godaddy gogs goodday google googlemaps grafana graphcms graphhopper greptile greynoise groovehq groq
    gtmetrix guardian guardsquare gumroad gupshup gyazo happyscribe harness harvest hashicorp hasura hcaptcha
    hcloud hcp healthchecks heartland helius hellosign helpcrunch helpscout hereapi heroku hetzner hexpm
    heygen hibp highnote hiveage holidayapi honeybadger honeycomb html2pdf huawei hubspot huggingface humanity
    hunter hunterio huobi hybiscus hygraph hyperpay hypertrack ibm ibmcloud ibmcos ibmcoshmac ibmiam
    iconfinder ideogram iexapis iexcloud imagekit imagga imgbb imgur improvmx infisical influx influxdb
    infobip infomaniak infracost infura inngest insightly instabot instagram instamojo instana instantly
    intelx intercom interseller intra42 intrinio invoiceocean ionic ionos ip2location ipapi ipdata
    ipgeolocation ipify ipinfo ipinfodb ipquality ipregistry ipstack iterable iyzico jamf jawg jenkins jfrog
    jina jira jiratoken jotform jumio jumpcloud jumpseller jupiterone juro kafka kagi kairos kairosapi kakao
    kaleyra kamatera kanban kanbantool karmacrm kavenegar keen keenio keycdn keycloak keygen kickbox kimi
    kinde klarna klaviyo kling klingai klipfolio knapsackpro kontent kount koyeb kraken kubernetes kucoin
    kylas lacework lambdalabs langchain langfuse langsmith languagelayer laravel lark larksuite lastfm
    launchdarkly leadfeeder leakix lemlist lemonsqueezy lendflow lessannoyingcrm lexigram lichess lighton
    lightstep linear linemsg linenotify linkedin linkpreview linode liveagent liveblocks livechat livekit
    livestorm llamacloud loadmill lob localstack locationiq logdna loggly loginradius logto logz logzio
    lokalise looker loyverse lunchmoney luno lusha macaddress madkudu magicbell mailboxlayer mailchimp
    mailerlite maileroo mailersend mailgun mailjet mailmodo mailosaur mailsac mandrill mapbox mappedin
    mapquest maptiler marketstack mastodon mastra mattermost mavenlink maxmind meaningcloud mediastack
    meilisearch meistertask mem0 meraki mercadopago mercury mergify mesibo messagebird metaapi metabase
    meteomatics metrilo mexc mezmo microsoft midjourney midtrans milvus mindmeister minimax mintlify miro
    mistral mite mixcloud mixmax mixpanel mockaroo moengage mojohelpdesk mollie monday mongodb monkeylearn
    mono monzo moonclerk moonshot moosend moralis moyasar mrticktock msg91 mssql murf musixmatch mux mx
    myfatoorah myfreshworks myintervals n8n namecheap nango nasa naver nebius neo4j neon nessus nethunt netlas
    netlify netsuite neutrino newrelic newsapi newscatcher nexmo nextdns nftport ngrok nhost nicereply
    nightfall nimble noaa nordigen northflank noticeable notion novita novu nozbe npm nuget nugit numverify
    nutritionix nvidia nxcloud nylas nytimes oanda octoai octopus octopusdeploy okra okta okx ollama omdb
    omnisend onedesk onelogin oneloginid onepagecrm onesignal onfido onfleet onwater oopspam openai opencage
    opencagedata openroute openrouter openrouteservice opensearch openshift openuv openvpn openvsx openweather
    openweathermap opsgenie optimizely ory overloop ovh ovhcloud owlbot packagecloud packagist paddle
    pagerduty pagseguro pandadoc pandascore pangea paperform paperspace papertrail paradigm paralleldots
    parsehub parseur particleio partnerstack passbase pastebin paydirt paymo paymongo paypal paystack paytabs
    payu pdflayer pdfshift pendo peopledatalabs pepipost percy permitio perplexity persona pexels phemex
    phishtank phpmailer pinata pinecone pingdom pinterest pipedream pipedrive pirsch pivotaltracker pixabay
    plaid planetscale planviewleankit planyo playht plivo pocketbase podio polar pollinations pollsapi
    poloniex polygon polygonio polygonscan polymarket porkbun portainer positionstack postageapi postageapp
    postbacks postgrid posthog postman postmark powrbot prefect prestashop prismic privateai prodpad
    producthunt prospectcrm protocolsio proxycrawl pubnub pulsedive pulumi purestake pushbullet pusher
    pushover pypi qase qdrant qovery qualaroo qualys quandl qubole quickmetrics quicknode railway railwayapp
    rainforestpay ramp rapid7 rapidapi rawg raygun razorpay reachmail readme realgeeks reallysimplesystems
    rebrandly recaptcha rechargepayments recurly reddit redirectpizza redshift refiner relic rentman
    repairshopr replicate replyio requestfinance resend restpack retell retellai revai revampcrm revolut
    ringcentral riot riskified ritekit roaring robinhood roblox rocketchat rocketreach rollbar ronin rootly
    route4me rownd rubygems runpod runrun runway saladcloud salesblink salescookie salesflare salesforce
    salesloft salesmate salesmsg sambanova samsara sanity satismeter saucelabs savvycal scaleserp scaleway
    scalingo scalr scrapeowl scraperapi scraperbox scrapersite scrapestack scrapfly scrapingant scrapingbee
    screenshotapi screenshotlayer scrutinizer seam searchapi securitytrails seedr segment selectpdf sellfy
    semaphore semgrep semrush sendbird sendgrid sendinblue sendoso sentinelone sentry serpapi serper serphouse
    serpstack settlemint sezzle sharpspring sheety sherpadesk ship24 shipday shippo shipstation shodan shopee
    shopify shortcut shotstack shutterstock sidekiq sift signable signalwire signaturit signifyd signnow
    signupgenius sigopt siliconflow simfin similarweb simplesat simplynoted simvoly sinch sirv siteleaf skrapp
    skrappio skybiometry slack slackwebhook smartling smartsheet smartsheets smartystreets smile smooch
    snapchat snipcart snowflake snowtrace snyk socure softlayer solscan sonar sonarcloud sonarqube sonatype
    soundcloud sourcegraph sourcehut sparkpost speechmatics speechtext splunk splunkobservability spoonacular
    sportsmonk spotify sqreen squadcast square squarespace squareup sslmate stability stabilityai
    stackexchange stackhawk statsig statuscake statuspage statuspal stitchdata stockdata storecove stormboard
    stormglass storyblok storychief strapi strava streak stripe stripo stytch sugester sumo sumologic sumsub
    supabase supernotes supertokens survey2 surveyanyplace surveybot surveymonkey surveysparrow survicate svix
    swell swiftype tableau tailscale tallyfy tatum tavily tavus tawk taxjar teamcity teamgate teamwork
    teamworkcrm teamworkdesk technicalanalysis tefter telegram telesign teletype telnyx temporal tencent
    tencentmap termii terraform testflight testingbot testkube textmagic theoddsapi thetvdb thingsboard
    thinkific thousandeyes thunderforest thunderstore thycotic ticketmaster tickettailor ticktick tigris
    tiingo tiktok timecamp timescale timezoneapi tink tinybird tmdb tmetric todoist togetherai toggl tokeet
    tolgee tomorrowio tomtom trackingmore tradier trakt transferwise translator travelpayouts travis travisci
    trello trendmicro triggerdev truelayer truenas trulioo tumblr turbopuffer turso tvmaze twelvedata twilio
    twist twitch twitter tyntec typeform typesense typetalk ubidots uclassify unifyid unkey unleash unplugg
    unsplash upcdatabase upcloud uplead uploadcare upstage upstash uptimerobot upwave urlscan userflow
    userstack vagrantcloud valtown valueserp vapi vastai vatlayer vault vbout veracode vercel veriff verimail
    veriphone versioneye viber victorops viewneo vimeo virustotal visualcrossing vkontakte voiceflow voicegain
    voilanorbert volcengine vonage voodoosms vouchery voyageai vpnapi vultr vyte wakatime walkscore
    walletconnect wandb waqi warpstream weatherapi weatherbit weatherstack weaviate web3auth web3storage webex
    webflow webscraper webscraping websitepulse wechat weightsandbiases wellsaid wepay what3words whitesource
    whoop whoxy wise wistia withings wiz wolfram woocommerce woodpecker wordcab wordpress workato workday
    workos worksnaps workstack worldcoinindex worldweather wpe wpengine wrike xai xata xendit xmatters yahoo
    yandex yandexmaps yelp yodlee youneedabudget yousign youtube zai zapier zeabur zendesk zenkit zenrows
    zenscrape zenserp zeplin zerobounce zerossl zerotier zhipu zilliz zipapi zipbooks zipcodeapi zipcodebase
    zitadel zoho zohocrm zonka zoom zoomeye zoominfo zulip zuora zuplo
""")
