"""Verbs of trades, as data: what people do in care, freight, law, farms, plants, kitchens, schools, banks, newsrooms.

Law: as in `verbs`: a word stands here because it means the same in any server's names; in doubt the stricter
class. What is done to people, bodies, goods on their way, ground, heat and contracts cannot be taken back: `execute`.
"""

from __future__ import annotations

# Verbs wherever they stand, by class.
SURE = {
    "read": """
    adjudge anticipate back-check canvass comprehend corroborate cost-out count-down cross-match cross-reference
    crosscheck crossreference decipher deduce demonstrate disambiguate discern distinguish double-check doublecheck
    elucidate envision eyeball fathom figure-out find-out foresee geolocate glean grok guesstimate hindcast inquire
    itemise lemmatize listen look-ahead nowcast overhear peruse pinpoint ponder postulate pre-qualify pre-screen
    prequalify prescreen prognosticate quantise quantitate read-out recheck reckon recount reexamine reinspect
    resample resurvey retranslate scrutinise scrutinize size-up skim sniff spectate spot-check spotcheck subsample
    substantiate surmise surveil triangulate uncover understand unearth work-out
    """,
    "write": """
    abridge accession accrue adapt adorn affix alphabetise alphabetize amalgamate amortise amortize apportion
    arrange attend autofill beautify binarize brighten capitalise capitalize caveat chart-out chronicle clarify
    clock-off clock-on codify collate conform correct cross-list darken decorate deepen defragment delay demarcate
    denormalize denote depict depreciate desaturate deserialize designate deskew despeckle dewarp dilute discretize
    diversify dogear downsample earmark embellish embolden embroider emend enrich enter equalise equalize
    fictionalize fill-in formulate harmonise harmonize hyphenate illustrate impute indent interleave interlink
    italicize jot jot-down juxtapose lay-out lengthen lighten log-off log-on lower map-out mark-down mark-off
    mark-up memorialize mend narrow-down nickname notate note-down orient outdent overdub oversample paginate
    parameterize parametrize participate pencil-in perforate personalise personalize pixelate plan-out postpone
    pre-fill pre-plan prefill prep preplan prioritise prioritize prorate provide punch-in punch-out punctuate
    quantize randomise randomize realign reallocate reassign recast recategorize reclassify recolour recompose
    recompute reconfigure redesign redraft redraw reframe regroup rehearse rehost relayer remap remaster remodel
    renormalize reorganise reorganize repack repaint reposition reprice reprioritize rescale reseat resequence
    reshape reshelve reshuffle reskin reslot restructure restyle retag retheme retime retitle retouch retype
    reupload rework rezone rightsize romanize rough-in saturate sculpt separate serialize sharpen shortlist smudge
    soften specify split-up stockpile strategize sub-divide subdivide symbolize synopsize systematize tabify
    tessellate tick-off tokenise touch-up transcode transliterate transpose typeset unflag unhighlight unlabel unmap
    unpack unpark unstage untick untrack upsample vectorise waitlist whiten widen write-down write-up
    """,
    "delete": """
    abrogate annihilate clear-out cross-out de-index deaccession defriend degauss deindex depublish efface eradicate
    exterminate extirpate rub-out scratch-out strike-out strip-out take-down throw-away throw-out uncache unfriend
    unindex unlist weed-out wind-down zero-out zeroize
    """,
    "execute": """
    abduct absolve accompany accost accredit acidify acupuncture adjourn adjudicate administer admonish agree
    airlift aliquot alkalize allot ambush anesthetize anneal apologize apostille appease apprehend arraign ask-out
    aspirate assassinate attest avow backwash bail-out baptize bargain barter bathe befriend beg beseech besiege
    bestow betroth blanch bleach bless blow blow-down blow-up boil bombard bulldoze bury buy-back buy-out call-back
    call-in call-out call-up cannulate carbonate carburize carry-out cash-in cast-off castrate catalyze cater
    catheterize cauterize cede censure certify chaperone chastize chlorinate christen circumcise claw-back clawback
    coerce cold-call collateralize commandeer commend compel complain conciliate conduct confer confiscate confront
    congratulate conscript consecrate consent consign contravene convene convey counter-offer counterclaim
    counteroffer court-martial cross-examine crossbreed crowdfund crystallize curtail de-energize de-ice deadhead
    debark debone debride debrief deburr decant dechlorinate declare deenergize defray defund degas dehorn
    dehumidify dehydrate deice deleverage delimb delouse demagnetize denounce deorbit depalletize deplane deport
    depower depressurize depute derail desalinate descale desensitize detoxify dewater deworm dialyze disavow
    discharge dishonor disinfect disinherit disown dissect distil distill divest divulge dole douse dredge drop-off
    drop-ship dropship dun e-sign eavesdrop elect electrify electrocute electroplate elope emancipate embalm
    embezzle emplane emulsify encash endow energize enjoin enlist entertain entrust erect escheat eulogize euthanise
    excuse exfiltrate exfoliate exhume exonerate exorcise exorcize expatriate expropriate extinguish extradite
    extubate fell ferment filibuster flocculate fluoridate fly-out frack furnish galvanize garnishee give-away
    give-back give-out greet grind haggle hand-down hand-out handcuff harvest headhunt homogenize honor hospitalize
    humidify hypnotize hypothecate ignite immunise impeach implore impose impound impregnate inaugurate incarcerate
    incinerate incise incubate indemnify induce induct infiltrate inform infuse inoculate insulate intercede
    introduce invest invigilate ionize irradiate jump-start jumpstart kidnap kiln-dry lase lay-off leach legislate
    legitimize let-off levy liquefy litigate lubricate magnetize mail-out manumit marinate marry mediate medicate
    microwave mobilise mobilize mollify monetize muzzle narrowcast naturalize neuter neutralize nitride nominate
    notarise novate officiate oppose ordain outbid outfit overbid overbook overdraw overpay overrule overseed
    oversell oxidize oxygenate pass-on pasteurize pawn pay-back pay-down pay-in pay-off paydown peddle pelletize
    penalize perfuse phone-in phone-up pick-up pierce pipette plea-bargain pluck poach pollard polymerize
    pre-authorize pre-order preach preauthorize prebook preorder presell press-charges pressurize privatize proclaim
    proffer promulgate propitiate prorogue publicise pulverize pump-out purvey quash quell quench rappel raze
    re-issue reach-out reap rear rebroadcast rebut recapitalize recompense recondition recoup recuse redeliver
    redispatch redress refill refinance refloat reforest refrigerate refuel regift rehabilitate reheat rehire rehome
    rehouse rehydrate reimpose reinsure reinvest reissue relinquish remand remarry remunerate renegotiate renounce
    repatriate replant repossess reprieve reprimand repudiate requeen resect reseed resell resettle reship resubmit
    resurface retaliate retract reupholster reward rewire ring-up rinse sabotage sandblast scarify scold scuttle
    secede securitize sell-off sell-short send-off send-out set-off settle-up ship-back ship-out shunt shut shut-off
    sign-for sign-over sinter slander solder solicit sous-vide spay speak-to speculate spray-paint square-up
    stand-down sterilise sterilize stipulate stoke stonewall strafe stun sub-let subcontract sublease sublet
    subrogate subsidise summon supply swear swindle talk-to tame teach telegraph telephone televise telex threaten
    thresh tip-off tithe titrate top-off trade-in tranquilize transact transfuse tranship transload transship
    turn-over unberth unclog uncouple undercut underpay underwrite undock unhitch unionize unload unmoor unveil
    unwind upsell vaporize ventilate vindicate vinify vow vulcanize waylay wean wed weld whelp whistleblow winnow
    wiretap write-off write-to
    """,
    "admin": """
    authorise banish blackball bring-down bring-online bring-up clamp-down cut-off deauthorise debar decertify
    defrock deplatform derestrict dethrone disbar disenfranchise disenrol disenroll disqualify enfranchise enrol
    entitle fail-back fail-over failback federate geofence instate interdict jailbreak kick-out let-in lock-in
    lock-out oust outlaw overclock re-enable reactivate reappoint recertify recommission reenable reflash reimage
    repartition reprovision shadowban sideload swear-in switch-over sysprep take-offline underclock unenrol unjail
    unquarantine unseat vote-out
    """,
}

# As often nouns: verbs in front of an object; before a noun that only tells (`ferry_timetable`) they are nouns.
NOUN_LIKE = {
    "read": """
    gauge guess judge meter proof quiz scout screen sense study tally taste triage vet
    """,
    "write": """
    blur box budget caption catalogue choreograph crate cue discount etch feather fold footnote glaze journal
    keyframe knit layout master number pack phrase polish preset proportion rack recap remix reverse roll roster
    sequence shade sketch smooth stencil storyboard stow subtitle supplement tailor tint title underline watermark
    weight wireframe writedown
    """,
    "delete": """
    axe bin blank melt obsolete pulp scratch sunset takedown toss zero
    """,
    "execute": """
    advocate anchor appeal arbitrage assault audition autoclave autopay bail bake bale bandage barge biopsy bleed
    blockade bomb bore bottle brace braid brand breed brief brine buff butcher buyback buzz carve cash catch caulk
    cement centrifuge chargeback charter chauffeur chill clamp coach coat commission comp compost compound contact
    contest contract cook counsel cremate crush cuff cure decree deed demand dispute dive divorce dock dose drill
    dust dye escape escort escrow exhibit ferry fine fish fit flare float flood foal forge foster franchise freight
    frisk fry fuel garnish glue graduate graft graze grill grip groom guarantee hatch heat hem herd hitch hoist ice
    implant inter interview iron jam jog juice lance launder layoff leak lecture leverage license loan lobby
    make-over mash massage mentor microchip milk mill mine mold mortgage mulch nurse oil operate parole patent
    patrol payback payoff perm picket pickle pilot pitch plant plaster poison poke polygraph port premiere prime
    probate proctor protest pump pursue raft raid rake ram ransom requisition rescue ride ring rivet roast rollover
    sail salt sanction scald scram seat section sentence shampoo shave shear shelter shock shoot short siphon smoke
    soak spam spar spike splint sponsor staff stain stone strike subpoena suture sweep tackle tan tar tattoo tax
    thank thatch till torch torpedo torque tour trail transplant transport trap trawl treat trip truck tutor
    undertake varnish vend vent veto volunteer warrant wash water wax webcast weed whisper winch witness wound
    writeoff
    """,
    "admin": """
    embargo jail lockout mandate root sandbox
    """,
}
# Of these, what is done with hands and machines: nobody does it to a report, a map or a timetable (`mine_map`).
BODILY = """
    anchor bake bale bandage barge berth biopsy blast bleed bomb bore bottle box brace braid brake brand breed brew
    brine budget buff butcher carve catalogue catch caulk cement centrifuge chauffeur chill clamp coach coat compost
    cook counsel cremate crush cure dive dock dose drill drive dust dye escape exercise exhibit feed ferry fire fish
    flare float flood foal forge foster freight fuel glaze glue graze grill groom harvest hatch haul heat hem herd
    hide hoist ice implant interview iron irrigate jam juice lance land lecture lift mash massage mentor milk mill
    mine mold moor mow mulch nurse oil paint park patrol pawn perm pickle pilot plant poison port pour prime pump
    raft rake refill refuel rescue ride ring roast sail salt scaffold seat shampoo shave shear shelter shock smelt
    smoke soak sow spar spike splint spray spray-paint staff stain stamp stone suture sweep tan tar taxi thatch till
    torch torpedo tour tow trail train transplant trap trawl trip tutor unload varnish vend vent volunteer wash
    water wax webcast weed weld winch wound
"""
