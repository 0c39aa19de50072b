"""Verbs of trades, as data: what people do in care, freight, law, farms, plants, kitchens, schools, banks, newsrooms.

Law: as in `vocabulary`: a word stands here because it means the same in any server's names; in doubt the stricter
class. What is done to people, bodies, goods on their way, ground, heat and contracts cannot be taken back: `execute`.
"""

from __future__ import annotations

# Verbs wherever they stand, by class.
SURE = {
    "read": """
    adjudge anticipate back-check canvass comprehend corroborate cost-out count-down cross-match cross-reference
    crosscheck crossreference decipher deduce disambiguate discern distinguish double-check doublecheck elucidate
    envision eyeball fathom figure-out find-out foresee geolocate glean grok guesstimate hindcast inquire itemise
    lemmatize listen look-ahead nowcast overhear peruse pinpoint ponder postulate pre-qualify pre-screen prequalify
    prescreen prognosticate quantise quantitate read-out recheck reckon recount reexamine reinspect resample
    resurvey retranslate scrutinise scrutinize size-up skim sniff spectate spot-check spotcheck subsample
    substantiate surmise surveil triangulate uncover understand unearth work-out
    """,
    "write": """
    abridge accession accrue adapt adorn alphabetise alphabetize amalgamate amortise amortize apportion arrange
    attend autofill binarize brighten capitalise capitalize caveat chart-out chronicle clock-off clock-on codify
    collate conform correct darken decorate deepen defragment demarcate denormalize denote depict depreciate
    desaturate deserialize designate deskew despeckle dewarp dilute discretize diversify dogear downsample earmark
    embellish embolden embroider emend enrich enter equalise equalize fictionalize fill-in formulate harmonise
    harmonize hyphenate illustrate impute indent interleave interlink italicize jot jot-down juxtapose lay-out
    lengthen lighten log-off log-on map-out mark-down mark-off mark-up memorialize narrow-down nickname notate
    note-down orient outdent overdub oversample paginate parameterize parametrize participate pencil-in perforate
    personalise personalize pixelate plan-out postpone pre-fill pre-plan prefill preplan prioritise prioritize
    provide punch-in punch-out punctuate quantize randomise randomize realign reallocate reassign recast
    recategorize reclassify recolour recompose recompute reconfigure redesign redraft redraw reframe regroup
    rehearse rehost relayer remap remaster remodel renormalize reorganise reorganize repack repaint reposition
    reprice reprioritize rescale reseat resequence reshape reshelve reshuffle reskin reslot restructure restyle
    retag retheme retime retitle retouch retype reupload rework rezone rightsize romanize rough-in saturate sculpt
    serialize sharpen shortlist smudge soften specify split-up stockpile subdivide symbolize synopsize systematize
    tabify tessellate tick-off tokenise touch-up transcode transliterate transpose typeset unflag unhighlight
    unlabel unmap unpack unpark unstage untick untrack upsample vectorise waitlist whiten widen write-down write-up
    """,
    "delete": """
    abrogate annihilate clear-out cross-out de-index deaccession defriend degauss deindex depublish efface eradicate
    exterminate extirpate rub-out scratch-out strike-out strip-out take-down throw-away throw-out uncache unfriend
    unindex unlist weed-out wind-down zero-out zeroize
    """,
    "execute": """
    administer dishonor fell shut-off abduct accost accredit adjourn adjudicate agree airlift aliquot allot ambush anesthetize anneal apologize
    appease apprehend arraign ask-out aspirate assassinate attest avow backwash bail-out baptize bargain barter beg
    beseech besiege bestow betroth blow-up boil bombard buy-out call-in call-out call-up cannulate carburize
    carry-out cash-in castrate cater catheterize cauterize cede certify chlorinate christen circumcise claw-back
    clawback coerce collateralize commandeer commend compel complain conciliate conduct confer confiscate
    congratulate conscript consecrate consent consign contravene convene convey counter-offer counteroffer
    crossbreed crowdfund curtail de-energize debark deburr decant dechlorinate declare deenergize defray defund
    degas dehorn deleverage delimb demagnetize denounce depalletize deplane deport depower depressurize depute
    derail dewater deworm dialyze disavow discharge disinfect disinherit disown divest dole douse dredge drop-ship
    dropship dun e-sign eavesdrop elect electrify electrocute electroplate elope emancipate embalm emplane encash
    energize enjoin enlist entrust eulogize euthanise excuse exfiltrate exhume exonerate expatriate expropriate
    extinguish extradite extubate flocculate fluoridate frack furnish galvanize garnishee give-away give-back greet
    grind haggle hand-down handcuff harvest headhunt hospitalize humidify hypothecate ignite immunise impeach
    implore impose impound incarcerate incinerate incise incubate indemnify infiltrate inform inoculate intercede
    invest ionize jump-start jumpstart kidnap kiln-dry lase lay-off leach legitimize let-off levy liquefy lubricate
    magnetize manumit marry mediate medicate mobilise mobilize narrowcast naturalize neuter neutralize nitride
    nominate notarise novate oppose ordain outbid outfit overbid overbook overdraw overrule oversell oxygenate
    pass-on pasteurize pawn pay-back pay-down pay-off paydown peddle pelletize perfuse phone-in pipette poach
    pollard pre-authorize pre-order preauthorize prebook preorder presell press-charges pressurize proclaim proffer
    promulgate propitiate prorogue publicise pulverize pump-out purvey quash quell quench rappel raze re-issue
    reach-out reap rebroadcast rebut recapitalize recompense recoup recuse redeliver redispatch redress refill
    refinance refloat refuel regift reheat rehire rehydrate reimpose reinsure reinvest reissue remand remarry
    remunerate renegotiate repatriate repossess reprieve reprimand resect resell reship resubmit retaliate retract
    reward rewire sabotage scarify scold scuttle secede securitize sell-off sell-short set-off settle-up ship-out
    shunt sign-for sign-over sinter solder solicit sous-vide spay speak-to speculate square-up stand-down sterilise
    sterilize stipulate stoke stonewall strafe subcontract sublease sublet subrogate subsidise summon supply swear
    swindle talk-to telegraph telephone televise telex thresh tip-off tithe titrate top-off tranquilize transact
    transfuse tranship transload transship turn-over unberth uncouple underwrite undock unload unmoor unveil unwind
    upsell vaporize ventilate vindicate vinify vulcanize waylay wean wed weld whelp whistleblow winnow wiretap
    write-off write-to
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
    gauge guess judge meter proof quiz scout screen sense spot study tally triage vet witness
    """,
    "write": """
    roll blur caption catalogue choreograph crate cue discount etch feather fold footnote glaze keyframe knit layout
    master number pack phrase polish preset proportion rack recap remix roster sequence shade sketch smooth stencil
    storyboard stow subtitle supplement tailor tint title underline watermark weight wireframe writedown
    """,
    "delete": """
    axe bin blank melt obsolete pulp scratch sunset takedown toss zero
    """,
    "execute": """
    bottle cash port advocate anchor appeal arbitrage assault audition autoclave autopay bail bake bale barge biopsy bleed blockade
    bomb bore breed butcher buyback buzz catch centrifuge chargeback charter chill commission comp compost contact
    contest contract cook cremate cuff cure decree deed dispute divorce dock dose drill dye escort escrow ferry fine
    fish flare float foal forge foster franchise freight frisk fry garnish graduate graft graze grill grip guarantee
    hatch hitch hoist implant inter interview jam jog lance launder layoff leak leverage license loan lobby
    make-over massage microchip milk mill mine mold mortgage mulch nurse operate parole patent patrol payback payoff
    picket pilot pitch plant plaster poke polygraph premiere probate proctor protest pump pursue raft raid ram
    ransom requisition rescue ring rivet roast rollover sail sanction scald scram seat sentence shear shoot short
    siphon smoke spike sponsor strike subpoena suture sweep tackle tan thank till torch torpedo torque tour
    transplant transport trap trawl treat trip truck tutor undertake vend vent veto volunteer warrant water webcast
    weed whisper winch wound writeoff
    """,
    "admin": """
    embargo jail lockout root sandbox
    """,
}

# Of these, what is done with hands and machines: nobody does it to a report, a map or a timetable (`mine_map`).
BODILY = """
    anchor bake bale barge bleed bomb bore bottle breed butcher catch centrifuge chill compost cook cremate cure dock
    dose drill dye ferry fish flare float foal forge foster freight graze grill hatch hoist implant jam lance massage
    milk mill mine mold mulch nurse patrol pilot plant port pump raft rescue ring roast sail seat shear smoke spike
    suture sweep tan till torch torpedo tour transplant transport trap truck trawl vend vent volunteer water weed winch
    wound loan mortgage license patent interview tutor webcast franchise layoff biopsy auction fire spray feed sow land
    drive taxi ship lease rent park blast catalogue fine tax
"""


def table(rows: dict[str, str]) -> dict[str, str]:
    """Each word of the rows with its class."""
    return {word: kind for kind, text in rows.items() for word in text.split()}
