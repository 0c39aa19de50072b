"""The official suite's login scenarios, signed in to by `mcpgov login`: authorization servers that are not ours."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.signing_in import BROWSER
from tests.real.harness import HERE, SDK_PYTHON, TOOLS, clean_env, need

SUITE = TOOLS / "node-conformance" / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
OLDEST_NODE = 22
TIMEOUT = 180
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


def newer_node() -> str:
    for found in (TOOLS / "node-newer" / "node_modules").glob("node-*/bin/node"):
        return str(found)
    own = shutil.which("node")
    if own is not None:
        said = subprocess.run([own, "--version"], capture_output=True, text=True, timeout=30, check=True).stdout
        if int(said.lstrip("v").partition(".")[0]) >= OLDEST_NODE:
            return own
    pytest.skip(f"REAL PART MISSING: no Node {OLDEST_NODE} (run scripts/realparts)")


@pytest.mark.parametrize(("revision", "scenario"), [(at, name) for at, names in SCENARIOS.items() for name in names])
def test_a_login_scenario_of_the_official_suite_passes(tmp_path: Path, revision: str, scenario: str) -> None:
    home, out = tmp_path / "home", tmp_path / "out"
    home.mkdir()
    mcpgov = [str(Path(sys.executable).with_name("mcpgov")), "--root", str(tmp_path / "root")]
    env = {
        **clean_env(home), "BROWSER": BROWSER, "MCPGOV": json.dumps(mcpgov),
        "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
    }  # fmt: skip
    client = f"{need(SDK_PYTHON)} {HERE / 'conformance_login.py'}"
    words = ["client", "--command", client, "--scenario", f"auth/{scenario}", "--spec-version", revision]
    done = subprocess.run(
        [newer_node(), need(SUITE), *words, "--timeout", "120000", "-o", str(out)], env=env, cwd=tmp_path,
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT, check=False,
    )  # fmt: skip
    (file,) = out.rglob("checks.json")
    checks = [check for check in json.loads(file.read_text("utf-8")) if check["status"] != "INFO"]
    failed = [(check["id"], check["description"]) for check in checks if check["status"] not in ("SUCCESS", "SKIPPED")]
    assert checks
    assert failed == [], done.stdout + done.stderr
