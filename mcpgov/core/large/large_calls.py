"""A large call judged part by part, so that its values never exist all at once. Pure.

Law: a call allowed here is allowed by `RuleSet.decide` as a whole. A deny that may match does so in the part with the
value; texts that matter only together with others (Gathered) are added to every part; a rule that needs all values at
once makes the call undecidable.
"""

from __future__ import annotations

from mcpgov.core.decision import DENY, Decision, StepLimitExceeded
from mcpgov.core.json.values import SeparateText, scan_generous
from mcpgov.core.large.large_lines import CLOSE, OPEN, TEXT, Walker
from mcpgov.core.large.large_messages import Arguments, may_open
from mcpgov.core.large.large_texts import long_text
from mcpgov.core.messages.wire import Refused, scan_judged
from mcpgov.core.operations.argument_names import DOCUMENT_KEYS, FILE_KEYS
from mcpgov.core.operations.words import words
from mcpgov.core.protection import argument_roles as roles
from mcpgov.core.protection.changed_places import dispatches
from mcpgov.core.rules.arguments import EVERY
from mcpgov.core.rules.call import Call
from mcpgov.core.rules.path_matching import Reader
from mcpgov.core.rules.rule import Setting
from mcpgov.core.rules.ruleset import RuleSet, stricter
from mcpgov.core.rules.spellings import fold
from mcpgov.core.rules.text_screen import PlainNames

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Path = tuple[str, ...]

MOST_GATHERED = 64
WEIGHT_OF_A_STEP = 6  # in bits: one step for every 64 bytes of values
BASES = ("/", "~", "$", "..", "file:")


def decide_in_parts(rules: RuleSet, call: Call, today: str) -> Decision:
    """The verdict on a call whose arguments were not kept as a whole. Raises StepLimitExceeded."""
    args = call.args
    assert isinstance(args, Arguments)
    if not args.cut_names and not args.opened and not args.is_cut:
        return rules.decide_part(call, today)
    if args.is_cut or not _is_separable(rules, call, args.looked_into):
        raise StepLimitExceeded
    judge = PartJudge(rules, call, args, today)
    verdict = judge.verdict(gather=True)
    return judge.verdict(gather=False) if judge.gathered.texts and verdict.action != DENY else verdict


def _is_separable(rules: RuleSet, call: Call, names: frozenset[str]) -> bool:
    """Does every rule that may match look at one value at a time, and need only one that matches?"""
    cut = {fold(name) for name in names}
    for rule in rules.candidates(call, Setting(rules.reader(), "", rules.service_of(call))):
        if rule.when is not None or rule.contains or rule.events:
            return False
        if rule.lenient:
            if len(rule.args) + bool(rule.paths) > 1:
                return False
        elif rule.paths or any(path[0] == EVERY or fold(path[0]) in cut for path, _ in rule.args):
            return False
    return True


class PartJudge:
    """One call, judged once for what is kept of it and once for each part."""

    def __init__(self, rules: RuleSet, call: Call, args: Arguments, today: str) -> None:
        self._rules, self._call, self._args, self._today = rules, call, args, today
        self._kept = {name: value for name, value in args.items() if name not in args.cut_names}
        self._operations = {call.operation, *call.other_operations}
        # The content of a file is stored, not read (argument_names.texts).
        self._writes_file = call.operation == "write" and not FILE_KEYS.isdisjoint(args)
        # One reader for all parts: the steps of a call are counted together.
        self._reader = rules.reader()
        self.gathered = Gathered(rules, call, self._reader)

    def verdict(self, *, gather: bool) -> Decision:
        """The strictest verdict of all parts; `gather`: collect the texts that matter to other parts."""
        verdict = self._judge({})
        for path, values, weight in parts(self._args):
            if verdict.action == DENY:
                break
            self._reader.left -= weight >> WEIGHT_OF_A_STEP
            part: dict[str, object] = {path[0]: _nested(path[1:], columns(values))}
            if gather:
                self.gathered.add(part)
            stored = self._writes_file and path[0] in DOCUMENT_KEYS and path[0] not in self._args.cut_names
            verdict = stricter(verdict, self._judge(part, stored))
        return verdict

    def _judge(self, part: dict[str, object], stored: bool = False) -> Decision:
        whole = self._call
        call = Call(whole.method, whole.params, whole.server, whole.client, whole.project, whole.ident)
        call.tool, call.prompt, call.uris, call.annotations = whole.tool, whole.prompt, whole.uris, whole.annotations
        for name, texts in self.gathered.texts.items():
            part[name] = [*texts, part[name]] if name in part else texts
        call.args = {**self._kept, **part}
        if stored:
            call.take_operation(whole)
        # A rule may ask for an operation and a value: neither may be in another part than the other.
        if not self._operations.issuperset((call.operation, *call.other_operations)):
            raise StepLimitExceeded
        return self._rules.decide_part(call, self._today, self._reader.next_part())


def _nested(path: Path, values: object) -> object:
    for key in reversed(path):
        values = {key: values} if key else [values]
    return values


def columns(values: object) -> object:
    """Rows as columns, each text once: rules and protection read all values of a name, whatever their row."""
    if not isinstance(values, list) or not all(type(row) is dict for row in values):
        return values
    texts: dict[str, dict[object, None]] = {}
    others: dict[str, list[object]] = {}
    for row in values:
        for key, value in row.items():
            if type(value) is str:
                texts.setdefault(key, {None: None})[value] = None
            else:
                others.setdefault(key, [None]).append(value)
    # A list that begins with None is not taken for the parts of a path (argument_roles.pieces).
    return {key: [*texts.get(key, ()), *others.get(key, ())] for key in (*texts, *others)}


def parts(args: Arguments) -> Iterator[tuple[Path, object, int]]:
    """(path, some members, their weight) of all values that are not kept, and of the JSON in long texts."""
    if args.cut_names:
        above, raw, size = ["", "params", "arguments"], args.raw, 3
        for path, kind, key, value, weight in _walked(Walker(raw, scan_judged)):
            if len(path) <= size or path[:size] != above or path[size] not in args.cut_names:
                continue
            if kind == TEXT:
                assert isinstance(value, tuple)
                text = long_text(raw, value, plain=False)
                text = SeparateText(text) if may_open(text) else text
                value = {key: text} if key else [text]
            yield tuple(path[size:]), value, weight
    for names, text in args.opened:
        inner = text.strip().lstrip("\ufeff").encode("utf-8", "surrogatepass")
        try:
            for path, kind, _, value, weight in _walked(Walker(inner, scan_generous)):
                if kind == TEXT:
                    raise StepLimitExceeded  # a long text inside JSON inside a text
                yield (*names, *path), value, weight
        except StepLimitExceeded:
            raise
        except (ValueError, StopIteration, SystemError, Refused):
            continue  # no JSON after all: its beginning was judged needlessly


def _walked(walker: Walker) -> Iterator[tuple[list[str], str, str, object, int]]:
    """(path, kind, key, value, weight) of every event that brings values."""
    path: list[str] = []
    for kind, key, value, weight in walker.walk():
        if kind == OPEN:
            path.append(key)
        elif kind == CLOSE:
            path.pop()
        else:
            # Brackets without values need no verdict.
            if weight > 0:
                yield path, kind, key, value, weight


class Gathered:
    """Texts that matter together with others: existing directories, names that lead out of one."""

    def __init__(self, rules: RuleSet, call: Call, reader: Reader) -> None:
        self.texts: dict[str, list[object]] = {}
        self._count = 0
        self._protection = rules.protection if call.tool is not None else None
        self._reader = reader
        self._plain_names = PlainNames(self._reader)
        tool = words(call.tool or "")
        self._reads = roles.plainly_reads(call.operation, tool)
        if self._protection is not None and not roles.RUNNERS.isdisjoint(tool):
            raise StepLimitExceeded  # any of the texts may be a command

    def add(self, args: dict[str, object]) -> None:
        """Collect the texts of one part. Raises StepLimitExceeded for too many of them, and for commands."""
        protection = self._protection
        if protection is None:
            return
        for name, value in args.items():
            pieces = roles.pieces({name: value})
            if pieces is None:
                raise StepLimitExceeded
            for piece in pieces:
                if dispatches(piece):
                    raise StepLimitExceeded
                if protection.leads_nowhere(piece.text):
                    continue
                if self._concerns_others(piece):
                    self._count += 1
                    if self._count > MOST_GATHERED:
                        raise StepLimitExceeded
                    key = "_".join(piece.names)
                    self.texts.setdefault(name, []).append({key: piece.text} if key else piece.text)

    def _concerns_others(self, piece: roles.Piece) -> bool:
        text = piece.text
        if piece.last_in(roles.DIRECTORIES) or piece.is_any(roles.COMMANDS) or text.startswith(BASES):
            return True
        if self._reads and roles.is_remote(text):
            return True
        forms = self._plain_names.forms(text) or self._reader.text_forms(text).texts
        if forms is None:
            return True
        suffixes = self._protection.project_files if self._protection is not None else ()
        return any(".." in form or fold("/" + form).endswith(suffixes) for form in forms)
