"""Built-in protection: no governed call writes, moves or deletes what governs it, nor reads its secrets. Pure.

Law: it comes before every rule. Only a tool that certainly reads the very argument may name a protected place; none may
name a secret one: tokens, and the paths that remote servers are reached at. Secrets are protected in every policy.
What the fast checks let pass (passes, passes_by_name, harmless, unmarked, leads_nowhere), touched() lets pass.
"""

from __future__ import annotations

from mcpgov.core.audit.audit_preview import LONGEST_TEXT, needs_no_mask
from mcpgov.core.operations.words import words
from mcpgov.core.protection.protected_places import NOT_FIRST, NOT_LAST, ProtectedPlaces, is_plain
from mcpgov.core.rules.call import Call
from mcpgov.core.rules.links import ELSEWHERE, canonical
from mcpgov.core.rules.path_matching import Reader
from mcpgov.core.rules.spellings import fold
from mcpgov.core.world import World

MOST_REMEMBERED = 512
OWN_LINKS = ("/proc", "/dev")  # where they lead depends on who asks


class Protection:
    """The protected places, and what a call does to them."""

    __slots__ = ("_below", "_ends", "_executes", "_first_names", "_places", "_reads", "_secrets", "_wild", "_world")

    def __init__(self, paths: list[str], world: World, secrets: list[str] | None = None) -> None:
        # INVARIANT: every secret place is a protected one, so what leads to none of these leads to no secret.
        self._places = ProtectedPlaces([*paths, *(secrets or ())], world, projects=bool(paths))
        self._secrets = ProtectedPlaces(secrets, world, projects=False) if secrets else None
        self._world = world
        self._executes: dict[tuple[str | None, ...], bool] = {}
        self._reads: dict[tuple[str | None, ...], bool] = {}
        self._first_names = self._places.first_names
        # Project files may be in any directory; those without a leading dot are recognised by the end of a text.
        loose = [name for name in self._places.project_files if not name.startswith("/.")]
        self._below = tuple(form for name in loose for form in (name, name.rpartition(".")[0]))
        self._ends = frozenset(letter for name in self._below for letter in (name[-1], name[-1].upper()))
        # A relative glob leads to a place only if the place lies below one of the server's directories.
        above = self._places.above.keys() | self._places.roots.keys()
        self._wild = any(fold(base.rstrip("/")) in above or base == "/" for base in world.bases)

    @property
    def project_files(self) -> tuple[str, ...]:
        """How the protected files of projects end, folded."""
        return self._places.project_files

    def passes(self, call: Call) -> bool:
        """Is no protected place touched for certain: is every value a number, or plain text that names no file?"""
        if not call.args:
            return True
        if not self.passes_by_name(call):
            return False
        for value in call.args.values():
            if isinstance(value, str):
                if not self.leads_nowhere(value):
                    return False
            elif isinstance(value, (dict, list)):
                return False
        return True

    def passes_by_name(self, call: Call) -> bool:
        """passes(), as far as the names tell; the values are still to be checked."""
        return self._first_names is not None and not self._may_execute(call)

    def leads_nowhere(self, text: str) -> bool:
        """Is it plain text that leads to no protected place, because its first name does not exist?"""
        # An option's value may be a path that the first name does not show.
        return is_plain(text) and text[0] != "-" and " -" not in text and self.nowhere(text)

    def nowhere(self, text: str) -> bool:
        """leads_nowhere() for a plain text without options and `..`: asked for every value of a usual line."""
        name, slash, _ = text.partition("/")
        if slash and ("/." in text or (text[-1] in self._ends and text.lower().endswith(self._below))):
            return False
        name = name.lower()
        if self._first_names is None or name in self._first_names or not self._world.absent(name):
            return False
        return not (self._wild and ("*" in text or "?" in text or "[" in text))

    def harmless(self, text: str) -> bool:
        """leads_nowhere() for a text of line_templates.TEXT that is short and not secret, so a record may show it."""
        if not 0 < len(text) <= LONGEST_TEXT or text[0] in NOT_FIRST or text[-1] in NOT_LAST:
            return False
        # `:` may be part of a URL with a password, `=` may separate a name and a secret.
        if ":" in text or "=" in text or "%" in text or "$" in text or "~" in text or "\\" in text:
            return False
        return self.unmarked(text)

    def unmarked(self, text: str) -> bool:
        """The rest of harmless() for a text that matches line_templates.VALUE."""
        if ".." in text:
            return False
        if not needs_no_mask(text) or text[0] == "-" or " -" in text:
            return False
        return self.nowhere(text)

    def _may_execute(self, call: Call) -> bool:
        """Could this tool with these arguments run a command line? Decided by the names alone, and cached."""
        key = (call.tool, *(call.args or ()))
        may = self._executes.get(key)
        if may is None:
            from mcpgov.core.protection.argument_roles import COMMANDS, DISPATCH, RUNNERS, STATEMENTS, key_words

            telling = COMMANDS | DISPATCH | STATEMENTS
            if len(self._executes) >= MOST_REMEMBERED:
                self._executes.clear()
            may = not RUNNERS.isdisjoint(words(call.tool or "")) or any(
                not telling.isdisjoint(key_words(name)) for name in call.args or ()
            )
            self._executes[key] = may
        return may

    def _may_only_read(self, call: Call) -> bool:
        """Is, by the names, every argument what a reading tool reads, with no option or embedded JSON in the values?"""
        from mcpgov.core.protection import argument_roles as roles

        args = call.args or {}
        for value in args.values():
            if isinstance(value, (dict, list)):
                return False
            if isinstance(value, str) and ("{" in value or roles.has_options(value)):
                return False
            if isinstance(value, str) and roles.is_remote(value) and sum(isinstance(v, str) for v in args.values()) > 1:
                return False
        key = (call.tool, *args)
        only_reads = self._reads.get(key)
        if only_reads is None:
            if len(self._reads) >= MOST_REMEMBERED:
                self._reads.clear()
            named = all(roles.is_read(roles.Piece(roles.key_words(name), "")) for name in args)
            only_reads = self._reads[key] = named and roles.plainly_reads("read", words(call.tool or ""))
        return only_reads

    def touched(self, call: Call, reader: Reader) -> str:
        """The protected place the call would change, or the secret one it would read, or nothing."""
        only_reads = bool(call.args) and self._may_only_read(call) and call.operation == "read"
        if not call.args or (only_reads and self._reads_no_secret(call)):
            return ""
        from mcpgov.core.protection import argument_roles as roles
        from mcpgov.core.protection.changed_places import ChangedPlaces

        pieces = roles.pieces(call.args)
        if pieces is None:
            return self._places.any_place
        found = ""
        if not only_reads:
            found = ChangedPlaces(self._places, self.leads_nowhere, call, reader, pieces).touched()
        if found or self._secrets is None:
            return found
        pieces = roles.pieces(call.args) or []  # their roles were noted in them
        return ChangedPlaces(self._secrets, self.leads_nowhere, call, reader, pieces, secret=True).touched()

    def _reads_no_secret(self, call: Call) -> bool:
        """For a call that only reads: true for certain, where one plain path is all that it names."""
        if self._secrets is None:
            return True
        texts = [value for value in (call.args or {}).values() if isinstance(value, str)]
        if len(texts) != 1 or not _is_plain_path(texts[0]):
            return False
        real = canonical(texts[0], self._world)
        if real is None or real == ELSEWHERE:
            return False
        return not (self._secrets.place_at(fold(real)) or self._secrets.place_at(fold(texts[0])))

    def secret_in(self, texts: tuple[str, ...], reader: Reader) -> str:
        """The secret place that one of these URIs leads to, or nothing."""
        if self._secrets is None:
            return ""
        return next((place for text in texts if (place := self._secrets.place_in(text, reader))), "")


def _is_plain_path(text: str) -> bool:
    """Does every reader take it for the same absolute path? What leads each process elsewhere is not plain."""
    return (
        text[:1] == "/"
        and is_plain(text[1:])
        and not text.startswith(OWN_LINKS)
        and not ("*" in text or "?" in text or "[" in text or "{" in text)
    )
