"""The official conformance suite scores through us what it scores without us, scenario by scenario."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.real.conformance import (
    Score,
    auth_score,
    client_score,
    differences,
    gateway,
    listener,
    listening,
    on_stdio,
    passed,
    served,
    server_score,
    serving_remotes,
)
from tests.real.harness import ALLOW_ALL, Bench, Server

SCENARIOS = {"2025-06-18": 27, "2025-11-25": 33, "2026-07-28": 40}
# Without those that log in.
CLIENT_SCENARIOS = {
    "2025-11-25": (
        "initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry",
        "json-schema-2020-12-preservation",
    ),
    "2026-07-28": (
        "tools_call", "request-metadata", "sep-2322-client-request-state", "http-standard-headers",
        "http-custom-headers", "http-invalid-tool-headers", "json-schema-ref-no-deref",
        "json-schema-2020-12-preservation",
    ),
}  # fmt: skip
# Of an app that signs in itself, with the checks that it loses through us: the token is asked for by our URL.
LOST = ["resource-parameter-matches-prm"]
AUTH_SCENARIOS = [
    ("2025-11-25", "metadata-var2", LOST),
    ("2025-11-25", "scope-step-up", []),
    ("2026-07-28", "metadata-var3", LOST),
    ("2026-07-28", "authorization-server-migration", []),
]
POLICY = ALLOW_ALL + "\n[tools]\nhide_denied = false\n"


def place(tmp_path: Path, name: str) -> Path:
    found = tmp_path / name
    found.mkdir()
    return found


@pytest.fixture
def allowing(bench: Bench) -> Path:
    """Of an installation under a policy that lets everything pass."""
    bench.policy_file.write_text(POLICY, "utf-8")
    bench.policy_file.chmod(0o600)
    return bench.root


@pytest.mark.parametrize("revision", SCENARIOS)
def test_the_server_suite_through_the_listener_scores_what_it_scores_direct(
    allowing: Path, tmp_path: Path, revision: str
) -> None:
    with served(place(tmp_path, "server")) as url:
        direct = server_score(place(tmp_path, "direct"), url, revision)
        assert [name for name, checks in direct.items() if not passed(checks)] == []
        assert len(direct) == SCENARIOS[revision]
        with listening(place(tmp_path, "listener"), allowing, url) as ours:
            through = server_score(place(tmp_path, "through"), ours, revision)
    assert differences(direct, through) == {}


@pytest.mark.parametrize("revision", CLIENT_SCENARIOS)
def test_the_client_suite_through_the_listener_scores_what_it_scores_direct(
    allowing: Path, tmp_path: Path, revision: str
) -> None:
    """The suite's server is the upstream; the SDK's client speaks to us."""
    scenarios = CLIENT_SCENARIOS[revision]
    direct = client_score(place(tmp_path, "direct"), revision, scenarios)
    assert [name for name, checks in direct.items() if not passed(checks)] == []
    assert direct.keys() == set(scenarios)
    through = client_score(place(tmp_path, "through"), revision, scenarios, listener(allowing))
    assert differences(direct, through) == {}


@pytest.mark.parametrize(("revision", "scenario", "lost"), AUTH_SCENARIOS)
def test_an_app_that_signs_in_itself_loses_only_that_the_token_is_for_the_servers_url(
    allowing: Path, tmp_path: Path, revision: str, scenario: str, lost: list[str]
) -> None:
    direct = auth_score(place(tmp_path, "direct"), revision, scenario)
    assert passed(direct)
    with serving_remotes(place(tmp_path, "service"), allowing):
        through = auth_score(place(tmp_path, "through"), revision, scenario, allowing)
    assert [name for name, status in through if status not in ("SUCCESS", "SKIPPED")] == lost
    assert [name for name, _ in through] == [name for name, _ in direct]


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_a_stdio_server_behind_a_gateway_scores_with_our_proxy_what_it_scores_without(
    bench: Bench, tmp_path: Path, revision: str
) -> None:
    """The gateway itself loses scenarios; we may lose none beyond those."""
    bench.work.mkdir()

    def scored(name: str) -> Score:
        here = place(tmp_path, name)
        with on_stdio(here) as bare:
            server = Server("conformance", lambda _work: bare, lambda _work, _env: None, lambda _work: {})
            with gateway(here, bench.governed(server, POLICY) if name == "with" else bare) as url:
                return server_score(here, url, revision)

    with ThreadPoolExecutor(2) as pool:
        without, ours = pool.map(scored, ("without", "with"))
    assert len(without) == SCENARIOS[revision]
    assert differences(without, ours) == {}
