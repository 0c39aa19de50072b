"""What verbs become with the things of a trade, as data: papers others are bound by, people, plant, goods on their way.

Law: as in `verb_objects`, whose rows come first: a row here counts only where none of those does.
"""

from __future__ import annotations

from mcpgov.core.operations.vocabulary import trade_nouns

# People who are affected by an act, by their trades.
PEOPLE = """
    adjuster agency alumni applicant applicants athlete athletes attorney authorities beneficiary bidder bidders
    borrower broker captain caregiver carrier chef child children citizens claimant clerk coach commander
    congregation consignee constituents contractor contractors courier creditors crew debtor defendant dentist
    detective diners doctor donor editor embassy executor faculty family fans farmer firefighters grower heir
    homeowner homeowners householder shopper shoppers patron patrons occupant occupants renter renters rider riders
    motorist cyclist trespasser trespassers intruder employer retailer wholesaler distributor publisher advertiser
    inmate inmates inspector insurer intern investor investors journalist judge juror jurors jury kitchen landlord
    lawyer lender lessee listeners media midwife neighbors neighbours nominee nurse nurses officer officers
    parishioners passenger passengers pharmacist pharmacy physician pilgrims plaintiff police policyholder press
    prisoner prisoners prosecutor public pupils relatives reporter resident residents responders sailors
    shareholder shareholders shipper skipper soldiers sponsor sponsors squatter squatters subcontractor suspect
    suspects surgeon surgeons tenants traveler travelers traveller travellers troops trustee undertaker union
    unions victim victims viewers visitor visitors volunteer volunteers voters waiter widow winner winners witness
    witnesses worker workers foreman crewmember customs ranger rangers lifeguard orphan refugee refugees migrant
    cattle herd horse horses animal animals dog dogs cat cats pet pets calf sheep pig pigs
"""
# Papers that bind or reach others once they are issued.
PAPERS = """
    10k 1099 8k advisory affidavit amendment apology appeal appeals application applications bail bankruptcy bond
    bonds brief bulletin certificate certificates charges check checks cheque cheques citation citations claim
    claims clearance complaint complaints correction coupon coupons credit debenture declaration decree deed degree
    denial deportation diploma disclosure dispute disputes dividend dividends divorce eviction exemption extension
    fine fines flightplan gift-card gift-cards giftcard grievance grievances indictment injunction invoice invoices
    judgment judgement
    lawsuit lawsuits letter letters licence licences license licenses lien liens loan loans manifest mandate
    mortgage motion motions nda notam notice notices objection order orders ordinance paperwork papers parole pass
    passes passport passports patent patents payment payments penalty permit permits petition petitions plea
    pleading policies prescription probate prospectus rebuttal recall receipt referral referrals refund refunds
    retraction return returns rma ruling sanction sanctions shares subpoena subpoenas suit summons tariff tax taxes
    testament ticket tickets ultimatum verdict visa visas voucher vouchers w2 w9 waiver warning warnings warrant
    warrants will writ report reports extradition
"""
# Plant besides that of `verb_objects`: what moves, heats, presses or flows.
PLANT = """
    aerator auger autopilot ballast bilge blower boom breaker breakers bulldozer burner carousel chiller chairlift
    chopper conveyor crusher cyclotron dam damper derrick digester distiller dredger drawbridge dryer escalator
    excavator extruder feeder ferris floodgate floodgates forklift fryer grinder hatch hoist injector jackhammer
    kiln laser lift loom milker mixer nozzle pasteurizer penstock plow presses propeller radar reactor rig rigs
    robot-arm roller rudder saw scrubber sluice smelter spillway sterilizer substation thruster thrusters trawler
    treadmill turret vat vault wellhead winch windlass windmill xray x-ray seeder thresher separator defibrillator
    linac stove grill smoker tank rollercoaster
"""
# Goods and carriers on their way, and what is in the air, at sea or on the road.
MOVING = """
    aircraft ambulance airplane barge boat bus cab cargo caravan cargoes consignment container convoy drone ferry
    fleet freight helicopter jet jets locomotive locomotives luggage baggage lorry mission missile parcel
    plane satellite ship shipment shipments spacecraft submarine taxi tanker trailer train trains tram truck trucks
    tug vessel vessels rocket
"""
_LIVING = """
    blood plasma platelets organ organs tooth teeth tumor tissue specimen biopsy venom embryo semen sperm urine
    marrow kidney stitches sutures
"""
_DRUGS = """
    anesthesia antibiotic antibiotics antidote bolus chemo chemotherapy dose doses drug drugs exam injection
    insulin iv medication medications medicine morphine oath oxygen serum shot sacrament sedative test therapy
    transfusion treatment vaccine vaccines
"""
_GROUNDS = "road roads runway border borders lane lanes airspace bridge beach track crossing strait canal tunnel mine"
_VISITS = """
    surgery procedure appointment appointments viewing viewings visit visits tour tours haircut exam checkup
    inspection interview interviews delivery pickup flight class lesson lessons consultation fitting hearing
    funeral wedding ceremony collection sailing massage session
"""
_OFFICES = "heir beneficiary successor trustee admin agent guardian proxy executor deputy leader captain"

ROWS: tuple[tuple[str, list[tuple[str, str]]], ...] = (
    ("issue", [("token tokens credential credentials badge badges key keys password passcode clearance", "admin")]),
    ("file issue serve lodge reissue", [(PAPERS, "execute")]),
    ("file", [("plan flight grievance reports probate", "execute")]),
    ("serve", [("meal meals food drink drinks dinner lunch breakfast dessert table ad ads " + PEOPLE, "execute")]),
    (
        "report",
        [
            (
                "member player user users incident incidents crime abuse fraud accident outbreak theft violation "
                "violations "
                "death spill outage stolen lost hazard scam spam bully harassment fire leak absence injury income "
                "adverse emergency misconduct neighbor suspect infringement",
                "execute",
            )
        ],
    ),
    ("return", [("item items merchandise goods package rental deposit purchase product products book", "execute")]),
    ("board", [("passenger passengers vessel train flight plane ship bus guests", "execute")]),
    ("ground", [("flight flights fleet aircraft plane pilot", "execute")]),
    ("pass fail", [("student students inspection vehicle law sentence judgment candidate ordinance", "execute")]),
    ("page contact", [(PEOPLE, "execute")]),
    ("administer", [(_DRUGS, "execute")]),
    ("schedule arrange", [(_VISITS + " transport catering loan marriage burial cremation transfer", "execute")]),
    ("open close", [("account safe locker", "execute")]),
    ("raise lower", [("alarm anchor flaps gear flag crane barrier gate bridge " + PLANT, "execute")]),
    ("open close reopen block unblock clear", [(_GROUNDS, "execute")]),
    ("start stop open close set adjust increase decrease change halt begin resume toggle", [(PLANT, "execute")]),
    ("move divert redirect reroute load hold delay recall scramble", [(MOVING + PEOPLE, "execute")]),
    ("move", [("patient money prisoner inmate cattle herd troops", "execute")]),
    ("load", [("torpedo cannon weapon magazine kiln", "execute")]),
    ("extract remove", [(_LIVING, "execute")]),
    ("collect take draw", [(_LIVING + " rent debt debts payment toll fare fares deposit", "execute")]),
    ("give", [(_DRUGS + " notice testimony refund consent tip blood", "execute")]),
    ("make", [("arrest donation appointment pledge", "execute")]),
    ("recall", [("workers staff ambassador toys meat food item items drug device devices implant", "execute")]),
    ("test", [("soil water sample samples blood air strength hypothesis purity urine", "read")]),
    ("clear", [("takeoff landing customs check checks cheque building patient premises " + MOVING, "execute")]),
    ("drop", [("anchor payload charges student lawsuit bomb", "execute")]),
    (
        "terminate void dismiss retire expel",
        [
            (
                "employee employees contract contracts lease leases tenancy agreement agreements employment staff "
                "check cheque ticket tickets sale label case charges lawsuit class student students partnership "
                + PEOPLE,
                "execute",
            )
        ],
    ),
    ("evict", [("tenant tenants occupant family " + PEOPLE, "execute")]),
    ("lock unlock", [("vault cell ward safe locker room hangar", "admin")]),
    ("fly", [("drone mission aircraft plane helicopter sortie", "execute")]),
    ("cut", [("power tree trees timber hair supply grass hay", "execute"), ("check cheque", "execute")]),
    ("pull", [("trigger tooth alarm permit plug", "execute")]),
    ("pick", [("crop crops fruit grapes apples cotton", "execute")]),
    ("hold", [("hearing auction election ceremony vote trial wedding funeral service", "execute")]),
    ("settle", [("case lawsuit dispute bet tab bill account estate claim debt", "execute")]),
    ("name designate nominate", [(_OFFICES, "admin")]),
    (
        "reject decline deny accept withdraw",
        [(PAPERS + " student plea bid tender job applicant parole visa proposal nomination resignation", "execute")],
    ),
    ("renew extend", [("lease passport permit visa membership insurance policy warranty stay credit", "execute")]),
    (
        "register",
        [
            (
                "voter voters vehicle student patient death patent boat gun copyright land deed participant attendee "
                "guest guests mortgage charity copyrights vessel lien will",
                "execute",
            )
        ],
    ),
    ("enter", [("bid plea race contest tournament lottery raffle contract", "execute")]),
    ("record", [("deed lien mortgage", "execute")]),
    ("post", [("bail bond vacancy collateral margin", "execute")]),
    (
        "conduct carry-out",
        [("search survey analysis audit review check research assessment inspection study experiment", "read")],
    ),
    ("provide furnish", [(PEOPLE + " customer client patient court regulator testimony", "execute")]),
    (
        "apply",
        [
            (
                "job loan visa scholarship mortgage benefits asylum citizenship grant bail license permit tourniquet "
                "bandage fungicide lime manure insecticide sedation torque sealant",
                "execute",
            )
        ],
    ),
    ("impose lift", [("curfew ban lockdown embargo restriction restrictions", "admin")]),
    ("declare", [("variable variables type function constant", "write")]),
    (
        "grant",
        [
            (
                "loan scholarship bail parole visa asylum extension refund pardon wish leave degree award patent "
                "injunction divorce amnesty continuance",
                "execute",
            )
        ],
    ),
    ("relay", [("order orders kitchen crew instruction instructions distress", "execute")]),
    ("alert warn remind nudge quote invoice ping text email message credit debit bill", [(PEOPLE, "execute")]),
    ("consent", [("sharing data access tracking", "admin")]),
    ("harvest", [("data links emails urls metadata", "read")]),
    ("weld", [("vertices mesh edges points", "write")]),
    ("enter", [("password passcode pin", "execute")]),
    ("cancel abort", [(_VISITS + " show concert performance lease insurance permit policy license launch", "execute")]),
    ("release", [("prisoner inmate hostage water funds cargo insects balloon", "execute")]),
    ("adjust", [("dosage dose medication ventilator", "execute")]),
    ("shoot", [("photo photos video film picture", "write")]),
    ("screen", [("record share", "write")]),
    ("treat", [("data value values null", "write")]),
    (
        "place put take bring pull drop lift hold turn restrain release separate wake group feed",
        [(PEOPLE + " patient patients guest student students player players", "execute")],
    ),
    ("start stop", [(MOVING, "execute")]),
    (
        "apply hold split post reverse adjust capture amend",
        [("payment payments funds deposit refund payout charge charges transaction transactions", "execute")],
    ),
    ("advise", [(PEOPLE + " client clients customer customers patient", "execute")]),
    ("air", [("episode show commercial segment ad ads interview program programme story spot", "execute")]),
    ("stream", [("game live service event match concert", "execute")]),
    ("print", [("edition newspaper tickets run banknotes", "execute")]),
    ("house", [("refugees refugee inmate inmates family", "execute")]),
    ("reinstate", [("user account member employee player license policy privileges", "admin")]),
    ("expedite", [("order orders shipment delivery claim visa", "execute")]),
    ("strip", [("search " + PEOPLE, "execute")]),
    ("roll", [("camera cameras film", "execute")]),
    ("stop", [("cheque check payment payments", "execute")]),
    ("board", [("dog dogs cat cats pet pets horse horses", "execute")]),
    ("light", [("boiler fire fuse candle candles stove burner pilot", "execute")]),
    ("point", [("telescope antenna laser gun cannon", "execute")]),
    ("task", [("satellite drone drones crew team", "execute")]),
    ("deal", [("card cards hand", "execute")]),
    ("eject tail", [(PEOPLE, "execute")]),
    ("serve", [("process", "execute")]),
    ("renew extend", [(PAPERS, "execute")]),
    ("reject", [("paper papers manuscript", "execute")]),
    ("raise increase lower decrease", [("limit limits cap caps", "admin")]),
    ("enroll enrol", [("student students course courses class pupil", "execute")]),
    ("start stop", [("press presses ride", "execute")]),
    ("bind", [("policy coverage insurance", "execute")]),
    ("authorize authorise", [("repair repairs work treatment procedure surgery burial", "execute")]),
    ("evacuate", [("building pit area floor ward mine stadium district town beach school", "execute")]),
    ("upgrade", [("room seat guest passenger ticket cabin", "execute")]),
    ("check-out check-in", [("patron book books loaner " + PEOPLE, "execute")]),
    ("place", [("request requests order bet bid call ad hold loan", "execute")]),
    ("freeze unfreeze", [("membership billing subscription assets embryo", "execute")]),
    ("take", [("xray x-ray mri ct biopsy deposit", "execute")]),
    ("stamp", [("passport visa", "execute")]),
    ("amend", [("return filing contract lease order will", "execute")]),
    ("collect", [("waste garbage rubbish refuse", "execute")]),
    ("substitute", [(PEOPLE + " player players", "execute")]),
    ("thaw freeze", [("sample samples specimen embryo tissue plasma", "execute")]),
    ("list", [("resale consignment", "execute")]),
    ("dump", [(trade_nouns.PHYSICAL, "execute")]),
    ("arrange", [("date dates", "execute")]),
    ("dump flush drain empty", [("tank load cargo waste fuel ballast water ash main pipe pool", "execute")]),
    ("open close", [("hydrant tap faucet stopcock", "execute")]),
    ("lock unlock", [("port gates block turnstile cabinet drawer turbine machine bike bikes " + PLANT, "admin")]),
    (
        "override",
        [("trip block interlock limit limits alarm hold signal lock warning safety alert policy control", "admin")],
    ),
    ("set take bring put mark", [("offline online", "admin")]),
    ("extend end", [("rental rentals tenancy lease ride trip auction strike hire", "execute")]),
    ("perform", [("surgery cesarean operation autopsy biopsy ritual ceremony procedure transplant", "execute")]),
    ("start begin", [("processing lot production brewing irrigation dialysis", "execute")]),
    ("apply", [("cast splint ointment glue varnish", "execute")]),
    ("cut", [("key keys cord hedge branch meat", "execute")]),
    ("pick", [("lock locks pocket", "execute")]),
    ("track", [(MOVING + " driver courier baggage luggage", "read")]),
    ("shut-off", [("server vm machine computer router", "admin")]),
)
