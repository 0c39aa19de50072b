"""The official suite's login scenarios, signed in to by `mcpgov login`: authorization servers that are not ours."""

import json
import sys
from pathlib import Path

import pytest

from tests.helpers.signing_in import BROWSER
from tests.real.conformance import passed, run_suite
from tests.real.harness import HERE, SDK_PYTHON, need

SCENARIOS = {
    "2025-03-26": ("2025-03-26-oauth-metadata-backcompat", "2025-03-26-oauth-endpoint-fallback"),
    "2025-11-25": (
        "metadata-default", "metadata-var1", "metadata-var2", "metadata-var3", "basic-cimd",
        "scope-from-www-authenticate", "scope-from-scopes-supported", "scope-omitted-when-undefined", "scope-step-up",
        "scope-retry-limit", "token-endpoint-auth-basic", "token-endpoint-auth-post", "token-endpoint-auth-none",
        "pre-registration",
    ),
    "2026-07-28": (
        "resource-mismatch", "offline-access-scope", "offline-access-not-supported", "authorization-server-migration",
        "iss-supported", "iss-not-advertised", "iss-supported-missing", "iss-wrong-issuer", "iss-unexpected",
        "iss-normalized", "metadata-issuer-mismatch", "scope-step-up",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("revision", "scenario"), [(at, name) for at, names in SCENARIOS.items() for name in names])
def test_a_login_scenario_of_the_official_suite_passes(tmp_path: Path, revision: str, scenario: str) -> None:
    home = tmp_path / "home"
    home.mkdir()
    mcpgov = [str(Path(sys.executable).with_name("mcpgov")), "--root", str(tmp_path / "root")]
    client = f"{need(SDK_PYTHON)} {HERE / 'conformance_login.py'}"
    words = ("client", "--command", client, "--scenario", f"auth/{scenario}", "--spec-version", revision)
    found = run_suite(
        home, *words, "--timeout", "120000",
        BROWSER=BROWSER, MCPGOV=json.dumps(mcpgov), PYTHON_KEYRING_BACKEND="keyring.backends.fail.Keyring",
    )  # fmt: skip
    assert found.keys() == {f"auth/{scenario}"}
    assert passed(found[f"auth/{scenario}"]), found
