"""Checksums and ranges, against the library that knows them all."""

from hypothesis import given
from hypothesis import strategies as st
from stdnum import iban as oracle_iban
from stdnum import luhn as oracle_luhn
from stdnum.iso7064 import mod_97_10 as oracle_modulo
from stdnum.us import ssn as oracle_ssn

from mcpgov.guards.privacy.digits.checksums import IBAN_LENGTHS, is_card, is_iban, is_ssn, luhn

# Countries that use them and are not in the registry.
_FEW = ("AO BF BJ CF CG CI CM CV DZ GA GQ", "GW IR KM MA MG ML MZ NE SN TD TG")
UNKNOWN_THERE = frozenset(" ".join(_FEW).split())
DIGITS = st.text("0123456789", min_size=1, max_size=24)


@given(DIGITS)
def test_luhn_agrees_with_the_oracle(digits):
    assert luhn(digits) == oracle_luhn.is_valid(digits)


@given(st.sampled_from(sorted(IBAN_LENGTHS)), st.text("0123456789ABCDXYZ", min_size=40, max_size=40), st.booleans())
def test_whatever_the_oracle_takes_for_an_iban_is_one(country, body, right):
    body = body[: IBAN_LENGTHS[country] - 4]
    check = oracle_iban.calc_check_digits(f"{country}00{body}") if right else body[:2]
    text = f"{country}{check}{body}"
    is_made = check not in ("00", "01", "99")  # by no bank
    if check.isdigit() and is_made and country not in UNKNOWN_THERE:
        assert is_iban(text) == oracle_iban.is_valid(text, check_country=False)
    if check.isdigit() and is_iban(text):
        assert is_made
        assert oracle_modulo.is_valid(text[4:] + text[:4])


def test_the_textbook_ibans_are_valid_and_wrong_lengths_are_not():
    assert is_iban("BE68539007547034")
    assert is_iban("NO9386011117947")
    assert not is_iban("BE6853900754703")
    assert not is_iban("ZZ68539007547034")


def test_an_iban_has_the_form_of_its_country():
    assert is_iban("VG96VPVG0000012345678901")
    assert not is_iban("VG46H07Y0223060094359858")
    assert is_iban("DZ580002100001113000000570")


@given(st.text("0123456789", min_size=9, max_size=9))
def test_no_ssn_that_cannot_be_issued_is_taken_for_one(digits):
    if is_ssn(digits):
        assert oracle_ssn.is_valid(digits) or digits in ("457555462",)


def test_a_card_has_a_range_a_length_and_a_check_digit():
    assert is_card("4" + "1" * 15)
    assert is_card("378282246310005")
    assert not is_card("4" + "1" * 14 + "2")
    assert not is_card("0" * 16)
    assert not is_card("1234567812345670")
    assert not is_ssn("000123456")
    assert is_ssn("536228726")
    assert not is_ssn("123456789")
