"""Nouns of trades, as data: words that are never verbs, so that a name made of them and a reading head only looks.

Law: no word stands here that is also a verb in a tool's name (`water`, `dock`, `seat`): those are in `trade_verbs`.
"""

from __future__ import annotations

NOUNS = """
    abbey acre adult advertiser aircraft airfield airspace alloy altar ambulance aml ankle antenna antibiotic
    apartment appendix apple apron aquarium aquifer arena armor artery artifact asphalt asteroid asthma athlete
    atlas attic avalanche aviary baby bacteria badge bakery ballet ballot bamboo banana bandwidth barcode bariatric
    barley barn barracks basin basket bathroom bay bed bee beef beer beverage bicycle bike billboard biodiversity
    birth bishop boarding boat boiler bone bonus border borough bouquet boutique brewery bride broccoli brochure
    building bullion burial bus-stop bushel cabin cabinet cadaver calf caliber canal cancer candidate canine canopy
    capital car-park carbon cardiac cardiology cargo carrier cartridge casket casting castle casualty cathedral
    cattle cave cell cellar cemetery centre century ceramic cereal chapel charity chef chemical chemistry chicken
    child choir cholesterol church churn cinema circuit citizen civic classroom clay clergy client clinic clinician
    cloud coal coast cocktail cocoa coffee collision colony columnist comet comic commissary commodity commuter
    competitor compound compressor concert concrete condo condominium congregation constellation constituency
    container copper coral corn coroner corporate cotton council courthouse coverage cow crane creature creditor
    crew crime criminal crowd cruise ct cuisine cultural curfew customs cyclone dairy dam debt debtor decade deck
    degree dental dentist depot desert diagnostic diamond diesel diet dinner dinosaur diocese diploma distillery
    district dna donor door dorm dosage driver drone drought earthquake eclipse eco ecosystem editorial egg election
    electric electricity elevator embryo emission emperor employee employer engine enzyme epidemic equipment equity
    er estate ethnic evening exam expense eye fabric facility factory faculty fairway family fare farm fashion
    faucet fertilizer fiber fibre fiction firearm fiscal fisheries fishery fitness flavor fleet flock flora flower
    fluid foliage footage football forest forestry fossil franchisee fraud freezer fridge fruit funeral furnace
    furniture fx galaxy gallery garage garden garment gasoline gazette gemstone genome geology geothermal glacier
    glass glucose gold golf gourmet grain grammar grape grass gravel greenhouse grid grocery groundwater grower gst
    guest guild guitar gym habitat hair harbor hardware hazard headcount headend headline healthcare hearing heart
    herb herd heritage highway holiday honey horse hospice hospital hostel hotline household housing hurricane
    hydrant hydro hymn icu illness immigration immune inbound infant infection influenza injury inmate insect
    institution insulin insurance insured interior interlibrary invertebrate investor invitee isbn island jersey jet
    jewel jewelry journey judicial jury kidney kiln kilometer kitchen kyc labor laboratory lake landfill landlord
    lane language laser laundry lawn lawyer league leather legal lender lessee lettuce levee librarian library linen
    liquor literature liver livestock loaf lobster local locomotive lodging logistics loom lot lottery lounge lunar
    lung machinery magazine magnet maize mammal mansion marathon marble marina marine maritime marriage masthead
    material mayor meadow meat medal medicine melody member membership mental merchandise merchant metal meteor
    metro midwife mileage military mineral minibar ministry minor missile mobile monastery money monsoon moon morgue
    mortality mosque motel motorcycle motorist mountain mri municipal museum mushroom musician national naval navy
    ndvi nebula neighborhood newspaper nitrogen noise notary novel novice nuclear nursery nutrient oak obituary
    occupancy occupant ocean offender office oil olive opera operator ophthalmology optician orchard orchestra
    orchid ore organ organism orphanage outage outbound outpatient oven overdue overseas ownership oxygen oyster
    palace pallet pandemic pantry parcel parish parishioner parking parliament particle parts passenger passport
    pasta pastry pasture pathogen patron pavement payee payroll peak pedestrian pediatric pension pensioner
    performer perfume petrol pharmacy phosphate physician physics piano pig pigeon pipe pit pitcher pizza planetary
    plastic platinum playground plaza plumbing podcast poem poet polar policyholder pollen pollution pond pony
    population pork portrait potato pottery poultry prayer precinct pregnancy pressroom prison prisoner prize
    probation prom propane prosthetic province pub publisher pupil puppy purchaser puzzle quarry quarterly rabbit
    radar radio railroad railway rainfall ranch rancher rare reader readership realtor rebate receipt recipient
    recycling reef referee referral refugee rehab religious renewable renter reptile reseller reservoir residence
    resident resin restroom retailer retiree retirement ribbon rice rider rifle river roadway robot rocket roof rose
    royalty rubber runway rural sacrament safari safety sailor salad salary salmon salon satellite sauce sauna
    sawmill scholarship science scientist scripture sculpture sea seafood seam seasonal seating seismic seller
    semester seminar senate senator senior septic sermon sewage sewer shaft shareholder shark sheep shelf sheriff
    shipper shoe shopper shore shrimp sidewalk silk silver singer siren skater skeleton skin skyscraper slope snow
    soccer socket sofa soil solar soldier solvent soprano soup soybean spa spacecraft specimen spectrum speech spice
    spinal sport sports spouse squad stable stadium statewide statue steel stomach stope stormwater strawberry
    street studio submarine subscriber suburb subway sugar suite summer supermarket supper surgeon surgery surgical
    surplus surveyor sushi swimmer syllabus symphony synagogue tabloid tailings tank tanker tavern taxpayer tea
    technician teeth temple tenancy tenant tennis terrain theater theatre theft therapist thermal thermostat thesis
    throat tidal tiger timber tire tissue tobacco toilet tomato tooth tornado tourism tourist tournament tower toxic
    toy tractor trailer trainee tram traveler traveller tree tribal tribe tribunal trolley trophy tropical trousers
    tsunami tuition tumor tuna turbine turkey turnout tv twin tyre ultrasound undergraduate underwriter uniform
    university uranium urban urine utility vaccine valley valve van vascular vat vegetable vein vendor venue vessel
    veteran veterinary vin vineyard violin virus visa vitamin volcano voltage voter waiter ward wardrobe waste
    wastewater waterway wavelength wealth weapon website wedding weekend wetland whale wheat wheel widow wildfire
    wildlife window wine winery winter wireless wolf woman wood wool worker workforce workout workplace workshop
    wrist yacht yarn yeast youth zebra zinc zoning zoo
"""
# Closing a name without a verb they say that it only looks; all can be noted down or made as well.
READ_HEADS = """
    accuracy acreage advice advisories allergens allergies almanac altitude arrears assets atlas attendance averages
    backlog benefits bracket brackets briefing briefings bulletins bylaws calendar calories capacity casualties
    census checklist checklists circulation codes comparables compatibility compliance composition comps conditions
    consumption contraindications coordinates counts courses credits criteria curriculum curve curves dashboard
    dashboards datasheet datasheets deadlines demographics density depth dimensions directory docket efficacy
    efficiency eligibility emissions encyclopedia enrollment estimates eta etd exposure faqs figures footage
    footfall footprint genealogy gpa headcount heatmap heatmaps hours humidity imagery incidence ingredients
    interactions kpi kpis levels liabilities lifespan likelihood lineup listings location locator macros margins
    mileage moisture mortality notams nutrients occupancy odometer opening-hours outlook payables pedigree
    percentages popularity population precedents precipitation pressure prevalence probability productivity
    prognosis projections provenance quality rainfall ratings readership readiness receivables records regulations
    remaining requirements reviews ridership salaries scorecard scorecards seniority sightings specifications speed
    statutes stock swell syllabus symptoms tally tariffs telemetry temperature temperatures tenure throughput
    timetable timetables tolerances tracker turnover utilization vacancies vacancy vacancy-rate valuation variance
    viewership vitals volumes wages wait-times waiting-times whereabouts wind workload yield-curve
"""
