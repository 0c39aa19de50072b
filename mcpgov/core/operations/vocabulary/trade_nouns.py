"""Nouns of trades, as data: words that are never verbs, so that a name made of them and a reading head only looks.

Law: no word stands here that is also a verb in a tool's name (`water`, `dock`, `seat`): those are in `trade_verbs`.
"""

from __future__ import annotations

NOUNS = """
    abbey academy accent accessory accident accordion accountant ache acid acidity acorn acre acrobat actress
    actuary acute adapter addict adhesive adult advertiser aerial aerosol afternoon airbag airbase aircraft airfare
    airfield airline airlock airplane airspace airstrip airway aisle albumen alcohol alga algae algebra alibi
    alkalinity alley alligator alloy almond alphabet alpine altar altimeter aluminium aluminum alumni amber
    ambulance amenity aml ammo ammonia ammunition amoeba amp amperage amphibian ampoule amusement anatomy ancestor
    anchovy anecdote anemia angel animal ankle annex anniversary annual annuity antelope antenna anthem anthology
    anthropology antibiotic antidote antique antler anvil anxiety aorta apartment aperture apiary apparatus apparel
    appendix appetite apple apples appliance apricot apron aquarium aqueduct aquifer arcade archaeology archbishop
    archipelago architect arena aria armor aroma arsenal arson artery arthritis artifact artillery artisan asbestos
    asparagus asphalt aspirin asteroid asthma astrology astronomer asylum athlete athletics atlas atmosphere atoll
    atom attic attorney aubergine auditorium aurora autumn avalanche avenue aviary avocado axis axle baby bacon
    bacteria bacterium badge badminton bagel baggage bagpipe bags baker bakery balcony bales ballad ballet balloon
    ballot ballpark ballroom bamboo banana bandwidth banjo banker bankruptcy banquet baptism barbecue barcode
    bariatric barista baritone barley barn barometer baron barracks barrel barrels barricade barrier bartender
    baseball basement basil basin basket basketball bass bassoon bathroom bathtub baton battery bauxite bay bazaar
    beach beam bean beard bearing bearings beast beaver bed bedding bedroom bedside bee beef beehive beer bees
    beetle beetroot belfry belt belts berry beverage bib biceps bicycle bike bikes billboard billiards biochemistry
    biodiversity biography biologist biology biomass biometric bird birth biscuit bishop bison bistro biweekly
    blackberry blade blades blaster blinds blizzard blood blouse blueberry boar boarding boat bobsled bodega boiler
    bolts bone bones bonfire bonnet bonsai bonus bookkeeper bookshop bookstore booth border borough botanist bottles
    boulder boulevard bouquet boutique bowel boxer bracelet brain brandy brass bread breaker brewer brewery bricks
    bride brigade broccoli brochure bronze brook broth brother brunch buffalo buffet building bulb bullion bullock
    bumper bungalow buoy bureau burger burglary burial burner bushel butterfly cabbage cabbie cabin cabinet cables
    cactus cadaver cadet cafe cafeteria cake cakes calcium calculus calf caliber camel campground campsite campus
    canal canary cancer candidate candle canine canister canisters cannula canoe canopy canteen canyon capital
    capsule captain car caramel caravan carbon carcass cardboard cardiac cardigan cardinal cardiology cargo caribou
    carnival carol carpenter carriage carrier carrot cartel cartilage cartoon cartridge case cashew cashier casing
    casino casket cassette casting castle casualty catalyst catalytic caterpillar catfish cathedral catheter cathode
    cattle cauliflower cavalry cave cavern cavity ceiling celebrity celery cell cellar cello cellphone cellulose
    celsius cemetery centimeter centre century ceramic cereal ceremony chair chalet chameleon champagne chandelier
    chapel chapter charcoal chariot charity chassis chateau cheddar cheek cheese cheesemaker cheetah chef chemical
    chemicals chemist chemistry cherry chess chestnut chicken chickens chickpea child chili chimney chimpanzee china
    chlorine chocolate choir cholesterol chord chorus chrome chromosome chronic church churn chute cider cigar
    cigarette cinema cinnamon circuit circus cirrus citadel citizen citrus civic civilian clam clarinet classical
    classroom clay clergy client cliff clinic clinical clinician cloak cloth cloud clove clover clown clutch cnc
    coal coast cobalt cobweb cockpit cocktail cocoa coconut cod coffee coffeehouse coffin cognac coils coin coins
    cold collision colon colonel colony colt columnist combat comedy comet comic commercial commissary commodity
    commuter companion competitor composer compressor concert concerto concrete condo condom condominium
    conductivity conduit congregation conifer constellation constituency consulate container convent converter
    cookie cooler copper copyright coral cord corduroy cork corn coroner corporate corridor corrosion cosmetic
    costume cottage cotton couch cougar council courthouse courtyard cousin coverage cow cows coyote crab craftsman
    cranberry crane crater crates crayon creature creditor crescent crew cricket crime criminal crocodile croissant
    crops crossmatch crossroad crossword crowd cruise cruiser crypt crystal ct cub cucumber cuisine cultural culture
    cumin cupboard curfew currant custard customs cutlery cyan cyber cyclist cyclone cylinder cylinders cymbal
    cypress dagger dairy daisy dam dandelion darts dawn daycare daylight deacon dean debt debtor decade deck deer
    defect deficit degree deli delta demography denim dental dentist dentistry deodorant depot dermatology desert
    desk dessert detective detergent deuterium diagnostic dialect diameter diamond diaper diaphragm dictator diesel
    diet dining dinner dinosaur diocese dioxide diploma diplomacy diplomat dipstick disability disco discotheque
    dishes distillery district dna doctrine documentary dogma doll dollar dolphin domestic donkey donor door doorway
    dorm dormitory dosage dough dragon dragonfly dress driller drilling driver driveway drone drought drugs
    drugstore drumkit drums duchess duct duke dune dungeon dusk duvet dwelling dynamite eagle ear eardrum earring
    earthquake ebony eclipse eco ecologist ecology ecommerce economics economist ecosystem editorial eel egg
    eggplant eggs elbow elder election electric electrician electricity electrode electron elevator elk ellipse elm
    embassy ember embryo emerald emergency emission emperor employee employer emporium enamel enchilada enclosure
    endocrine enemy engine envoy enzyme epic epidemic epilepsy equator equinox equipment equity er era espresso
    estate estuary ethanol ethics ethnic etiquette eucalyptus evening evergreen exam excise executive exodus exotic
    expense explosive explosives expo eye eyebrow eyelash eyewear fable fabric facade facility factory faculty
    fairway faith falcon family fare farm farmer fashion faucet fault fauna feast fern fertilizer festival fetal
    fetus fiance fiber fibre fiction fiddle fiesta fig filament fir firearm firefighter fireplace firewood fireworks
    fiscal fisheries fisherman fishery fitness fjord flamingo flannel flask flavor fleece fleet flesh flock flora
    florist flour flow flowers flue fluid flute foam foliage folklore footage football forearm foreclosure forehead
    foreign foreman forensic forest forestry forklift fortnight fortress fossil foundation foundry fountain foyer
    franchisee fraud freckle freezer freshman freshwater friar fridge friend friendship frog fructose fruit fugitive
    funeral fungus furlong furnace furniture fx galaxy galleon gallery gallon gamma garage garden garlic garment
    garments garnet gasket gasoline gastric gate gates gazebo gazelle gazette gears gem gemstone generation generic
    genetic genetics genome geologist geology geometry geothermal geriatric giant giftcard ginger giraffe girl
    glacier gland glass glasses glee glider global glove glucose gluten gnome goalie goalkeeper goat goblet goggles
    gold goldfish golf golfer goods goose gorilla gospel gourmet governor grain grammar grandfather grandmother
    granite grape grapefruit grass gravel gravity gravy greenhouse grenade greyhound grid griddle grief grocer
    grocery grotto groundhog groundwater grower gst guard guardrail guava guerrilla guest guild guitar gulf gull
    gutter gym gymnasium gymnast gynecology gypsum habitat haddock hair halal halibut hallway halogen hamburger
    hamlet hamster handbag handball handicap handicraft handkerchief hardness hardware harp hatchet haven hay hazard
    hazelnut headache headcount headend headlight headline headquarters headset healthcare hearing heart hearth
    heath hedgehog heifer heirloom helium helmet hemisphere hemp hen hepatic hepatitis herb herbarium herbicide
    heritage hero heron herring hexagon highway hiker hill hillside hippo hive hoa hobby hockey holiday homeroom
    homework honey honeymoon hood hoof horizon hormone hornet horse horseradish hospice hospital hostel hot hotdog
    hotline hourglass household housing hull humidity hummingbird humor hurricane hybrid hydrant hydro hydrogen
    hyena hygiene hymn hyphen hysteria iceberg icu idol igloo iguana illness imam immigration immune inbound inch
    incision industrial infant infantry infection influenza ingot inhibitor injury inland inlet inmate inn inpatient
    insect institution insulin insurance insured intellect interior interlibrary intestine invertebrate investor
    invitee ion iris ironwork isbn island isle isotope ivory ivy jacuzzi jade jaguar janitor jasmine javelin jaw
    jawbone jazz jeans jeep jelly jellyfish jersey jet jetty jewel jewelry jockey journey judicial jug juggler
    jungle junior juniper jurisdiction juror jury kangaroo karate karma kayak kebab keel kennel kerosene ketchup
    kettle keyhole khaki kidney kiln kilogram kilometer kilowatt kingdom kiosk kitchen kite kitten kiwi knee koala
    kosher kyc lab laboratory lactose lagoon lake lamb lamp landfill landlord landmark landscape lane language
    lantern laptop larva lasagna laser latitude laundry lava lavender lawn lawyer league leather ledger legal legend
    legion legume lemon lemonade lender lens lenses lentil leopard lessee lettuce leukemia levee lever librarian
    library libretto lichen lieutenant life lifeguard ligament lighthouse lilac lily limb limestone limousine limpet
    linen liner lion lip liqueur liquid liquor literature lithium liturgy liver livestock lizard llama loaf lobster
    local locker locket locks locomotive locust lodging logistics lollipop longitude longshoreman loom loss lot
    lotion lots lottery lotus lounge loyalty lunar luncheon lung lynx lyric macaroni machete machine machinery
    machinist mackerel magazine magma magnesium magnet magnolia mahogany maid maize malaria mallet mammal mammoth
    manganese mango mangrove manor mansion mantle manure manuscript maple marathon marble margarine marigold marina
    marine maritime marjoram marmalade marriage marsh mascara mascot mason masonry mast masthead material maternal
    matinee mattress mausoleum mayonnaise mayor meadow measles meat meatball mechanic medal medallion medicine
    medieval melody melon member membership membrane memoir memorial menopause mental menthol merchandise merchant
    mercury mermaid metal meteor meteorologist methane metro metropolis microbe microphone microscope midfield
    midnight midwife migraine mileage military milkshake millet miner mineral minibar ministry minnow minor minute
    miracle missile mitten mobile molar molecule monarch monastery money monk monsoon monument mood moon moose
    morgue morning mortality mortar mortuary mosaic mosque mosquito moss motel moth motif motorcycle motorist
    motorway mountain mousse moustache mouth mower mri muffin mule municipal mural museum mushroom musician mussel
    mustang mustard mutton mythology nails napkin narcotic nasal nation national nationality nausea naval navy ndvi
    nebula neck necklace nectar nectarine needle neighborhood neonatal nephew nerve nets neuron neutron newspaper
    nickel niece nightclub nightmare nitrate nitrogen noise noodle noon nostril notary nougat novel novice nozzle
    nuclear nursery nut nutmeg nutrient nylon oak oar oasis oat oatmeal obituary oboe obstacle occupancy occupant
    ocean octopus odor odyssey offender office ointment olive omelette onion opacity opal opera operator
    ophthalmology opium optician oral orange orangutan orchard orchestra orchid ore oregano organ organic organism
    oriental origami orphanage ostrich otter outage outbound outdoor outfield outpatient ovary oven overcoat overdue
    overpass overseas overtime owl ownership ox oxide oxygen oyster ozone pacemaker paddy paella pagoda pail pajamas
    palace pallet pallets pamphlet panda pandemic panorama panther pantry papaya paprika parachute paradise
    paragraph parakeet parasite parasol parcel parcels parish parishioner parking parliament parlor parrot parsley
    parsnip particle partridge parts passenger passion passport pasta pastel pastor pastry pasture pathogen patio
    patisserie patriot patroller patron pavement pavilion payee payroll peach peacock peak peanut pear pearl peat
    pebble pecan pedestrian pediatric pediatrics pelican pelvis penguin peninsula penny pension pensioner penthouse
    peony pepperoni percussion perennial performer perfume periodontal pesticide petrol petroleum petunia pewter
    pharmacy pheasant phoenix phosphate photon physician physicist physics piano piazza picnic pie pier pig pigeon
    pigs pill pills pineapple pint pipe pipeline pipes pistachio piston pit pitcher pixel pizza plaid planetary
    plankton plantation plasma plastic plateau plates platform platinum platoon platter playbill player playground
    plaza plumber plumbing plutonium plywood pneumonia podcast podium poem poet poetry poker polar policyholder
    pollen pollution polo pomegranate pond pony popcorn poppy population porcelain porch porcupine pork porpoise
    porridge portrait postage postcard potassium potato pots pottery poultry powerplant prairie prawn prayer
    precinct pregnancy pressroom pretzel priest primate prince princess prison prisoner prize probation prom propane
    propeller property prophet prose prostate prosthesis prosthetic proton province psalm pub publisher pudding
    puddle puffin pulley pulpit puma pumpkin pumps pupil puppy purchaser puzzle pyramid quark quarry quarterly
    quartz quay quiche quicksand rabbi rabbit raccoon racket radar radiator radio radish railroad rails railway
    rainfall raisin ranch rancher rare raspberry raven ravioli reactor reader readership reagent realtor rebar
    rebate receipt recipient rectangle rectum recycling reed reef referee referral refugee regional rehab reindeer
    religious renal renewable renter reptile reseller reservoir residence resident residential resin restroom retail
    retailer retina retiree retirement rheumatism rhinoceros rhubarb rhyme rhythm ribbon ribcage rice rider rifle
    rink risk river riverbank road roadway robot rocket rod rodent rods roe roof roofer rooftop room roommate
    rooster rose rosemary rosette rota rotor roulette royalty ruby rug rugby runway rural rye sable sacrament safari
    safety saffron saga sailboat sailor sails saint salad salamander salary salinity saliva salmon salmonella salon
    saloon sanctuary sandal sandalwood sandstone sandwich sapphire sardine satellite satin sauce saucer sauna
    sausage savanna savings sawmill saxophone scaffolding scallop scalpel scarf scholarship sciatica science
    scientist scissors scorpion scrapyard screenplay scripture sculpture sea seafood seagull seahorse seam seashell
    seaside seasonal seating seaweed secondhand sedan seedlings seeds seismic seller semester semifinal seminar
    senate senator senior septic sermon serpent sesame sewage sewer shaft shale shallot shamrock shareholder shark
    shawl sheep shelf shells sherbet sheriff shipper shipyard shirt shoe shoelace shopper shore shoreline shotgun
    shrimp shrinkage shrub shutters sibling sickle sidewalk silicon silk silo silver singer sinus siren sister
    sitcom site size skateboard skater skeleton skillet skin skipper skirt skull skunk sky skyscraper slab slag
    slate slipper slope sludge slum sneaker snow snowboard soccer socket sodium sofa soil solar soldier solvent
    sommelier sonar sonata soprano sorbet sorrow soundtrack soup soybean spa spacecraft spaghetti sparrow spatula
    specimen spectacle spectrum speech sphere sphinx spice spider spinach spinal spindle spine spleen spore sport
    sports spouse sprinkler squad squid stable stadium stairs stairwell stall stallion stamen stanza starch starfish
    statewide statistician statue steak steel stent stethoscope stevedore stingray stirrup stocking stomach stones
    stope stork stormwater stove strait stratum strawberry street strength studio sturgeon submarine subscriber
    subsoil suburb subway sugar suite sulfur sulphur sultan summer sunflower sunglasses sunlight sunscreen sunshine
    supermarket supper surge surgeon surgery surgical surplus surveyor sushi sutures swamp swan sweater sweatshirt
    swimmer swordfish sycamore syllabus symphony synagogue synapse syndrome synod syringe syrup tabloid taco tadpole
    tailings tambourine tangerine tank tanker tanks tapestry tarragon tartan tavern taxpayer tea teapot technician
    teenager teeth teller temperament temple tempo tenancy tenant tendon tennis tentacle terrain terrier textbook
    textile theater theatre theft theology therapist thermal thermostat thesis thicket thigh thimble thistle thorn
    throat throne thunderstorm thyme thyroid tiara ticket tidal tide tides tiger tiles timber timpani tin tinsel
    tire tires tissue titanium toad tobacco today toddler toe toffee toilet tomato tombstone tool tooth topaz
    topography tornado tortilla tortoise toucan tourism tourist tournament towel toxic toxin toy trachea tract
    tractor trailer trainee tram trampoline transformer traps traveler traveller tray treaty tree trees triangle
    triathlon tribal tribe tribunal tribune triceps trimester trolley trophy tropical trousers trout trucker truffle
    tsunami tuba tuberculosis tubes tuition tulip tumor tuna tundra tungsten tunic turbidity turbine turkey turnout
    tuxedo tv twilight twin typhoon tyre tyres ulcer ultrasound umbilical umbrella uncle undergraduate underwear
    underwriter unicorn uniform union university upholstery uranium urban urethra urine urn uterus utility vaccine
    valley valve valves van vanilla vascular vase vat vegan vegetable vehicle vehicles vein velvet vendor venison
    venom venue veranda verse vertebra vessel vestibule veteran veterinary viaduct vial vials vicar viking villa
    village vin vine vinegar vineyard vintage vintner vinyl viola violin viper virtue virus visa viscosity vitamin
    vixen vocabulary vodka volcano volleyball voltage voter vulture wafer wafers waffle wage wagon waist waiter
    wallaby walls walnut walrus waltz ward warden wardrobe warhead wasp wasps waste wastewater watercolor waterfall
    watermelon waterway wattage wavelength wealth weapon weapons website wedding weeds weekday weekend weir welder
    well wells wetland whale wharf wheat wheel wheels whirlpool whiskey wholesale wick widow wilderness wildfire
    wildlife willow windmill window windows windshield windsurf wine winery wireless wires wolf woman womb wood
    woodland woodpecker wool worker workforce workout workplace workshop wrist xylophone yacht yam yarn yeast yogurt
    yolk youth zebra zeppelin zinc zodiac zoning zoo zoologist zucchini
"""
# Closing a name without a verb they say that it only looks; all can be noted down or made as well.
READ_HEADS = """
    accuracy acreage advice advisories allergens allergies almanac altitude arrears assets assignments atlas
    attendance averages backlog benefits bracket brackets briefing briefings bulletin bulletins bylaws calendar
    calories capacity casualties census checklist checklists circulation codes commissions comparables compatibility
    compliance composition comps conditions consumption contraindications coordinates counts courses credits
    criteria curriculum curve curves danger-index dashboard dashboards data datasheet datasheets deadlines
    demographics density depth designs dimensions directory docket downtime efficacy efficiency eligibility
    emissions encyclopedia enrollment estimates eta etd exposure faqs fares figures files footage footfall footprint
    frequency genealogy gpa handicap-index headcount heatmap heatmaps hints hours humidity imagery images incidence
    ingredients interactions kpi kpis ledger levels liabilities library life lifespan likelihood limits lineup
    listings location locations locator macros margins mileage moisture mortality notams nutrients occupancy
    odometer opening-hours outlook payables pedigree percentages photos popularity population precedents
    precipitation pressure prevalence price-index probability production productivity prognosis projections
    properties provenance quality rainfall ratings readership readiness receipts receivables recipes records
    regulations remaining requirements reviews ridership runtime salaries scorecard scorecards seniority
    service-record service-records sightings specifications speed statutes stock swell syllabus symptoms tables
    tally tariffs telemetry temperature temperatures tenure throughput timetable timetables tolerances track-record
    tracker turnover utilization vacancies vacancy vacancy-rate valuation variance viewership vitals volumes wages
    wait-times waiting-times whereabouts wind workload yield-curve
"""
# Of the reading heads those that hands and machines may get hold of: behind such a verb they prove nothing.
MATTER = """
    assets children contents contributors followers footage holders ingredients inventory leaders members moisture
    neighbors neighbours nutrients output outputs paper papers parents places positions records stock traffic
"""
# Things of the world, none of a drawing, a game or a program: who handles one cannot take it back.
PHYSICAL = """
    airbag airlock ankle axle bag baggage bags bale bales bandage barrel barrels barrier basket batter bearing
    bearings bee beehive beer bees belt belts bike bikes blade blades blanket bleach blood bolt bolts bone bones
    bottle bottles bouquet brace breaker brick bricks bulb bumper buoy burner cabinet cable cables calf candle
    canister canisters cannula carcass cargo carpet cartridge casing casket catheter cattle ceiling cement chassis
    cheese chemical chemicals chickens chimney chlorine chute clay cloth clutch coal coffin coils compost concrete
    cooler cord cotton couch cow cows crane crate crates crops cylinder cylinders dam detergent diaper diesel dishes
    ditch doll dough dress drug drugs drums dryer duct dye electrode embryo enclosure equipment explosive explosives
    fabric faucet fertilizer fetus fiber filament flask flood flue fluid foam forklift freezer fridge fruit fuel
    furnace garment garments gas gasket gates glasses glove goods grain gravel grease grenade guardrail gun hair
    hammer hatch hay heart helmet hen hive hoist hood hose hull hydrant ice implant incision ingot inhibitor jacket
    jar kettle kidney kiln ladder lamb lawn leather leg lever lid limb lime liquid liver livestock locker locks
    locomotive loom lumber lung machinery magnet manure meat medicine metal milk mortar motor mower nails needle
    nets nozzle nut oar oil ointment ore organ oven oxygen oyster pacemaker padlock padlocks pallet pallets
    parachute parcel parcels pasture pavement pesticide petrol piano pigs pill pillar pills pipe pipeline pipes
    piston plank plaster plates plow plumbing plutonium pole pond poultry powder propeller prosthesis pulley pump
    pumps radiator raft reactor reagent reel resin rifle rig rod rods rope rotor rubber rug saddle sail sails saw
    scalpel seedlings septic sewage sewer shaft shoe shovel skin slab slag sludge socket soil solvent specimen
    spindle splint sprinkler steel stent still stove stump sutures swab syringe tank tanks tarp teeth throttle
    timber tire tires tissue tobacco tooth towel trailer traps trees trench tubes tumor turbine tyre tyres umbilical
    underbrush undergrowth uranium urn vaccine valve valves van vat vehicle vehicles vein vial vials wafer wafers
    warhead washer wasp wasps waste water wax weapon weapons weeds weir wells wheel wheels wick winch wine wires
    womb wool wound wreck yarn yeast
"""

_noun_set: frozenset[str] = frozenset()


def is_noun(word: str) -> bool:
    """Is it one of NOUNS, in either number? The set is made when first asked for: most names open with a verb."""
    global _noun_set
    if not _noun_set:
        _noun_set = frozenset(NOUNS.split())
    return word in _noun_set or word.rstrip("s") in _noun_set
