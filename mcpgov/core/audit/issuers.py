"""How the keys of known issuers begin, as data. Pure.

Law: each beginning contains a sign that `audit_preview.is_plain` looks for; a test checks every row.
"""

from __future__ import annotations

_DIGITS = "0123456789"
_LOWER = "abcdefghijklmnopqrstuvwxyz"
_UPPER = _LOWER.upper()
HEX = frozenset(_DIGITS + "abcdefABCDEF")
CAPITALS = frozenset(_DIGITS + _UPPER)
ALNUM = frozenset(_DIGITS + _LOWER + _UPPER)
WORD = ALNUM | frozenset("_-")
DOTTED = WORD | frozenset(".")
BASE64 = WORD | frozenset("+/=.")

# Beginning, the least that must follow it (less than is issued: a test key is a key too), and of which characters.
ISSUERS = (
    # Code and packages
    ("ghp_", 16, ALNUM), ("gho_", 16, ALNUM), ("ghu_", 16, ALNUM), ("ghs_", 16, ALNUM), ("ghr_", 16, ALNUM),
    ("github_pat_", 16, WORD), ("glpat-", 12, DOTTED), ("gldt-", 12, DOTTED), ("glrt-", 12, DOTTED),
    ("glptt-", 12, WORD), ("glft-", 12, WORD), ("glsoat-", 12, WORD), ("glcbt-", 12, WORD), ("glimt-", 12, WORD),
    ("glagent-", 12, WORD), ("gloas-", 12, WORD), ("npm_", 12, ALNUM), ("pypi-", 16, WORD), ("rubygems_", 16, HEX),
    ("dckr_pat_", 12, WORD), ("dckr_oat_", 12, WORD), ("CLOJARS_", 16, ALNUM), ("AKCp", 16, ALNUM),
    ("ATATT3", 16, BASE64), ("ATCTT3", 16, BASE64), ("ATBB", 16, ALNUM), ("sgp_", 16, WORD), ("bkua_", 16, ALNUM),
    ("CCIPAT_", 16, WORD), ("lin_api_", 16, ALNUM), ("figd_", 16, WORD), ("ntn_", 16, ALNUM), ("secret_", 24, ALNUM),
    ("PMAK-", 16, WORD), ("rdme_", 16, ALNUM),
    # Clouds and what runs there
    ("AKIA", 12, CAPITALS), ("ASIA", 12, CAPITALS), ("ABIA", 12, CAPITALS), ("ACCA", 12, CAPITALS),
    ("AIza", 12, WORD), ("ya29.", 12, WORD), ("GOCSPX-", 12, WORD), ("LTAI", 12, ALNUM), ("AKID", 16, ALNUM),
    ("dop_v1_", 16, HEX), ("doo_v1_", 16, HEX), ("dor_v1_", 16, HEX), ("hvs.", 16, WORD), ("hvb.", 16, WORD),
    ("hvr.", 16, WORD), ("dp.pt.", 16, ALNUM), ("dp.st.", 16, DOTTED), ("dp.ct.", 16, ALNUM), ("dapi", 32, HEX),
    ("pul-", 16, HEX), ("HRKU-", 16, WORD), ("nfp_", 16, ALNUM), ("sbp_", 16, HEX), ("sb_secret_", 12, WORD),
    ("pscale_tkn_", 16, DOTTED), ("pscale_pw_", 16, DOTTED), ("pscale_oauth_", 16, DOTTED), ("fm2_", 16, BASE64),
    ("NRAK-", 16, ALNUM), ("sntrys_", 16, BASE64), ("sntryu_", 16, HEX), ("glc_", 16, BASE64), ("glsa_", 16, WORD),
    ("dt0c01.", 16, DOTTED), ("ops_eyJ", 16, WORD), ("AGE-SECRET-KEY-1", 16, CAPITALS), ("CFPAT-", 16, WORD),
    # Models
    ("sk-", 12, WORD), ("gsk_", 16, ALNUM), ("xai-", 16, ALNUM), ("pplx-", 16, ALNUM), ("hf_", 12, ALNUM),
    ("r8_", 16, ALNUM), ("tvly-", 12, WORD), ("BSA", 24, WORD), ("fc-", 24, HEX), ("pcsk_", 16, WORD),
    ("lsv2_pt_", 16, WORD), ("lsv2_sk_", 16, WORD), ("nvapi-", 16, WORD), ("jina_", 16, WORD), ("csk-", 16, ALNUM),
    # Money and shops
    ("sk_live_", 8, ALNUM), ("sk_test_", 8, ALNUM), ("rk_live_", 8, ALNUM), ("rk_test_", 8, ALNUM),
    ("whsec_", 12, BASE64), ("sq0atp-", 12, WORD), ("sq0csp-", 12, WORD), ("sq0idp-", 12, WORD), ("EAAA", 24, WORD),
    ("shpat_", 16, HEX), ("shpca_", 16, HEX), ("shppa_", 16, HEX), ("shpss_", 16, HEX), ("EZAK", 24, ALNUM),
    ("duffel_live_", 16, WORD), ("duffel_test_", 16, WORD), ("FLWSECK-", 12, WORD), ("FLWSECK_", 12, WORD),
    ("shippo_live_", 16, HEX), ("shippo_test_", 16, HEX), ("access_token$", 12, WORD | frozenset("$")),
    # Messages and mail
    ("xoxb-", 8, WORD), ("xoxp-", 8, WORD), ("xoxa-", 8, WORD), ("xoxr-", 8, WORD), ("xoxs-", 8, WORD),
    ("xoxo-", 8, WORD), ("xoxc-", 8, WORD), ("xoxd-", 8, BASE64), ("xoxe-", 8, WORD), ("xoxe.", 8, DOTTED),
    ("xapp-", 8, WORD), ("SG.", 16, DOTTED), ("key-", 24, HEX), ("re_", 16, WORD), ("xkeysib-", 16, WORD),
    ("EAAC", 24, ALNUM), ("EAAG", 24, ALNUM), ("tfp_", 16, DOTTED),
    # Tokens of any issuer
    ("eyJ", 12, DOTTED),
)  # fmt: skip
# By their first two characters, so that most words are compared with nothing.
_BY_HEAD: dict[str, list[tuple[str, int, frozenset[str]]]] = {}
for _row in ISSUERS:
    _BY_HEAD.setdefault(_row[0][:2], []).append(_row)


def is_key(text: str, at: int) -> bool:
    """Does a known kind of key begin here?"""
    for prefix, least, alphabet in _BY_HEAD.get(text[at : at + 2], ()):
        start = at + len(prefix)
        body = text[start : start + least]
        if text.startswith(prefix, at) and len(body) == least and alphabet.issuperset(body):
            return True
    return False
