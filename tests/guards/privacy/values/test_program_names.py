"""Names of programs' own things."""

import pytest

from mcpgov.guards.privacy.values.program_names import is_code, is_constant, is_worded_name
from tests.helpers.private_samples import samples

KEYS = [samples(seed)["random"] for seed in range(40)]


def test_a_name_of_a_program_has_few_digits_or_dots():
    assert is_code("Ed25519PrivateKey.from_bytes")
    assert is_code("rust.hpke.X25519PrivateKey")
    assert not is_code("q7Wm2Zk9Xv4Rt8Lp3Nb6Yc1Hd5Fs0Ga")
    assert not is_code("production_abc12def_ghij34klmnop5678")


def test_other_signs_many_turns_or_a_long_random_part_are_no_code():
    assert not is_code("config.get-value.v1")
    assert not is_code("prefix.q7Wm2Zk9Xv4Rt8Lp3Nb6Yc1Hd5")
    assert not is_code("somewhatlongmodulename.ab12cd34ef56gh78ij90kl12")


def test_the_name_of_a_class_of_keys_is_code():
    assert is_code("hpke.MLKEM768X25519PrivateKey")


@pytest.mark.parametrize(
    "name",
    ["FtpV11Credentials", "exports.ApiV2010AccountTokenInstance", "generateEncryptionKeyBase64",
     "NoAuthCredentialProvider_1.default.NoAuthCredentialProvider", "Billing_.V2.Core.Events.V1ApprovalRequested"],
)  # fmt: skip
def test_a_type_of_a_program_is_words_and_few_digits(name):
    assert is_worded_name(name)


def test_a_key_is_no_name():
    assert [key for key in KEYS if is_worded_name(key) or is_constant(key)] == []
    assert not is_worded_name("MyLongWord20241231")
    assert not is_worded_name("words-with-dashes")
    assert not is_worded_name("YWRhOlhrMjkhZmpzMDJr")


def test_a_constant_is_of_capitals_in_parts():
    assert is_constant("GRANT_TYPE_SAML1_1")
    assert is_constant("@ESXI1_PASSWORD")
    for value in ("GRANTTYPE", "Grant_Type_1", "A1B2_C3D4E5F6", "AB_" + "C" * 20):
        assert not is_constant(value), value
