"""Nouns of trades, as data: words that are never verbs, so that a name made of them and a reading head only looks.

Law: no word stands here that is also a verb in a tool's name (`water`, `dock`, `seat`): those are in `trade_verbs`.
"""

from __future__ import annotations

NOUNS = """
    abbey accountant acidity acre actuary acute adult advertiser airbag aircraft airfield airlock airspace aisle
    alkalinity alloy altar aluminium aluminum ambulance aml ammonia amperage ankle annual antenna antibiotic antique
    apartment appendix apple apples apron aquarium aquifer architect arena aria armor artery artifact asphalt
    asteroid asthma astronomer asylum athlete atlas attic autumn avalanche aviary axle baby bacteria badge badminton
    baggage bags baker bakery bales ballad ballet ballot bamboo banana bandwidth banker barcode bariatric barista
    barley barn barracks barrel barrels barrier bartender baseball basement basin basket basketball bathroom battery
    bauxite bay beam bearing bearings bed bedside bee beef beehive beer bees belt belts beverage bicycle bike bikes
    billboard biodiversity biologist birth bishop bistro biweekly blade blades blaster bleach blinds blood boarding
    boat boiler bolts bone bones bonus bookkeeper booth border borough botanist bottles bouquet boutique bread
    breaker brewer brewery bricks bride broccoli brochure building bulb bullion bumper buoy burial burner bus-stop
    bushel cabbie cabin cabinet cables cadaver cafeteria cake cakes calf caliber campground campsite canal cancer
    candidate candle canine canister canisters cannula canopy canteen canyon capital capsule captain car car-park
    caravan carbon carcass cardiac cardiology cargo carpenter carrier cartridge cashier casing casket cassette
    casting castle casualty cathedral catheter cattle cave ceiling cell cellar cemetery centre century ceramic
    cereal chair chalet chapel charity chassis cheesemaker chef chemical chemicals chemist chemistry chess chicken
    chickens child chimney chlorine choir cholesterol chronic church churn chute cinema circuit citizen civic
    classroom clay clergy client cliff clinic clinical clinician cloth cloud clutch coal coast cobalt cocktail cocoa
    coffee coffin coils coin coins cold collision colony columnist comet comic commercial commissary commodity
    commuter competitor compound compressor concert concerto concrete condo condominium conductivity conduit
    congregation constellation constituency consulate container cooler copper coral cord corn coroner corporate
    cotton couch council courthouse courtyard coverage cow cows crane crates creature creditor crew cricket crime
    criminal crops crossmatch crowd cruise ct cuisine cultural culture curfew customs cyclist cyclone cylinder
    cylinders dairy dam darts deacon debt debtor decade deck degree deli delta dental dentist depot desert detergent
    diagnostic diamond diaper diesel diet dinner dinosaur diocese diploma dishes distillery district dna documentary
    doll domestic donor door dorm dosage dough dress driller driver drone drought drugs drums duct dune earthquake
    eclipse eco ecologist economist ecosystem editorial egg eggs election electric electrician electricity electrode
    electron elevator embassy embryo emission emperor employee employer engine enzyme epidemic equipment equity er
    estate estuary ethnic evening exam expense explosive explosives eye fabric facility factory faculty fairway
    family fare farm farmer fashion faucet fertilizer fetal fetus fiber fibre fiction filament firearm fiscal
    fisheries fisherman fishery fitness flask flavor fleet flock flora florist flow flower flowers flue fluid foam
    foliage footage football foreign forest forestry forklift fossil foundation franchisee fraud freezer fridge
    fruit funeral furnace furniture fx galaxy gallery garage garden garment garments gasket gasoline gate gates
    gazette gears gemstone generation generic genome geologist geology geothermal geriatric giftcard glacier glass
    glasses global glove glucose gluten goat gold golf goods gourmet grain grammar granite grape grass gravel
    greenhouse grenade grid grocer grocery groundwater grower gst guard guardrail guest guild guitar gym gypsum
    habitat hair halal hallway harbor hardness hardware hay hazard headcount headend headline healthcare hearing
    heart helmet hen hepatic herb herd heritage highway hive hockey holiday honey hood horse hospice hospital hostel
    hot hotline household housing hull humidity hurricane hydrant hydro hymn icu igloo illness imam immigration
    immune inbound incision industrial infant infection influenza ingot inhibitor injury inmate inpatient insect
    institution insulin insurance insured interior interlibrary invertebrate investor invitee isbn island isotope
    janitor jersey jet jetty jewel jewelry journey judicial jury kettle kidney kiln kilometer kiosk kitchen kosher
    kyc labor laboratory lactose lake lamb lamp landfill landlord lane language laser laundry lawn lawyer league
    leather legal lender lens lenses lessee lettuce levee lever librarian library libretto life lifeguard lighthouse
    limb linen liner liquid liquor literature lithium liturgy liver livestock loaf lobster local locker locks
    locomotive lodging logistics longshoreman loom lot lots lottery lounge lunar lung machine machinery machinist
    magazine magnet maize mammal mansion manure marathon marble marina marine maritime marriage mason mast masthead
    material maternal mayor meadow meat mechanic medal medicine melody member membership mental merchandise merchant
    metal meteor meteorologist methane metro midnight midwife mileage military miner mineral minibar ministry minor
    missile mobile monastery money monsoon mood moon morgue morning mortality mortar mosque motel motorcycle
    motorist mountain mower mri municipal museum mushroom musician nails nasal national naval navy ndvi nebula
    needle neighborhood neonatal nets neutron newspaper nickel nitrate nitrogen noise noon notary novel novice
    nozzle nuclear nursery nut nutrient oak oar obituary occupancy occupant ocean offender office oil ointment olive
    opacity opera operator ophthalmology optician oral orchard orchestra orchid ore organ organic organism orphanage
    outage outbound outpatient oven overdue overseas overtime ownership oxygen oyster ozone pacemaker palace pallet
    pallets pandemic pantry parachute parcel parcels parish parishioner parking parliament particle parts passenger
    passport pasta pastor pastry pasture pathogen patisserie patroller patron pavement payee payroll peak peat
    pedestrian pediatric pension pensioner penthouse performer perfume pesticide petrol pharmacy phosphate photon
    physician physicist physics piano pier pig pigeon pigs pill pills pipe pipeline pipes piston pit pitcher pizza
    planetary plasma plastic plates platform platinum playbill playground plaza plumber plumbing plutonium podcast
    poem poet poker polar policyholder pollen pollution pond pony population pork portrait potato pots pottery
    poultry prairie prayer precinct pregnancy pressroom priest prison prisoner prize probation prom propane
    propeller prosthesis prosthetic proton province psalm pub publisher pulley pumps pupil puppy purchaser puzzle
    quark quarry quarterly quay rabbi rabbit radar radiator radio railroad rails railway rainfall ranch rancher rare
    reactor reader readership reagent realtor rebate receipt recipient recycling reef referee referral refugee
    regional rehab religious renal renewable renter reptile reseller reservoir residence resident residential resin
    restroom retail retailer retiree retirement ribbon rice rider rifle risk river road roadway robot rocket rod
    rods roof roofer rooftop rose rota rotor royalty rubber rug rugby runway rural sacrament safari safety sailor
    sails salad salary salinity salmon salon satellite sauce sauna sawmill scaffolding scalpel scholarship science
    scientist screenplay scripture sculpture sea seafood seam seasonal seating secondhand seedlings seeds seismic
    seller semester seminar senate senator senior septic sermon sewage sewer shaft shareholder shark sheep shelf
    shells sheriff shipper shoe shopper shore shrimp shutters sidewalk silk silo silver singer siren sitcom skater
    skeleton skin skipper skyscraper slab slag slate slope sludge snow snowboard soccer socket sofa soil solar
    soldier solvent sommelier sonata soprano soundtrack soup soybean spa spacecraft specimen spectrum speech spice
    spinal spindle sport sports spouse sprinkler squad stable stadium stairs stairwell stall statewide statistician
    statue steel stent stevedore stomach stones stope stormwater stove strait strawberry street studio submarine
    subscriber suburb subway sugar suite sulfur summer supermarket supper surge surgeon surgery surgical surplus
    surveyor sushi sutures swamp swimmer syllabus symphony synagogue synod syringe tabloid tailings tank tanker
    tanks tavern taxpayer tea technician teeth teller temple tempo tenancy tenant tennis terrain theater theatre
    theft theology therapist thermal thermostat thesis throat ticket tidal tide tides tiger tiles timber tin tire
    tires tissue titanium tobacco today toilet tomato tooth tornado tourism tourist tournament towel tower toxic toy
    tractor trailer trainee tram transformer traps traveler traveller tray treaty tree trees tribal tribe tribunal
    trimester trolley trophy tropical trousers trucker tsunami tubes tuition tumor tuna tundra turbidity turbine
    turkey turnout tv twin tyre tyres ultrasound umbilical undergraduate underwriter uniform university uranium
    urban urine urn utility vaccine valley valve valves van vascular vat vegan vegetable vehicle vehicles vein
    vendor venue vessel veteran veterinary vial vials vicar villa vin vineyard vintage vintner vinyl violin virus
    visa viscosity vitamin volcano volleyball voltage voter wafer wafers wage waiter walls ward warden wardrobe
    warhead wasp wasps waste wastewater waterway wattage wavelength wealth weapon weapons website wedding weeds
    weekday weekend weir welder well wells wetland whale wharf wheat wheel wheels wholesale wick widow wildfire
    wildlife window windows wine winery winter wireless wires wolf woman womb wood wool worker workforce workout
    workplace workshop wrist yacht yarn yeast youth zebra zinc zoning zoo zoologist
"""
# Closing a name without a verb they say that it only looks; all can be noted down or made as well.
READ_HEADS = """
    accuracy acreage advice advisories allergens allergies almanac altitude arrears assets assignments atlas
    attendance averages backlog benefits bracket brackets briefing briefings bulletins bylaws calendar calories
    capacity casualties census checklist checklists circulation codes comparables compatibility compliance
    composition comps conditions consumption contraindications coordinates counts courses credits criteria
    curriculum curve curves dashboard dashboards datasheet datasheets deadlines demographics density depth designs
    dimensions directory docket efficacy efficiency eligibility emissions encyclopedia enrollment estimates eta etd
    exposure faqs fares figures footage footfall footprint frequency genealogy gpa headcount heatmap heatmaps hours
    humidity imagery images incidence ingredients interactions kpi kpis levels liabilities library lifespan
    likelihood lineup listings location locations locator macros margins mileage moisture mortality notams nutrients
    occupancy odometer opening-hours outlook payables pedigree percentages photos popularity population precedents
    precipitation pressure prevalence probability productivity prognosis projections provenance quality rainfall
    ratings readership readiness receipts receivables records regulations remaining requirements reviews ridership
    runtime salaries scorecard scorecards seniority sightings specifications speed statutes stock swell syllabus
    symptoms tables tally tariffs telemetry temperature temperatures tenure throughput timetable timetables
    tolerances tracker turnover utilization vacancies vacancy vacancy-rate valuation variance viewership vitals
    volumes wages wait-times waiting-times whereabouts wind workload yield-curve
"""
# Things of the world, none of a drawing, a game or a program: who handles one cannot take it back.
PHYSICAL = """
    airbag airlock ankle axle bag baggage bags bale bales bandage barrel barrels barrier basket batter bearing
    bearings bee beehive bees belt belts bike bikes blade blades blanket bleach blinds blood bolt bolts bone bones
    bottle bottles bouquet brace breaker brick bricks bulb bumper buoy burner cabinet cable cables calf candle
    canister canisters cannula carcass cargo carpet cartridge casing casket catheter cattle ceiling cement chassis
    chemical chemicals chickens chimney chlorine chute clay cloth clutch coal coffin coils compost concrete cooler
    cord cotton couch cow cows crane crate crates crops cylinder cylinders dam detergent diaper diesel dishes ditch
    doll dough dress drug drugs drums duct dye electrode embryo equipment explosive explosives fabric faucet
    fertilizer fetus fiber filament flask flood flue fluid foam forklift freezer fridge fruit fuel furnace garment
    garments gas gasket gates glasses glove goods grain gravel grease grenade guardrail gun hair hammer hatch hay
    heart helmet hen hive hoist hood hose hull hydrant ice implant incision ingot inhibitor jacket jar kettle kidney
    kiln ladder lamb lawn leather leg lever lid limb lime liquid liver livestock locker locks locomotive loom lumber
    lung machinery magnet manure meat medicine metal mortar motor mower nails needle nets nozzle nut oar oil
    ointment ore organ oven oxygen oyster pacemaker pallet pallets parachute parcel parcels pasture pavement
    pesticide petrol piano pigs pill pillar pills pipe pipeline pipes piston plank plaster plates plow plumbing
    plutonium pole pond poultry powder propeller prosthesis pulley pump pumps radiator raft reactor reagent reel
    resin rifle rig rod rods rope rotor rubber rug saddle sail sails saw scalpel seedlings septic sewer shaft shoe
    shovel shutters skin slab slag sludge snow socket soil solvent specimen spindle splint sprinkler steel stent
    stove stump sutures swab syringe tank tanks tarp teeth throttle timber tire tires tissue tobacco tooth towel
    trailer traps trees trench tubes tumor turbine tyre tyres umbilical uranium urn vaccine valve valves van vat
    vehicle vehicles vein vial vials wafer wafers warhead wasp wasps waste wax weapon weapons weeds weir wells wheel
    wheels wick winch wine wires womb wool wound wreck yarn yeast
"""
