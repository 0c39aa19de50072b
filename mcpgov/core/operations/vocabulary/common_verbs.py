"""Everyday English verbs, as data: each by what it does where nothing else is known about its object.

Law: as in `verbs`: in doubt the stricter class; what other people notice is `execute`. `verbs` and `trade_verbs`
know the words of tools and of trades; a word that they know does not stand here.
"""

from __future__ import annotations

# Verbs wherever they stand, by class.
SURE = {
    "read": """
    acquaint adduce ascertain b64decode b64encode base64-decode base64-encode believe cogitate compare-to consider
    construe contemplate crosswalk debate deem define deliberate delineate delve demangle demodulate deobfuscate
    destructure detokenize differentiate dig-into dig-up discriminate discuss disprove elicit empathize enquire
    envisage fact-find factcheck find-all forage gaze grasp hear heed hexdump imagine imply interrelate intuit know
    leaf-through lex look-at look-into look-through lookahead lookback match-up meditate muse page-through pathfind
    peep perceive pore preflight presume prettyprint prove pry readback readout realize reanalyze reappraise
    reassess recognise recognize recollect reconnoiter reconnoitre reevaluate reminisce reread rescan rethink
    reverify reverse-image ruminate scour scroll-through search-for seek-out sieve sift sleuth snoop study-up sum-up
    suspect tally-up test-connection theorize thumb-through track-down unescape unfurl unscramble unshorten
    urldecode urlencode view-all vlookup weigh-up wonder zoom-into
    """,
    "write": """
    abbreviate accentuate acclimate accommodate accumulate adjoin aggrandize amass ameliorate anglicize assort
    attribute attune autoformat autosave backspace backtrack blacken bookend bring-forward broaden bump-version
    center centralize coauthor colour commence comment-out compartmentalize complement complicate conceptualize
    conclude conjoin conjugate convolve counterbalance cross-link crosslink cut-out debounce decentralize declutter
    decompose decouple dedent deduct deemphasize deform dehyphenate delimit denoise densify deselect devise dictate
    displace distort doodle downmix downscale dramatize elaborate elide ellipsize elongate emboss encapsulate encase
    encircle enclose endnote engrave entangle epitomize evolve exaggerate excerpt exclude expound fasten fill-down
    fill-out finish-up flesh-out formalize freehand fullscreen generalise generalize heighten hone hyperlink iconify
    idealize imitate implement improvise include individualize infill inlay instill intensify interchange interject
    interlace internalize intersect intertwine interweave invent jazz-up jumble justify keep key-in lerp lighten-up
    line-up lowercase magnify maintain mark-complete mark-done mark-read mark-unread metamorphose mimic miniaturize
    minify misplace modulate morph name-file neaten negate obscure ornament overtype page-back page-forward pair-up
    perfect perpetuate photoshop polarize posterize precompute predefine preface prerender preserve prettify
    procrastinate proportionate put-away quadruple quicken rasterize ratchet re-add re-tag readd readjust rebin
    rebind recalculate recalibrate recenter recentre rechristen recode recombine recommence reconceive reconstruct
    recopy recreate recrop redecorate redefine redouble reduce reedit reexport refile refinish reflow refold
    reformat reformulate regenerate regularize rehash reimport reinforce reinitialize reinsert reinterpret rejoin
    rejuvenate relink remesh reorient repaginate reparse replot repopulate reprocess reproduce reproject rerecord
    reroll resave respell restack restitch resync retab retarget retexture retrace reweight rewrap roughen round-off
    scrawl scribble scroll-down scroll-up self-assign set-aside smoothen snip solidify spell-out spruce-up
    standardise step-into step-out step-over straighten streamline strikethrough stylize subclass subtotal
    superimpose supersede switch-tab symmetrize texturize thicken tile time-block timeblock timebox transfigure
    transmute twirl unblur unbold unbookmark unbox uncap uncheck uncollapse uncomment uncompress uncrop undelete
    undim unfilter unfocus unindent uninvert unloop unmerge unminify unnest unpivot unqueue unselect unshuffle
    unsnooze unsort unstack unstash untangle untar untoggle unvote upcase uppercase vary word-wrap wordsmith
    zero-pad zoom-in zoom-out
    """,
    "delete": """
    ablate abscise behead blot-out bulk-delete cast-aside chuck clean-out close-permanently cut-away decimate
    deep-clean deface delete-all denude depopulate destruct devour ditch drop-all empty-out erase-all eviscerate
    expurgate garbage-collect get-rid hard-remove kill-off lop mass-delete mop-up omit opt-delete perma-delete
    permadelete prune-all purge-all rip-out root-out shut-account snuff stamp-out strike-off sweep-away sweep-up
    throwaway trash-all trim-off unclutter undefine unfile unrecord unremember unsave unstore untrain unwrite
    wash-away wipe-all wipe-out zero-fill
    """,
    "execute": """
    abet accede acclaim accuse adjure adulterate affirm affront agitate allege amuse annoy antagonize apologise
    applaud approach argue assail assent assist assure atone auto-buy auto-post auto-respond autobuy autodial
    autopost autopublish autotrade avenge badger banter beckon belittle berate betray bid-on broach bulk-send bully
    burgle buy-in cajole cancel-order celebrate chastise chide chip-in chip-off circulate co-host co-sign coax
    cold-email collude commiserate communicate compete concur condone confess confide congregate conspire contend
    contradict converse convince cooperate correspond counter-sign counteract countermand crosspost-to deceive
    defame defend deflect defraud defy deluge demoralize denigrate deplore deride despatch direct-message
    directmessage disagree disappoint disapprove discipline discourage discredit disgrace disobey disparage dispel
    displease dispossess disrupt dissent dissuade distress disturb dole-out double-book downsize dupe e-mail
    embarrass encourage encroach endanger enlighten enrage entice entrap entreat evade evangelize exasperate
    excommunicate exhort explode extort fast-track file-for fire-off flatter flee fling flirt flog foist foment fool
    forewarn forgive forswear front-run frustrate fund-raise fundraise give-notice goad gratify grieve gripe grumble
    hand-deliver harangue harass haunt heckle hector hoodwink hurl impel implicate imprison incentivize incite incur
    indoctrinate indulge infect infest inflict infringe insinuate inspire interfere intimidate invade irk irritate
    jeer jeopardize jilt kick-start kickstart lambast lampoon lavish leaflet let-go liaise libel liberate lull
    mail-merge maim malign manhandle meddle menace misinform mislead molest mourn muster nag obey oblige offend
    oppress orate outlay outmaneuver outplay outsell outvote overcharge overdial overrun overspend overthrow
    overwhelm pacify parlay parley patronize pelt perpetrate persecute persuade pester phish placate pontificate
    pray preempt profess profiteer propagandize proposition proselytize provoke punish purloin push-notify
    pushnotify rant ravage re-book re-deploy re-engage re-publish re-run re-send re-share reassure rebel rebook
    rebuff reciprocate redrive rejoice remarket remonstrate renege rent-out reorder-item repel replay-events
    reproach request-money request-payment request-ride resent reshare retort retransmit ridicule rob robocall
    robodial rouse sadden satirize schmooze scoff seduce self-destruct self-publish sell-out shill shoplift
    short-sell shout shove shun skirmish slay smash smite snatch sneer snitch socialize soft-launch soothe spank
    speak-with spearhead squander stab stalk starve stop-payment strand strangle subdue subjugate suffocate
    super-like supplicate swat sweet-talk swipe-left swipe-right tantalize tarnish tattle taunt telemarket
    teleoperate tempt terrify terrorize text-message thrash thwart tickle toss-in trample traumatize trounce
    undermine undersell unhold usher usurp vandalize vex victimize vilify violate vote-for weaponize whack wheedle
    wire-money wire-transfer woo wrangle wrestle write-check write-cheque
    """,
    "admin": """
    air-gap airgap apt-get auto-scale banhammer blackhole block-list boot-up bounce-server chgrp chkconfig chroot
    co-opt cold-boot coldboot de-authorize debrick defederate defrag delicense depermission deregulate disallow
    disempower dnf-install empower enthrone factory-reset failsafe fdisk forbid force-logout fsck gatekeep geo-block
    geoblock graylist greenlist greylist hard-reboot hardreset hotplug lock-down mkfs modprobe netboot overprovision
    passwd power-reset power-save re-auth re-key re-provision recredential reenroll rehydrate-node relicense remount
    renice repave repower roll-key rotate-key rotate-keys scaledown scaleup set-uid soft-reboot spin-down spindown
    spinup swapoff swapon sysctl systemctl take-ownership unauthorize unblacklist unblocklist unfederate unlicense
    unroot unsandbox untrust upscale-node upsize useradd userdel usermod visudo warm-boot warmboot wol
    """,
}

# As often nouns: verbs only in front of an object, and only if the name has no other verb.
NOUN_LIKE = {
    "read": """
    checksum clue comb fingerprint fuzzy glance glimpse hunt md5 notice regex semver sha256 spy stocktake tldr
    whiff
    """,
    "write": """
    alias alternate angle arc array asterisk backdrop banner bar baseline bold brush bubble bullet bunch checkpoint
    chop circle coil collage condition contour copyedit couple cross dash default diagram diary ditto dot double
    ease edge fade figure filename flair fragment gloss glow grayscale greyscale grow halo handwrite imprint incline
    ink inline intro kern ladder laminate lasso loop markup matte memo monogram notch offset pan pattern pencil
    photograph pivot portray ripple shadow shortcut silhouette skew slant slim slot snap spiral spline spread
    stagger staple streak stress stroke structure stub subheading subset suffix superscript swirl taper theme thin
    tilt timestamp tone triple tuck tween twist vignette voiceover wallpaper wiggle zigzag
    """,
    "delete": """
    gc gut rid
    """,
    "execute": """
    abuse aid alarm bait bang bark battle beat bell bite blackmail bluff boast bother boycott breach broker bruise
    burden buyout caution champion chant chase cheat cheer comfort compliment counter cover crack cross-sell curse
    dare debut detour drip duel employ exile exploit fight finance flank force gamble gossip grab hack harm herald
    hit hound hug hurt hustle impact insult jab joust kickoff kiss knock lash live-stream loot lure march marshal
    massacre mob mug murder oversee partner plague plunder post-bail praise prank promise quarrel race raffle rally
    rebuke resist retreat revolt riot sack sacrifice salute scam scare scorn scream shame shop shuttle slam slap
    sling smear snipe snub spotlight steal sting stop-loss storm struggle surprise swarm target tease torment
    torture trick triumph troll umpire urge venture volley welcome whip whistle worship wreck yell
    """,
    "admin": """
    curb cutover limit police trust
    """,
}
