"""The last labels of domains that people have addresses at, as data; what looks like an address in code has others."""

from __future__ import annotations

from mcpgov.core.operations.words import word_set

_COUNTRIES = word_set("""
    ac ad ae af ag ai al am ao ar as at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bw by bz ca cc cd
    cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg er es et eu fi fj fk fm fo fr ga gd
    ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo ke kg
    kh ki km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc me mg mh mk ml mm mn mo mp mq mr ms mt mu mv
    mw mx my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw qa re ro rs ru rw sa
    sb sc sd se sg sh si sk sl sm sn so sr ss st su sv sx sy sz tc td tf tg th tj tk tl tm tn to tr tt tv tw tz ua
    ug uk us uy uz va vc ve vg vi vn vu wf ws ye yt za zm zw
""")
_OTHERS = word_set("""
    com org net edu gov mil int info biz name pro aero coop museum jobs mobi travel tel cat asia post xxx app dev
    page cloud tech site online store shop blog news email mail wiki work works world today life live media agency
    academy art band bank bar beer bike bio black blue build business buzz cafe camp capital care careers cash
    center chat church city claims cleaning click clinic club coach codes coffee college community company
    computer consulting contact cool country credit dance data date deals delivery design digital direct directory
    doctor dog domains earth education energy engineer engineering enterprises equipment estate events exchange
    expert express faith family fans farm fashion finance financial fish fit flights foundation fun fund fyi
    gallery game games garden gift gifts global gmbh gold golf graphics group guide guru health help hiphop
    holdings host hosting hotel house icu immo inc industries ink institute insurance international investments
    jewelry kim kitchen land law lawyer legal limited link loan love ltd luxury management market marketing money
    network ninja one partners parts party pet photo photography photos pics pizza place plus poker press
    productions properties property pub red ren rent repair report republican rest restaurant review reviews rocks
    run sale school science security services sexy show ski social software solar solutions space sport studio
    style sucks support surf systems team technology tips tools top tours town toys trade training tube uno
    university vacations ventures vet video villas vip vision vote voyage watch webcam website wedding win wine
    xyz yoga zone berlin london paris nyc tokyo amsterdam wien hamburg koeln moscow istanbul bayern swiss scot
    wales eus gal quebec africa arpa gle google microsoft amazon apple
""")
_SCRIPTS = word_set("""
    рф бел укр срб бг мкд мон қаз ею онлайн сайт дети орг ком москва рус ευ ελ გე հայ 中国 中國 台湾 台灣 香港 澳門
    新加坡 公司 网络 網路 在线 中文网 商城 集团 网站 手机 我爱你 한국 닷컴 닷넷 みんな コム ストア السعودية مصر
    امارات الاردن
    ایران بھارت پاکستان المغرب الجزائر تونس قطر عمان سوريا فلسطين عراق موقع شبكة भारत भारतम् भारोत இந்தியா இலங்கை
    భారత్ ഭാരതം ভারত বাংলা ලංකා ไทย ລາວ ישראל קום
""")
# Documents' own names: an address there is told nevertheless.
_RESERVED = frozenset(("example",))
LABELS = _COUNTRIES | _OTHERS | _SCRIPTS | _RESERVED


def is_domain(domain: str) -> bool:
    """At least two labels, and the last one of those that there are."""
    labels = domain.split(".")
    last = labels[-1].lower()
    if len(labels) < 2 or not (last in LABELS or last.startswith("xn--")):
        return False
    return all(0 < len(label) < 64 and label[0] != "-" and label[-1] != "-" for label in labels)
