"""What says of digits that somebody may be called there: words beside them, or the head of their column. Pure.

Law: only what is near, or heads the column of the same table, counts; what calls them another number wins.
"""

from __future__ import annotations

from mcpgov.core.operations.words import word_set, words
from mcpgov.guards.privacy.digits.headings import heading
from mcpgov.guards.privacy.digits.labels import is_other

_REACH = 48
_MOST_WORDS = 5
_CALLS = word_set("""
    call calls called calling caller callers callback reach reached ring rang dial dialed dialled contact landline
    helpline hotline line switchboard voicemail sms text texted pager message signal viber whatsapp telegram emergency
    office desk home work ph mob cel cell cellphone tel gsm msisdn reception free ruf rufnummer kontakt anruf anrufer
    anrufen erreichbar erreichen handy contacto contato contatto llamar llame llama ligar ligue chiamare chiama bel
    bellen appeler appelez rappeler rappelez joindre portable
    büro bureau oficina ufficio escritório fijo privat
    звоните звонить телефон тел моб 電話 电话 联系电话 手机 手机号 携帯 전화 휴대폰 연락처 ara telefonu
    טלפון נייד هاتف جوال تليفون फोन โทร τηλ τηλέφωνο κινητό puh puhelin telefonszám
""")
_BEGINNINGS = ("phone", "telef", "telep", "mobil", "fax", "handy", "llám", "móvil", "celular", "cellul", "tlf")
_NUMBERS = word_set("number numbers nummer numéro numero número")  # anything has one: of these a person's
_PERSONS = word_set("my his her their our your new meine seine ihre mon son mi su mio suo meu seu")
_LETTERS = ("t", "m", "p", "o", "f", "h", "c", "w", "d")  # `T: …`, `M: …`, as below a letter
_BEHIND = ("mobile", "mob", "portable", "cell", "office", "home", "work", "fax", "desk", "tel", "phone", "handy")


def is_told(text: str, at: int, end: int) -> bool:
    return (is_called(text, at) and not is_other(text, at)) or _is_said_behind(text, end) or is_headed(text, at)


def is_called(text: str, at: int) -> bool:
    """By the words before it in its line, or, where it begins one, in the line before."""
    before = text[max(0, at - _REACH) : at].rstrip(" \t\"'`(\\-*\n")
    before = before[before.rfind("\n") + 1 :]
    if before[-1:] in (":", ".") and before[-2:-1].lower() in _LETTERS and not before[-3:-2].isalnum():
        return True
    for stop in (";", ". ", "{", "}", "<", "]", ")"):
        before = before[before.rfind(stop) + 1 :]
    said = words(before)[-_MOST_WORDS:]
    if any(word in _CALLS or word.startswith(_BEGINNINGS) for word in said):
        return True
    return not _NUMBERS.isdisjoint(said) and not _PERSONS.isdisjoint(said)


def _is_said_behind(text: str, end: int) -> bool:
    return text[end : end + 1] in (" ", "(", "-") and text[end : end + 12].lstrip(" (-").lower().startswith(_BEHIND)


def is_headed(text: str, at: int) -> bool:
    """Does the column of a table that it stands in have a head that says so?"""
    head = heading(text, at)
    return bool(head) and any(word in _CALLS or word.startswith(_BEGINNINGS) for word in words(head))
