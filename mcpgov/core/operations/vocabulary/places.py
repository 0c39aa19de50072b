"""Where a plain change is more than a write, as data: the place is a word of the tool's name or of its server's.

Law: a product stands in the row of what it is for (showing to everybody, moving money, running machines, letting
people in), never because of one of its tools.
"""

from __future__ import annotations

from mcpgov.core.operations.words import word_set as _set

# Where everybody looks on.
_SOCIAL = _set("""
    twitter linkedin facebook instagram reddit youtube tiktok mastodon bluesky threads pinterest medium substack
    wordpress ghost devto hashnode tumblr snapchat weibo vk buffer hootsuite producthunt hackernews x vimeo
    dailymotion
    twitch rumble bilibili douyin xiaohongshu zhihu quora stackoverflow lemmy pixelfed peertube soundcloud bandcamp
    mixcloud flickr behance dribbble deviantart blogger patreon kofi gumroad yelp tripadvisor glassdoor trustpilot
    nextdoor craigslist nostr farcaster warpcast lens misskey pleroma peertube wattpad letterboxd goodreads strava
    beehiiv forum discourse phpbb publer later sproutsocial metricool buzzsprout transistor libsyn podbean appstore
    playstore testflight
    itch steamworks social instagrapi rss
""")
_SHOWN = _set("""
    post posts video videos photo photos story stories reel reels thread article articles media image status pin
    short shorts update carousel poll ad episode reply clip clips content note blog share podcast build binary comment
    track album tweet skeet cast toot link topic topics answer question
""")
# Where whatever is said is heard.
_CHATS = _set("""
    irc slack teams discord telegram whatsapp mattermost rocketchat zulip matrix googlechat webex lark feishu dingtalk
    wechat kakao viber messenger imessage signal xmpp chat
""")
# Where whoever uploads publishes.
_REGISTRIES = _set("""
    npm pypi crates cratesio rubygems nuget maven dockerhub ghcr quay ecr gcr acr hex packagist cocoapods conda
    anaconda
    marketplace openvsx twine huggingface chromewebstore snapcraft flathub
""")
_RELEASED = _set("release releases package packages version image images artifact crate gem wheel dist tag extension")
# Where a hand would act.
_HANDS = _set(
    "browser playwright puppeteer selenium page desktop mobile adb appium xdotool webdriver stagehand cdp gui"
)
_HANDLED = _set("""
    file files dialog alert prompt popup checkbox radio option options element upload field form date text box
    dropdown
    mouse cursor pointer slider
""")
_BUILDS = _set("""
    gitlab github gh circleci jenkins bitbucket netlify vercel railway heroku render fly buildkite amplify travis
    actions drone woodpecker teamcity bitrise codemagic appveyor semaphore coolify dokku cloudrun beanstalk
""")
# What moves, heats or switches something of the world.
_DEVICES = _set("""
    gpio modbus plc opcua serial uart can canbus ros ros2 robot robots drone octoprint cnc arduino tesla roomba bacnet
    knx actuator servo relay relays prusa bambu klipper moonraker raspberrypi esp32 roborock irobot dreame rachio
    gripper thermostat-relay mavlink px4 dji scada dnp3 siemens rockwell beckhoff fanuc kuka opentrons linuxcnc
    marlin grbl
""")
# Who may come in: identities, keys, networks, filters, endpoints under management.
_RIGHTS = _set("""
    okta auth0 entra azuread keycloak cognito ldap iam vault secretsmanager keyvault crowdstrike intune jamf onelogin
    jumpcloud duo ufw iptables firewalld pfsense fortigate wazuh cisco juniper arista junos nxos huawei ubiquiti
    edgeos vyos authentik authelia zitadel clerk workos fusionauth
    pingidentity sailpoint cyberark freeipa kerberos wireguard openvpn tailscale zerotier headscale twingate netbird
    pihole adguard nextdns opnsense paloalto panos sophos mikrotik routeros openwrt fail2ban crowdsec suricata snort
    sentinelone zscaler netskope kandji mosyle hexnode opa infisical doppler akeyless nftables sudoers activedirectory
    kms pam selinux apparmor
""")
# How machines run.
_HARDWARE = _set("""
    ec2 ecs eks rds elb ebs autoscaling vsphere vmware esxi proxmox istio linkerd nomad hypervisor kvm lxc meraki
    unifi
    nsg registry regedit bios systemd launchd sysctl netplan libvirt virsh qemu virtualbox hyperv xen ovirt openstack
    nutanix truenas unraid synology qnap ceph zfs lvm mdadm idrac ipmi ilo redfish linode vultr lightsail hetzner
    digitalocean scaleway haproxy traefik caddy nginx envoy kong apigee cpanel plesk swarm wp wpcli snap flatpak lxd
    incus portainer elasticache
    aurora cloudsql alb nlb
""")
_KEPT = _set("""
    tag tags snapshot snapshots backup backups dashboard dashboards note notes comment comments label labels metric
    metrics alarm alarms report reports query queries item items login folder folders document documents file files
    project
""")
_SETTING = _set("""
    create add update modify set change put patch write replace register associate disassociate attach detach
    configure
    toggle start stop pause resume confirm revert restore repair shift move clone apply bind unbind link seal unseal
    import mount unmount edit upsert assign unassign resize rollback migrate define undefine connect disconnect init
    commit mask unmask refresh reload evict allocate
""")
# Who answers for a name.
_NAMING = _set("""
    route53 namecheap godaddy gandi porkbun dnsimple powerdns cloudflare clouddns bind dns akamai fastly cloudfront
    bunny
""")
_NAMED = _set("""
    record records recordset zone zones nameserver nameservers rule rules ruleset setting settings distribution
    origin service property redirect
""")
# What customers of a running product get to see.
_FLAGS = _set("launchdarkly flagsmith unleash statsig configcat optimizely growthbook split feature featureflag flags")
# Money: banks, cards, exchanges, brokers, wallets.
_MONEY = _set("""
    stripe braintree adyen square paypal venmo cashapp zelle revolut monzo starling wise n26 qonto mercury brex ramp
    dwolla gocardless mollie razorpay paystack flutterwave mpesa klarna payoneer worldpay sumup bank banking treasury
    lithic marqeta coinbase kraken binance bitfinex bybit okx gemini kucoin hyperliquid dydx uniswap aave compound
    lido
    curve metamask phantom gnosis ledger solana ethereum evm bitcoin btc eth lightning lnd opensea alpaca ibkr
    robinhood etrade schwab tastytrade tradier oanda mt5 mt4 zerodha upstox webull polymarket kalshi fidelity wallet
    broker brokerage savings pot pots margin defi jupiter raydium pancakeswap nft portfolio fund polygon arbitrum base
""")
_MONEY_VERBS = _set("""
    move adjust convert open close split propose increase decrease raise lower reduce allocate reallocate fund round
    wrap unwrap bridge provide enter exit migrate harvest settle set start stop enable update modify list
""")
_SUMS = _set("""
    position positions leverage margin collateral stop stops stoploss limit liquidity money funds pot pots balance
    savings cash transaction tx order orders loan vault nft token tokens sale grid bot dca stop-loss take-profit
    autoinvest recurring roundup roundups exposure
""")
# Parcels and their carriers.
_CARRIERS = _set("""
    shipstation shippo easypost fedex ups usps dhl royalmail aftership sendcloud packlink shipbob flexport shipping
    courier lalamove shipengine pirateship dpd gls hermes
""")
_STORES = _set("""
    amazon walmart instacart doordash ubereats grubhub ebay etsy shop store cart grocery deliveroo justeat gopuff
    chipotle starbucks dominos mcdonalds opentable resy toasttab zepto swiggy zomato blinkit target costco kroger
    tesco shopee lazada mercadolibre aliexpress
""")
# Listings that buyers see.
_MARKETS = _set("ebay etsy amazon opensea facebook marketplace craigslist airbnb vinted depop poshmark mercari zillow")
# What brings a repository's state to a running system.
_ROLLOUTS = _set("flux argocd spinnaker harness octopus crossplane tekton gitops fluxcd argo fleet keel")
# Engines whose queue makes them work, and pay, at once.
_ENGINES = _set("""
    comfyui stablediffusion sd midjourney replicate runpod fal slurm pbs lsf sagemaker databricks emr dataproc glue
    batch celery sidekiq rq bullmq modal kubeflow ray
""")
_ANY = frozenset[str]()
# (places, verbs, their objects, objects that stay writes, operation there); no verbs or objects: any.
PLACES = (
    (
        _SOCIAL,
        _set("create add upload post schedule make share new write set"),
        _SHOWN,
        _set("playlist draft"),
        "execute",
    ),
    (_CHATS, _set("say post speak announce quote"), _ANY, _ANY, "execute"),
    (_SOCIAL, _set("comment post reblog boost repin"), _ANY, _ANY, "execute"),
    (_SOCIAL, _set("subscribe"), _set("patreon substack"), _ANY, "execute"),
    (_REGISTRIES, _set("upload push add create tag deprecate release"), _RELEASED, _ANY, "execute"),
    (
        _HANDS,
        _set("upload attach accept dismiss choose pick check uncheck tick paste enter select toggle move set"),
        _HANDLED,
        _ANY,
        "execute",
    ),
    (_set("cron crontab"), _set("add create set install schedule edit update write"), _ANY, _ANY, "execute"),
    (
        _BUILDS,
        _set("create update set add upsert put edit"),
        _set("variable variables var vars env config"),
        _ANY,
        "admin",
    ),
    (_STORES, _set("checkout reorder relist cancel"), _ANY, _ANY, "execute"),
    (
        _MARKETS,
        _set("list relist create add update publish end"),
        _set("nft item listing listings property"),
        _ANY,
        "execute",
    ),
    (
        _DEVICES,
        _set("""
        write set move start stop put toggle turn open close home jog pause resume go boost lower raise takeoff navigate
        """),
        _ANY,
        _ANY,
        "execute",
    ),
    (
        _set("deployment deployments kubectl k8s kubernetes rollout helm"),
        _set("set update patch"),
        _set("image images replicas env resources"),
        _ANY,
        "execute",
    ),
    (_ROLLOUTS, _set("sync reconcile resume refresh apply abort update retry"), _ANY, _ANY, "execute"),
    (
        _ENGINES,
        _set("queue enqueue submit start create resume prompt"),
        _set("prompt job jobs task prediction workflow training run generation step"),
        _ANY,
        "execute",
    ),
    (
        _CARRIERS,
        _set("create make add generate schedule cancel void print buy update"),
        _set("label labels parcel pickup shipment manifest consignment delivery order return"),
        _ANY,
        "execute",
    ),
    (_MONEY, _MONEY_VERBS, _SUMS, _ANY, "execute"),
    (
        _FLAGS,
        _set("toggle update set create enable disable turn-on turn-off change patch edit"),
        _set("flag flags toggle toggles rollout feature features rule rules gate"),
        _ANY,
        "admin",
    ),
    (_NAMING, _SETTING, _NAMED, _ANY, "admin"),
    (_RIGHTS, _SETTING, _ANY, _KEPT, "admin"),
    (_HARDWARE, _SETTING, _ANY, _KEPT, "admin"),
)
