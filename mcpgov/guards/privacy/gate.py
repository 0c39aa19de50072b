"""One pattern for all shapes: where in a line or a text could a finding be? Made from the tables, linear in the text.

It runs over the raw line of a message and over decoded texts alike, as bytes: an escape (`\\n`, `\\/`) is a boundary,
or is allowed where its character is; `\\u00xx` stands for any character, so a line with one is always decoded.
Law: where a detector finds something in a text, the pattern matches there, and in every JSON text of it.
"""

from __future__ import annotations

from mcpgov.guards.privacy.digits.checksums import IBAN_LENGTHS
from mcpgov.guards.privacy.issuers.heads import LINE_SIGNED, PLAIN, SIGNED

# Stands for any sign of ASCII, or begins a colour in a text within a text: such a line is decoded.
ESCAPED = r"\\(?:u00[0-7]|x1[Bb]|033|e\[)"
# An escape of a raw line, or of a text within a text; counts would make the pattern larger, and the checks count.
_ESCAPE = r"\\[0-7Ubfnrtux][0-9A-Fa-f]*"


def _behind(signs: str) -> str:
    """What may stand before a value: nothing, none of these signs, an escape of any kind."""
    return rf"(?:^|[^{signs}]|{_ESCAPE}|%[0-9A-Fa-f]{{2}})"


BOUNDARY = _behind("0-9A-Za-z_")  # of a key
STRICT = _behind("0-9A-Za-z_/+")  # of what base64 could be by chance
_NUMBER = _behind(r"0-9A-Za-z_.\-+/%&")
_PHONE = _behind(r"0-9A-Za-z_+/=.\-")
_WITH_CODE = _behind(r"0-9A-Za-z_+.\-")  # of a phone with a country's code, which may be assigned
# No digit of a line's first date, `\n2026-…`, is one of an escape before it.
_NATIONAL = (
    r"(?:^|[^0-9A-Za-z_.\-+/%&]|%[0-9A-Fa-f]{2}|"
    r"\\(?:[bfnrt]|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|x[0-9A-Fa-f]{2}|[0-7]{1,3}))"
)
# Where plain_text.py puts plain signs into a number, as they stand in a raw line.
_ODD = r"[0-9A-Z)](?:\xc2\xa0|\xe2\x80[\x87-\x8a\x90-\x93\xaf]|\\u(?:00[Aa]0|20(?:0[7-9Aa]|1[0-3]|2[Ff])))[0-9A-Z(]"
_WIDE = r"(?:\xef\xbc[\x90-\x99]|\\u[Ff][Ff]1[0-9]){2}"
# A sign that is no ASCII, in a raw line: what is behind it is looked at in the decoded text.
_ANY = r"\\u[0-9A-Fa-f]{3}"
_BLANKS = r"(?:[ \t]|\\+t)*"
# `=`, `:`, `=>`, `, `; `<name>value`, `key="name" value="…"`, `name: string = "…"`.
_SIGNS = (
    r"(?:[:=?+.|]{1,3}>?|,|\\?>|value=|content=|:" + _BLANKS + r"[A-Za-z]{1,10}" + _BLANKS + r"=|"
    r"\(\\*[\"'`]|\xe2\x86\x92|\xef\xbc[\x9a\x9d]|\\u(?:2192|[Ff][Ff]1[AaDd])|"
    r"[ \t]\\*[\"'`]|(?:%2[27])?%3[ADad](?:%20|\+)?(?:%2[27])?|(?i:is|was|lautet|est):? |\[[^\[\]\\\"]*\]:)"
)
# The next line, or the one behind an empty one.
_BREAK = r"(?:(?:\r?\n|(?:\\+[rn])+){1,2}[ \t]*)?"
_ASSIGNS = (
    r"[0-9A-Za-z_\-.]{0,24}[\\\"'`\])*]*"
    r"(?: (?:for|of|to) [0-9A-Za-z_@.\- ]{1,40})?" + _BLANKS + r"(?:string )?" + _SIGNS + r"\**" + _BLANKS + _BREAK
    + r"(?:[A-Za-z]{1,12}(?:(?:::|\.)[a-z]{3,4})?\()?(?:[NLbru@]?[\\\"'`(]+)?"
)  # fmt: skip
_VALUE = r"(?:(?:[!#-&(-+\-.0-9:=?-\[\]^_a-z|~/]|\\/){0,40}[0-9]|[a-z]{4} [a-z]{4} [a-z]{4} [a-z]{4})"
_SCHEMES = "bearer|basic|token|ntlm|digest|ssws|api-?key|splunk|geniekey|oauth|bot|key|sso-key|api-token|deepl-auth-key"
# Words for a password in other languages; the tilde is one `?` in a text, two bytes in a line.
_FOREIGN = r"kennwort|passwort|senha|mot[ _\-]?de[ _\-]?passe|contrase(?:n|\?|\xc3[\x91\xb1]|\\u00[DdFf]1)a"
_NAMES = (
    rf"{_FOREIGN}|"
    r"passw|passphrase|pwd|psk|_pw|_auth|[\"']auth|secret|token|credential|creds|authorization|authentication|"
    r"(?:api|access|secret|private|account|auth|client|master|encrypt|encryption|signing|service|license|storage|"
    r"shared|consumer|app|developer|admin|deploy)[_\-. ]?key"
)
# An accent is one `?` in a text, two bytes in a line.
_ACUTE = r"(?:\?|\xc3[\x89\xa9]|\\u00[CcEe]9)"
# The verb of a sentence in Portuguese or Italian, and a word of a sentence.
_GRAVE = r"(?:\?|\xc3[\x88\x89\xa8\xa9]|\\u00[CcEe][89])"
_WORD = r"(?:[^ \\\"'`:,.;]|\\u00[89A-Fa-f][0-9A-Fa-f])+"
_CALLED = (
    rf"(?i:phone|mobile|mobil[ :.]|fax|call (?:me|us|him|her)|whatsapp|telefon|tel{_ACUTE}fono|contact[ _\-]?n[ou]|"
    r"my number is|text me|can call|answering at|messages to|registered|(?:desk|office|cell):|(?:ring|reach) (?:me|us)|"
    r"reached (?:at|on)|hotline|telefoon|handy:|handynum|joindre au|portable ?:|celular|cellulare|"
    r"m(?:o|\?|\xc3[\x93\xb3]|\\u00[DdFf]3)vil|durchwahl|r(?:\?|\xc3[\x9c\xbc]|\\u00[DdFf][Cc])ckruf|erreichbar|"
    r"erreichen|unter )|"
    rf"(?:^|[^0-9A-Za-z_]|\\[bfnrt])(?i:tel|t{_ACUTE}l(?:{_ACUTE}phone)?)[.: ]|"
    r"(?:^|[^0-9A-Za-z_]|\\[bfnrt])(?i:(?:ph|mob|cel)[.:]|(?:call|dial|cell is) [0+(])"
)
_NATIONAL_NUMBER = _NATIONAL + r"\(?0[1-9](?:[ ()\-./\\]{0,3}[0-9]){7,9}(?:[^0-9A-Za-z_]|$)"
_CALLED_NUMBER = rf"(?:{_CALLED})[^0-9]{{0,80}}(?:[0-9][0-9 ().\-/\\]{{5,20}}[0-9]|{_ANY})"
_SSN_WORDS = r"(?i:ss(?:n| ?#)|social(?:.?sec| is|:| #)|soc\.? sec)"
PARTS: dict[str, tuple[str, ...]] = {
    # Letters beyond ASCII are `?` in a text, and bytes or escapes in a line.
    "email": (r"[0-9?A-Za-z_%+\-\x80-\xff](?:@|%40)(?:[0-9?A-Za-z\-\\\x80-\xff]+\.)+[?A-Za-z\\\x80-\xff]{2}",),
    "credit_card": (
        _NUMBER + r"(?:[1-68][0-9]{11,18}|0604[0-9]{8,15})(?:[^0-9A-Za-z_]|$)",
        _NUMBER + r"[2-68][0-9]{3}[ \-.](?:[0-9]{4}[ \-.][0-9]{4}[ \-.]|[0-9]{6}[ \-.][0-9]{4})",
        _NUMBER + r"[2-68][0-9]{5}[ \-][0-9]{13}",
    ),
    "ssn": (
        _NUMBER + r"[0-8][0-9]{2}[\-. ][0-9]{2}[\-. ][0-9]{4}",
        rf"{_SSN_WORDS}[^0-9]{{0,160}}(?:[0-8][0-9]{{8}}|{_ANY})",
    ),
    "iban": (
        STRICT + "(?:" + "|".join(IBAN_LENGTHS) + r")[0-9]{2}(?:[0-9A-Z]{11}|[ \-][0-9A-Z]{4}[ \-]?[0-9A-Z]{4})",
        r"(?i:iban)[^0-9]{0,16}[a-z]{2}[0-9]{2}[0-9a-z]{11}",
    ),
    "phone": (
        _WITH_CODE + r"\+[1-9][0-9 ().\-/\\]{6,20}[0-9]",
        r"%2[Bb][1-9][0-9]{0,2}(?:(?:%20|[+\-. ])?[0-9]){6,12}",
        _PHONE + r"00[1-9][0-9 ]{7,12}[0-9](?:[^0-9A-Za-z_\-]|$)",
        _NUMBER + r"(?:1[\-. ])?\([2-9][0-9]{2}\)[\-. ]?[2-9][0-9]{2}[\-. ][0-9]{4}",
        _NUMBER + r"(?:1[\-. ])?[2-9][0-9]{2}[\-. ][2-9][0-9]{2}[\-. ][0-9]{4}",
        _NATIONAL_NUMBER,
        _CALLED_NUMBER,
        r"[0-9][ \-](?i:office|fax|mobile)",  # the check looks at what is before it
    ),
    "jwt": (BOUNDARY + r"ey[Jj][0-9A-Za-z_\-]{8}",),
    "private_key": (r"BEGIN[ 0-9A-Z]{1,40}PRIVATE KEY", "PuTTY-User-Key-File-"),
    "credential_url": (
        r":\\?/\\?/(?:[^\s\"'<>\\/:,]|\\u[0-9A-Fa-f]{4})*:(?:[^\s\"'<>\\/,]|\\u[0-9A-Fa-f]{4})+@",
        r":\\?/\\?/[0-9A-Za-z_\-]{20,}:?@",
        r":\\?/\\?/[A-Za-z]+=(?:[^\s\"'<>\\/:]|\\u[0-9A-Fa-f]{4})*:(?:[^\s\"'<>\\/,]|\\u[0-9A-Fa-f]{4})+@",
    ),
}
# `"db_password" { default = "…"`, `DB_PASSWORD, value: …`: the value stands apart from its name.
_APART = r"[0-9A-Za-z_\-]{0,24}[\\\"'`\s,{}<>/A-Za-z:=\-]{1,90}(?i:value|default)(?:[\\\"'`\s:=>]|\\[nrt]){1,12}"
# A password that a command, a statement or a sentence names.
_SPOKEN = (
    r"(?i:passw(?:or)?d|passphrase)(?: (?:for|of|to|on) [0-9A-Za-z_@.\- ]{1,40})?"
    r"(?: is| was)?(?: now| has been)?"
    r"(?: set to| reset to| changed to)?(?::? |:" + _BREAK + r")(?:[0-9] )?[\\\"'`]*",
    rf"(?i:{_FOREIGN})(?:(?: {_WORD}){{0,4}}(?i: ist| lautet| est| es| {_GRAVE}))?(?: :)?:? [\\\"'`]*",
    r"(?i:convertto-securestring) (?:-(?i:string) )?[\\\"'`]+", r"echo (?:-e )?[\\\"'`]*[0-9A-Za-z_.\-]+:",
    r"chpasswd[ <]+[\\\"'`]*[0-9A-Za-z_.\-]+:",
    r"htpasswd (?:-[0-9A-Za-z]+ )+(?:[0-9A-Za-z_.~@/\\\-]+ ){1,2}[\\\"'`]*",
    r"(?i:sqlplus) (?:-[A-Za-z]+ )?[\\\"'`]*[0-9A-Za-z_]+\\?/", r"send (?:-- )?[\\\"'`]+",
    r":(?:54[0-9]{2}|6432):[0-9A-Za-z_*\-]+:[0-9A-Za-z_.@\-]+:",
    r"(?i:auth)[\\\"'`]*(?:=|: ?)[\[(]\\*[\"'][0-9A-Za-z_.@+\-]+\\*[\"'], ?\\*[\"']",
    r"requirepass ", r"masterauth ", r"bindpw ", r"snmp-server community ",
    r"(?i:identified by) [\\\"'`]*", r"sshpass -p ?[\\\"'`]*",
    r"redis-cli -a [\\\"'`]*", r" (?:-u|-user|--user)[ =][\\\"'`]*[0-9A-Za-z_.@\-]*:[\\\"'`]*",
    r" -(?:p|P|w|a|k|t|pw|passwd|password|(?:src|dest)?storepass|keypass|pass(?:in|out)? pass:)[ =]?[\\\"'`]*",
    r" \\?/p:", r" \\?/user:[0-9A-Za-z_.\-\\]+ ", r" \\?/rp [\\\"'`]*", r"[ :.>](?i:auth)\(\\*[\"']",
    r"(?i:enable (?:password|secret)) (?:[0-9] )?",
    r"[0-9A-Za-z_.@\-] \\?/ ", r" -U ?[\\\"'`]*[^ %\\]+%",
    r"(?i:credentials?|login|auth|connect|connection|passwordauthentication|basic|new|pdo|mysqli)"
    r"\((?:[$A-Za-z_.]+, ?)?(?:\\*[\"'][^\"'\\]+\\*[\"'], ?){1,2}\\*[\"']",
    r"(?i:net user) [0-9A-Za-z_.\-]+ [\\\"'`]*", r"echo [\\\"'`]*",
    r"(?i:login|cred(?:ential)?s?|user(?:name)?|account)(?i: ?\\?/ ?pass(?:word|wd)?)?[\\\"'`]*[:=] ?[\\\"'`]*"
    r"[0-9A-Za-z_.@+\-]{2,} ?\\?/ ?[\\\"'`]*",
)  # fmt: skip
# What sets the name behind it.
_SET = r"(?:ENV|ARG|SetEnv|setenv|setx|setq|_param|_header|set(?: -g?x)?)"
# All that a value stands behind: together, for what a value is made of is a third of the pattern.
_BEFORE_VALUES = (
    rf"(?i:{_NAMES})(?:{_ASSIGNS}(?i:(?:{_SCHEMES}) )?|{_APART})",
    r"(?i:pass|pw)[\\\"'`\])]*" + _BLANKS + "(?:[:=]{1,3}|(?i:is|was) )" + _BLANKS + r"[\\\"'`(]*",
    rf"--[A-Za-z0-9_\-]{{0,24}}(?i:{_NAMES})[0-9A-Za-z_\-]{{0,24}}{_BLANKS}[\\\"'`]*",
    _SET + r" \\*[\"'`]?[0-9A-Za-z_\-./:]+\\*[\"'`]? +\\*[\"'`]?",
    "(?i:bearer|basic|ntlm|ssws):? ", r"jdbc:oracle:thin:[0-9A-Za-z_]+\\?/", *_SPOKEN,
)  # fmt: skip
# Columns of a table, by the name of one: what follows may be any row below. A quote that no backslash is before is not
# let in, for it is an array's in most messages.
_COLUMNS = (
    r"(?i:passw(?:or)?d|passphrase|pwd|secret|token|api[_ \-]?key|access[_ \-]?key)[0-9A-Za-z_\-]{0,16}"
    r"(?:\\+\"|['`])? *(?:[,;|\t]|\\+t|\r?\n|\\+r|\\+n)",
    r"(?i:(?:insert|replace) into )",
)
# A password in quotes without a digit: a sign stands between its letters.
_SIGNED_PASSWORD = (
    r"(?i:passw(?:or)?d|pwd|passphrase)[0-9A-Za-z_\-.]{0,24}[\\\"'`\])]*" + _BLANKS + r"[:=]{1,3}>?" + _BLANKS
    + r"\\*[\"'][A-Za-z]+[!$#@&*^]"
)  # fmt: skip
_PAIR = r"(?i:authorization)[\\\"':=, ]{1,8}(?i:basic) [A-Za-z+/=]{12}"  # without a digit
# The password of a connection string, which may be a word: `;Password=…`.
_CONNECTION = r"[;&?\"] ?(?i:password|pwd) ?= ?[^\s;&\"'$<{(%\[]"
# Issuers whose name alone is what a key is assigned to, in most programs.
ISSUERS = (
    "postmark", "assemblyai", "deepgram", "asana", "mailjet", "launchdarkly", "pyowm", "cohere", "okta", "upstash",
    "meraki", "openweather", "codecov", "pagerduty", "algolia", "datadog", "heroku", "mailgun", "sendgrid", "twilio",
    "pinecone",
)  # fmt: skip
# A word for keys, and what has two digits behind it: whose name stands before it, the check asks.
_NEAR = (
    rf"(?i:key|token|secret|access|api|auth|login|pat|credential|client(?:\(|\.new\()|{'|'.join(ISSUERS)})"
    r"(?: [1-9])?(?:[ \t\"'`:=_>,(|\[\\\n\r\-+.?]|\\[nrt]){1,24}(?:[A-Za-z_.\-+/]{0,30}[0-9]){2}"
)
_DISCORD = BOUNDARY + r"[MNO][0-9A-Za-z_\-]{22,28}\.[0-9A-Za-z_\-]{6}\.[0-9A-Za-z_\-]{27}"
# Anchored at the mark: a count of what is before it would make a state of every place in a number.
_MARKED = (
    r"\.atlasv1\.", r"JQQJ99[0-9A-Za-z]{8}", r"AZDO[0-9A-Za-z]{4}", r":APA91b", r"[0-9]-[0-9A-Za-z]{32}",
    r"[0-9]:A[0-9A-Za-z_\-]{20}", r"[0-9a-f]NRAL", r"[0-9A-Za-z]_mmk",
    _DISCORD,
    r"[0-9A-Za-z]Q~[0-9A-Za-z_\-.~]{6}", r"[0-9a-f]-us[0-9]", r"[0-9]\|[0-9A-Za-z_\-]{20}",
    r"[0-9a-f]-[0-9a-f]{8}-[0-9a-f]{8}(?:[^0-9A-Za-z_\-]|$)",
    r"[a-z0-9]_[0-9A-Za-z]{28}",  # an issuer that no table has
    r"\+A(?:St|Ba|MC|CR|Eh|Sb|Rm)[0-9A-Za-z]{5}", r"(?:ACDb|APIM|AIoT|AzFu|AzSe|AzCa)[0-9A-Za-z_\-]{5}",
)  # fmt: skip


_NAMED_VALUES = "(?:" + "|".join(_BEFORE_VALUES) + ")" + _VALUE
# How the parts begin whose counts overlap in a text that repeats them: every place in every count would be a state. The
# first two rows of `_SPOKEN` begin with names.
_BEGINNINGS = {
    PARTS["ssn"][1]: _SSN_WORDS,
    PARTS["iban"][1]: r"(?i:iban)",
    _NATIONAL_NUMBER: _NATIONAL + r"\(?0[1-9][ ()\-./\\0-9]{2}",
    _CALLED_NUMBER: rf"(?:{_CALLED})",
    PARTS["private_key"][0]: r"BEGIN[ 0-9A-Z]",
    _DISCORD: BOUNDARY + r"[MNO][0-9A-Za-z_\-]{6}",
    _NEAR: _NEAR.partition("{1,24}")[0],
    _NAMED_VALUES: rf"(?i:{_NAMES})|-{{2,26}}[0-9A-Za-z_\"']|(?i:pass|pw)[\\\"'`\])]*{_BLANKS}(?:[:=]|(?i:is|was) )|"
    rf"(?i:bearer|basic|ntlm|ssws):? |{_SET} |jdbc:oracle:thin:|{'|'.join(_SPOKEN[2:])}",
}


_SIGNED = BOUNDARY + SIGNED.replace("\n", "")


def _parts(kinds: frozenset[str]) -> list[str]:
    parts = [part for kind in PARTS if kind in kinds for part in PARTS[kind]]
    if parts or "api_key" in kinds:
        parts += [ESCAPED, _ODD, _WIDE]
    if "api_key" in kinds:
        parts += [_SIGNED, STRICT + PLAIN.replace("\n", "")]
        parts += [*_MARKED, _NAMED_VALUES, _NEAR, _CONNECTION, _SIGNED_PASSWORD, _PAIR, *_COLUMNS]
    return parts


def pattern(kinds: frozenset[str]) -> str:
    """The alternation for these kinds."""
    return "|".join(_parts(kinds))


def beginnings(kinds: frozenset[str]) -> str:
    """The same, with no more than its beginning of what can begin anew inside of itself.

    Law: where `pattern` matches first this matches too, and nowhere before.
    """
    return "|".join(_BEGINNINGS.get(part, part) for part in _parts(kinds))


# For whole lines: a long count of what can begin anew inside of it makes a state of every place.
_SHORT_DISCORD = BOUNDARY + r"[MNO][0-9A-Za-z_\-]+\.[0-9A-Za-z_\-]{6}\.[0-9A-Za-z_\-]{6}"
_FOR_LINES = {_DISCORD: _SHORT_DISCORD, _SIGNED: BOUNDARY + LINE_SIGNED.replace("\n", "")}
FEWEST_OPEN = 8  # counts that span fewer are as cheap as no count


def line_pattern(kinds: frozenset[str]) -> str:
    """For whole lines, where only a yes or no is asked: counts have no upper end, which makes a smaller program.

    Law: it matches wherever `pattern` does, since more of a sign is never fewer.
    """
    import re

    def open_count(count: re.Match[str]) -> str:
        least, most = int(count[1]), int(count[2])
        return f"{{{least},}}" if most - least >= FEWEST_OPEN else count[0]

    return re.sub(r"\{(\d+),(\d+)\}", open_count, "|".join(_FOR_LINES.get(part, part) for part in _parts(kinds)))
