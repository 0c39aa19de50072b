"""Hosts: every canonical form that one spelling may stand for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpgov.core.rules.hosts import host_of_pattern, host_readings


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("Example.COM.", ("example.com",)),
        ("ex\u00adample\ufe0f.com", ("example.com",)),
        ("é.com", ("é.com",)),
        ("127.1", ("127.1", "127.0.0.1")),
        ("010.0.0.1", ("010.0.0.1", "8.0.0.1", "10.0.0.1")),
        ("0x.0.0.0x1", ("0x.0.0.0x1", "0.0.0.1")),
        ("09.1", ("09.1", "9.0.0.1")),
        ("1.2.3.4.5", ("1.2.3.4.5",)),
        ("1..2", ("1..2",)),
        ("1.x", ("1.x",)),
        ("0xzz", ("0xzz",)),
        ("1" * 50, ("1" * 50,)),
        ("0" + "7" * 50, ("0" + "7" * 50,)),
        ("0x" + "f" * 50, ("0x" + "f" * 50,)),
        ("[::1]", ("[::1]", "[0:0:0:0:0:0:0:1]")),
        ("[::]", ("[::]", "[0:0:0:0:0:0:0:0]")),
        ("[1:2:3:4:5:6:7:8]", ("[1:2:3:4:5:6:7:8]", "[1:2:3:4:5:6:7:8]")),
        ("[1::2::3]", ("[1::2::3]",)),
        ("[1:2]", ("[1:2]",)),
        ("[1:2:3:4:5:6:7::8]", ("[1:2:3:4:5:6:7::8]",)),
        ("[1:2:3:4:5:6:7:8:9]", ("[1:2:3:4:5:6:7:8:9]",)),
        ("[x::]", ("[x::]",)),
        ("[::x]", ("[::x]",)),
        ("[::1.2.3]", ("[::1.2.3]",)),
        ("[::1.2.3.4]", ("[::1.2.3.4]", "[0:0:0:0:0:0:102:304]", "1.2.3.4")),
        ("[64:ff9b::1.2.3.4]", ("[64:ff9b::1.2.3.4]", "[64:ff9b:0:0:0:0:102:304]", "1.2.3.4")),
        ("[2002:102:304::]", ("[2002:102:304::]", "[2002:102:304:0:0:0:0:0]", "1.2.3.4")),
        ("[fe80::1%eth0]", ("[fe80::1%eth0]", "[fe80:0:0:0:0:0:0:1]")),
        ("xn--bcher-kva.de", ("xn--bcher-kva.de", "bücher.de")),
        ("xn--.de", ("xn--.de", ".de")),
        ("xn--99999999b.de", ("xn--99999999b.de",)),
        ("xn--0.de", ("xn--0.de",)),
        ("xn--" + "9" * 30, ("xn--" + "9" * 30,)),
        ("a.xn--" + "a" * 70, ("a.xn--" + "a" * 70,)),
    ],
)
def test_a_host_has_these_readings(host, expected):
    assert host_readings(host) == expected


def test_a_pattern_with_wildcards_is_folded_and_a_literal_one_is_read_like_a_host():
    assert host_of_pattern("*.Example.com.") == ("*.example.com",)
    assert host_of_pattern("2130706433") == ("2130706433", "127.0.0.1")


@given(
    st.text(
        st.characters(codec="ascii", categories=["Ll"]) | st.sampled_from("äöüéñ中文字日本語"), min_size=1, max_size=12
    )
)
def test_names_in_other_scripts_are_decoded_as_the_standard_library_does(name):
    coded = name.encode("punycode").decode()
    if not name.isascii() and len(coded) < 59:
        assert name in host_readings("xn--" + coded)


@given(st.integers(0, 2**32 - 1))
def test_an_address_is_found_in_each_of_its_numbers(number):
    octets = number.to_bytes(4, "big")
    dotted = ".".join(map(str, octets))
    spelled = [str(number), hex(number), f"0{number:o}", f"{octets[0]}.{number & 0xFFFFFF}", f"[::ffff:{dotted}]"]
    for host in (dotted, ".".join(map(hex, octets)), *spelled):
        assert dotted in host_readings(host)
