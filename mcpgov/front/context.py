"""What every command may need: places, settings and the policy in force, each loaded on first use."""

from __future__ import annotations

import os
import time
from functools import cached_property, reduce
from pathlib import Path

from mcpgov import host, reason_codes
from mcpgov.atomic_file import read_json
from mcpgov.core.decision import Decision
from mcpgov.core.rules.call import Call
from mcpgov.core.rules.ruleset import RuleSet, stricter
from mcpgov.core.session.session_policy import guards_wanted
from mcpgov.errors import PolicyError, SettingsError, reason_of
from mcpgov.guards.hooks import LazyHooks
from mcpgov.policy_cache import PROJECT_FILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcpgov.configs.config_pass import Worker
    from mcpgov.core.session.guard import Guards
    from mcpgov.places import Places
    from mcpgov.policy.build import Compiled
    from mcpgov.settings import Settings


def today() -> str:
    """Today's date, as in the proxy."""
    return host.local_day(time.time())


class Context:
    """One run of the command line."""

    def __init__(self, root: str | None = None) -> None:
        self._root = root

    @cached_property
    def places(self) -> Places:
        from mcpgov.places import Places, find_root

        return Places(find_root(self._root))

    @cached_property
    def loaded_settings(self) -> tuple[Settings, dict[str, str]]:
        from mcpgov.settings import load

        return load(self.places)

    @property
    def settings(self) -> Settings:
        return self.loaded_settings[0]

    @property
    def color(self) -> str:
        """The setting `color`; `auto` if the settings are broken: their error must still be printed."""
        try:
            return self.settings.color
        except SettingsError:
            return "auto"

    def worker(self, clients: Sequence[str] = ()) -> Worker:
        """The worker that reads and changes the clients' config files."""
        from mcpgov.configs.config_pass import Worker
        from mcpgov.configs.locations import Home

        settings, places = self.settings, self.places
        chosen = tuple(clients) or settings.clients
        home = Path(host.home())
        files = (settings.project_files, settings.configs)
        return Worker(Home(home, places.state, places.launcher, chosen, *files, exclude=settings.exclude))

    def ensure_launcher(self) -> bool:
        """Write the launcher if it is missing or old, before entries name it; True if it was written."""
        from mcpgov.front.install.launcher import write_launcher

        return write_launcher(self.places, self.settings)

    def policy_path(self, argument: str | None) -> Path:
        """`--policy`, else the setting, else the file in the config directory."""
        if argument:
            return Path(argument).expanduser().absolute()
        return self.settings.policy or self.places.policy_file()

    def protected(self, policy: Path) -> list[str]:
        """What no governed call may change: the policy, our own files, the login units, the clients' configs."""
        from mcpgov.front.install.protected_files import protected_places

        # The clients' usual files, and every other file that ever contained a server.
        known = [*map(str, self.settings.configs), *read_json(self.places.known_configs)]
        return protected_places(self.places, policy, host.home(), os.environ, known)

    def compile(self, argument: str | None = None) -> Compiled:
        """Compile the managed layer and the user's; problems are part of the result, not raised."""
        from mcpgov.front.install.protected_files import secret_places, shell_places
        from mcpgov.policy.build import build, read_layer

        path = self.policy_path(argument)
        layers = []
        managed = self.places.managed_policy
        if _present(managed):
            layers.append(read_layer(managed, prefix="managed:", owner=self.places.managed_owner))
        if argument or _present(path):
            layers.append(read_layer(path))
        if not layers:
            raise no_policy(path)
        read = [str(document.path) for layer in layers for document in layer.documents]
        protect = dict.fromkeys([*self.protected(path), *read])
        shell, secret = shell_places(host.home()), [*secret_places(self.places), *self._passwords()]
        audit, ledger, lender = self.settings.audit_arguments, str(self.places.ledger), self.lender()
        tools, clean = str(self.places.tools), str(self.places.clean_lines)
        return build(layers, protect, audit, shell, secret, ledger=ledger, lender=lender, tools=tools, clean=clean)

    def lender(self) -> tuple[str, ...]:
        """The engine that limits and budgets are shared through, by name, and the socket of the lender."""
        settings = self.settings
        if settings.ledger is None:
            return ()
        from mcpgov.ledger_address import parse_address

        return parse_address(settings.ledger, settings.ledger_namespace).store, str(self.places.lender_socket)

    def _passwords(self) -> list[str]:
        """The files that hold the engine's password."""
        settings = self.settings
        if settings.ledger is None:
            return []
        from mcpgov.ledger_address import parse_address

        file = settings.ledger_password_file
        inside = [str(self.places.settings_file)] if parse_address(settings.ledger).has_password else []
        return [*inside, str(file)] if file is not None else inside

    def rules(self, argument: str | None = None) -> Rules:
        compiled = self.compile(argument).raise_errors()
        return Rules(compiled, RuleSet(compiled.text, host.world(), LazyHooks()))


def no_policy(file: Path) -> PolicyError:
    message = f"there is no policy: `{file}` does not exist"
    return PolicyError(message, hint="mcpgov policy init", reason_code=reason_codes.NO_POLICY)


def has_policy(context: Context) -> bool:
    return _present(context.policy_path(None)) or _present(context.places.managed_policy)


def _present(path: Path) -> bool:
    """Whether the name exists, even as a broken link: only a policy that is certainly absent may be left out."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise PolicyError(f"cannot read `{path}`: {reason_of(error)}") from None
    return True


class Rules:
    """A compiled policy, with the project policies that narrow it."""

    def __init__(self, compiled: Compiled, ruleset: RuleSet) -> None:
        self.compiled = compiled
        self.ruleset = ruleset
        self._projects: dict[str, RuleSet | None] = {}

    def project(self, directory: str) -> RuleSet | None:
        """A project's narrowing policy, if it has one."""
        if directory not in self._projects:
            file = Path(directory) / PROJECT_FILE
            self._projects[directory] = self._narrow(file) if directory and _present(file) else None
        return self._projects[directory]

    def _narrow(self, file: Path) -> RuleSet:
        from mcpgov.policy.build import build_project

        narrow = RuleSet(build_project(file).raise_errors().text, self.ruleset.world, LazyHooks())
        narrow.adopt_names(self.ruleset)
        return narrow

    def guards(self, project: str, ledger: str = "") -> Guards | None:
        """What judges after the rules for calls from a project. `ledger`: in the place of the one in use."""
        narrowed = self.project(project)
        heads = [self.ruleset.head, *((narrowed.head,) if narrowed is not None else ())]
        names = guards_wanted(heads)
        if not names:
            return None
        chosen = {"ledger": ledger} if ledger else {}
        return LazyHooks().guards(names, [{**head, **chosen} for head in heads], self.ruleset.world)

    def decide(self, call: Call) -> Decision:
        first = self.ruleset.decide(call, today())
        project = self.project(call.project)
        return first if project is None else stricter(first, project.decide(call, today()))

    def judge_answer(self, call: Call, answer: object) -> Decision | None:
        """What rules with `contains` say of an answer; None: nothing."""
        project = self.project(call.project)
        found = [rules.judge_answer(call, answer, today()) for rules in (self.ruleset, project) if rules is not None]
        verdicts = [verdict for verdict in found if verdict is not None]
        return reduce(stricter, verdicts) if verdicts else None
