"""Names of issuers whose keys have no beginning of their own: only the name nearby tells them, as data."""

from __future__ import annotations

from mcpgov.core.operations.words import word_set

NAMES = word_set("""
    ably abstractapi abuseipdb abyssale accuweather activecampaign adafruit adafruitio adobe adyen adzuna
    aeroworkflow afterpay agora aha ahrefs ai21 ai21studio ai71 aikido airbrake airship airtable airvisual
    airwallex aiven akamai alchemy alconost alegra alethea algolia alibaba alibabacloud alienvault aliyun alloy
    allsports alpaca alphavantage amadeus ambee amplitude anthropic anypoint apacta api2cart apideck apiflash
    apifonica apify apilayer apim apimatic apimetrics apitemplate apollo appcenter appcues appfollow appointedd
    appoptics appsflyer appsynergy apptics apptivo arcjet artifactory artsy asaas asana assemblyai atera
    atlassian audd auth0 authress autodesk autoklose autopilot avazapp aviationstack aws axiom axonaut aylien
    ayrshare azure azuremaps azureopenai baidu bamboo bamboohr bannerbear baremetrics baseapi baseten beamer
    beebole belvo besnappy besttime betterstack bhlapi billomat binance bing bintray bitbar bitbucket
    bitcoinaverage bitfinex bitly bitmex bitpay bitrise bitstamp bittrex bitwarden blablabus blazemeter blitapp
    blockchair blocknative blogger bluejeans blynk bombbomb boostnote borgbase braintree branchio brandfetch
    braze brevo browserbase browserstack browseruse browshot bscscan buddyns budibase bugherd bugsnag builderio
    buildkite bulbul bulksms bunny bunnynet buttercms bybit caflou calcom calendarific calendly calorieninja
    campayn cannyio canva capsulecrm captaindata carbonblack carboninterface cartesia carto cashboard caspio
    censys centralstation centralstationcrm cerebras cexio chartmogul chatfuel checkio checklyhq checkout checkr
    checkvist cicero cielo circleci cisco ciscospark civo clarifai clay clearbit clearout clerk clickhelp
    clickhouse clicksend clickup cliengo clientary clinchpad clockify clockwork clojars closecrm cloudant
    cloudconvert cloudelements cloudflare cloudimage cloudinary cloudmersive cloudplan cloudsight cloudsmith
    cloudways cloverly cloze clustdoc cockroach cockroachlabs coda codacy codeclimate codecov codemagic
    codequiry coderabbit cognitive cohere coinapi coinbase coinlayer coinlib coinmarketcap commercejs companyhub
    composio configcat confluence confluent confluentcloud contentful contentstack conversiontools convertapi
    convertkit convex convier copper copyscape couchbase countrylayer courier coveralls coze craftmypdf
    crossmint crowdin cryptocompare currencycloud currencyfreaks currencylayer currencyscoop currentsapi cursor
    customerguru customerio cypress d7network dailyco dandelion dareboost databento databox databricks datadog
    datagov datastax debounce deepai deepgram deepl deepseek deepsource definednetworking delighted delivra
    demandbase demio deno deputy deribit detectify detectlanguage devcycle deviantart devin dfuse diffbot dify
    diggernaut digitalocean discogs discord disqus ditto dnscheck docker dockerhub docparser documo docusign
    doppler dotdigital dotmailer dovico dronahq drone droneci dropbox duffel duo duplocloud duply dwolla
    dynalist dynatrace dyspatch e2b eagleeye easyinsight easypost ebay ecostruxure edamam edenai eightxeight
    elastic elasticemail elasticsearch elevenlabs elevio enablex endorlabs enigma envoy equinix eraser ethereum
    etherscan ethplorer etsy eventbrite everhour exchangerate exoscale exportsdk extractorapi facebook
    faceplusplus fal falai fastforex fastly fastspring feedier fernet fetchrss fibery figma fileio finage
    financialmodelingprep findl finicity finnhub firebase firecrawl fireworks fixer fixerio flagsmith flatio
    fleetbase flexport flickr flightapi flightlabs flightstats flinks flowflu flowise flutterwave flyio fmfw
    forestadmin formbucket formcraft formio formsite forter foursquare frameio freemius freshbooks freshdesk
    freshservice friendli fulcrum fullcontact fullstory fxmarket gcp geckoboard gemfury gemini gengo geoapify
    geocodify geocodio geoipifi getemail getgeo getgist getresponse getsandbox ghost giphy gitea gitee github
    gitlab gitter gladia glassnode globalping gocanvas gocardless godaddy goodday google grafana graphcms
    graphhopper greptile groovehq groq gtmetrix guardian gumroad gyazo happyscribe harness harvest hashicorp
    hasura hcaptcha hcp heartland hellosign helpcrunch helpscout hereapi heroku hetzner hexpm highnote hiveage
    holidayapi honeybadger honeycomb html2pdf huawei hubspot huggingface humanity hunter hunterio hybiscus
    hypertrack ibm ibmcloud iconfinder iexapis iexcloud imagekit imagga improvmx infisical influx influxdb
    infobip infomaniak infracost infura inngest insightly instabot instagram instamojo instantly intercom
    interseller intra42 intrinio invoiceocean ionic ip2location ipapi ipdata ipgeolocation ipify ipinfo ipinfodb
    ipquality ipstack iterable jamf jenkins jfrog jina jira jiratoken jotform jumio jumpcloud jumpseller
    jupiterone juro kafka kagi kairos kairosapi kaleyra kanban kanbantool karmacrm keen keenio keycloak keygen
    kickbox kimi klarna klaviyo kling klingai klipfolio knapsackpro kontent kount kraken kubernetes kucoin kylas
    lacework langchain langfuse langsmith languagelayer laravel lark larksuite lastfm launchdarkly leadfeeder
    lemlist lemonsqueezy lendflow lessannoyingcrm lexigram lichess lighton linear linemsg linenotify linkedin
    linkpreview linode liveagent liveblocks livechat livekit livestorm llamacloud loadmill lob localstack
    locationiq loggly loginradius logz lokalise looker loyverse lunchmoney luno macaddress madkudu magicbell
    mailboxlayer mailchimp mailerlite maileroo mailersend mailgun mailjet mailmodo mailosaur mailsac mandrill
    mapbox mappedin mapquest marketstack mastra mattermost mavenlink maxmind meaningcloud mediastack meistertask
    mem0 meraki mercadopago mercury mergify mesibo messagebird metaapi metabase metrilo microsoft midtrans
    mindmeister minimax mintlify miro mistral mite mixcloud mixmax mixpanel mockaroo moengage mojohelpdesk
    mollie monday mongodb monkeylearn mono monzo moonclerk moonshot moosend moralis mrticktock mssql mux mx
    myfatoorah myfreshworks myintervals n8n nango nasa naver neo4j neon nessus nethunt netlify netsuite neutrino
    newrelic newsapi newscatcher nexmo nftport ngrok nicereply nightfall nimble noticeable notion novu nozbe npm
    nuget nugit numverify nutritionix nvidia nylas nytimes oanda octopus octopusdeploy okra okta okx ollama
    omnisend onedesk onelogin oneloginid onepagecrm onesignal onfido onfleet onwater oopspam openai opencage
    opencagedata openrouter openshift openuv openvpn openweather openweathermap opsgenie optimizely ory overloop
    ovh ovhcloud owlbot packagecloud packagist paddle pagerduty pandadoc pandascore pangea paperform paradigm
    paralleldots parsehub parseur particleio partnerstack passbase pastebin paydirt paymo paymongo paypal
    paystack pdflayer pdfshift pendo peopledatalabs pepipost percy permitio perplexity persona phpmailer pinata
    pinecone pingdom pinterest pipedream pipedrive pirsch pivotaltracker pixabay plaid planetscale
    planviewleankit planyo plivo podio polar pollinations pollsapi poloniex polygon polymarket portainer
    positionstack postageapi postageapp postbacks posthog postman postmark powrbot prefect privateai prodpad
    producthunt prospectcrm protocolsio proxycrawl pubnub pulumi purestake pushbullet pusher pushover pypi qase
    qualaroo qubole quickmetrics quicknode railway railwayapp rainforestpay ramp rapid7 rapidapi rawg razorpay
    reachmail readme realgeeks reallysimplesystems rebrandly recaptcha rechargepayments recurly reddit redshift
    refiner relic rentman repairshopr replicate replyio requestfinance resend restpack retell retellai revampcrm
    revolut ringcentral riot riskified ritekit roaring robinhood roblox rocketreach rollbar ronin rootly
    route4me rownd rubygems runpod runrun runway saladcloud salesblink salescookie salesflare salesforce
    salesloft salesmate salesmsg samsara sanity satismeter saucelabs scaleway scalr scrapeowl scraperapi
    scraperbox scrapersite scrapestack scrapfly scrapingant scrapingbee screenshotapi screenshotlayer
    scrutinizer seam securitytrails seedr segment selectpdf sellfy semaphore sendbird sendgrid sendinblue sentry
    serpapi serper serphouse serpstack settlemint sharpspring sheety sherpadesk shipday shippo shodan shopee
    shopify shortcut shotstack shutterstock sidekiq sift signable signalwire signaturit signifyd signupgenius
    sigopt siliconflow simfin simplesat simplynoted simvoly sinch sirv siteleaf skrapp skrappio skybiometry
    slack slackwebhook smartling smartsheet smartsheets smartystreets smile smooch snipcart snowflake snyk
    socure softlayer sonar sonarcloud sonarqube sourcegraph sparkpost speechtext splunk splunkobservability
    spoonacular sportsmonk spotify square squarespace squareup sslmate stability stabilityai stackexchange
    stackhawk statsig statuscake statuspage statuspal stitchdata stockdata storecove stormboard stormglass
    storyblok storychief strava streak stripe stripo stytch sugester sumo sumologic sumsub supabase supernotes
    survey2 surveyanyplace surveybot surveysparrow survicate svix swell swiftype tableau tailscale tallyfy tatum
    tavily tavus taxjar teamcity teamgate teamwork teamworkcrm teamworkdesk technicalanalysis tefter telegram
    telesign teletype telnyx temporal tencent terraform testingbot testkube textmagic theoddsapi thingsboard
    thinkific thousandeyes thunderstore thycotic ticketmaster tickettailor ticktick tigris tiingo timecamp
    timezoneapi tink tinybird tmdb tmetric todoist togetherai toggl tokeet tolgee tomorrowio tomtom tradier
    transferwise translator travelpayouts travis travisci trello trendmicro triggerdev truelayer truenas trulioo
    turso twelvedata twilio twist twitch twitter tyntec typeform typetalk ubidots uclassify unifyid unkey
    unleash unplugg unsplash upcdatabase upcloud uplead uploadcare upstage upstash uptimerobot upwave urlscan
    userflow userstack vagrantcloud valtown vapi vastai vatlayer vault vbout vercel veriff verimail veriphone
    versioneye viewneo virustotal visualcrossing vkontakte voiceflow voicegain volcengine vonage voodoosms
    vouchery voyageai vpnapi vultr vyte wakatime walkscore walletconnect wandb waqi warpstream weatherapi
    weatherbit weatherstack web3storage webex webflow webscraper webscraping websitepulse wechat
    weightsandbiases wepay whoxy wise wistia wiz wolfram woocommerce wordcab workato workday workos worksnaps
    workstack worldcoinindex worldweather wpengine wrike xai xata xendit yahoo yandex yelp yodlee youneedabudget
    yousign youtube zai zapier zendesk zenkit zenrows zenscrape zenserp zeplin zerobounce zerotier zhipu zipapi
    zipbooks zipcodeapi zipcodebase zoho zohocrm zonka zoom zulip zuora zuplo
""")
