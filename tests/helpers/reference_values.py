"""The reference's values: globs as regular expressions, readings of a text, links as a dict. See reference.py."""

import re
import unicodedata
from functools import cache
from urllib.parse import urlsplit


class Machine:
    """Links as a dict of path -> target."""

    def __init__(self, links, cwd="/work", home="/home/u", env=None):
        self.links, self.cwd, self.home, self.env = links, cwd, home, env or {}

    def kernel(self, path):
        """Where the path leads; None for a loop."""
        return self._walk("", path.split("/"), 40)

    def _walk(self, here, parts, left):
        if left < 0:
            return None
        for at, part in enumerate(parts):
            if part in ("", "."):
                continue
            if part == "..":
                here = here.rpartition("/")[0]
                continue
            target = self.links.get(f"{here}/{part}")
            if target is not None:
                start = "" if target.startswith("/") else here
                return self._walk(start, target.split("/") + parts[at + 1 :], left - 1)
            here = f"{here}/{part}"
        return here or "/"


def tidy(path):
    out = []
    for part in path.split("/"):
        if part == "..":
            out = out[:-1]
        elif part not in ("", "."):
            out.append(part)
    return "/" + "/".join(out)


@cache
def regex(glob):
    parts = {"*": "[^/]*", "?": "."}
    return "".join(".*" if len(run) > 1 else parts.get(run, re.escape(run)) for run in re.findall(r"\*+|.", glob, re.S))


def like(expression, text):
    return re.fullmatch(expression, text, re.S) is not None


def any_like(globs, text):
    return any(like(regex(glob), text) for glob in globs)


def fold(text):
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def controls(text):
    return [c for c in text if unicodedata.category(c) in ("Cc", "Cs")]


def decodable(text):
    """Something a server might decode into something else."""
    normal = unicodedata.normalize("NFKC", text)
    return bool(
        re.search(r"%[0-9a-fA-F]{2}", text)
        or "\\" in text
        or controls(text)
        or any(normal.count(c) != text.count(c) for c in "/.\\%~$:")
    )


def unquote(text):
    raw = re.sub(rb"%([0-9a-fA-F]{2})", lambda m: bytes([int(m[1], 16)]), text.encode("utf-8", "surrogatepass"))
    return raw.decode("utf-8", "replace")


def file_paths(text):
    found = re.match(r"(?i)file:(?://[^/]*)?(.*)", text, re.S)
    return [found[1] or "/", re.split("[?#]", found[1] or "/")[0]] if found else []


def variables(text, env):
    return re.sub(r"\$(?:\{([^}]*)\}|([A-Za-z0-9_]+))", lambda m: env.get(m[1] if m[1] is not None else m[2], ""), text)


def decodings(text, machine):
    yield text.strip(" \t\r\n\v\f\"'`")
    yield unquote(text) if "%" in text else text
    if text == "~" or text.startswith("~/"):
        yield machine.home + text[1:]
    yield variables(text, machine.env)
    yield text.replace("\\", "/")
    yield from file_paths(text)
    local = re.match(r"(?is)(.*?)://(localhost|127\.0\.0\.1|\[::1\]|file|)(/.*)", text)
    if local and local[1].strip().lower() not in ("http", "https", "ws", "wss", "file"):
        yield local[3]
        yield re.split("[?#]", local[3])[0]
    if "://" in text and "/." in text:
        scheme, _, rest = text.partition("://")
        yield f"{scheme}:/{tidy('/' + rest)}"
    yield text.split("\0")[0]
    yield "".join(c for c in text if not controls(c))
    yield unicodedata.normalize("NFC", text)
    yield unicodedata.normalize("NFKC", text)


@cache
def readings(text, machine):
    found = {text}
    while True:
        more = {other for each in found for other in decodings(each, machine)}
        if more <= found:
            return found
        found |= more


def carried(text):
    """What one word may carry: `--file=/p`, `-o/p`, `key=/p`, `@/p`, `host:/p`, `src=/p,dst=/q`."""
    if "\n" in text:
        return
    if re.match(r"-\S", text):
        yield text[2:] if text[1] != "-" else ""
        for sign in "/~":
            if sign in text:
                yield text[text.index(sign) :]
    if text[:1] in ("@", "<", ">"):
        yield text.lstrip("@<>")
    key = re.fullmatch(r"(?s)([^=/ ]*)=(.*)", text)
    value = key[2] if key else "" if "=" in text or "://" in text else text
    if key:
        yield value
    for field in re.split("[,;]", value):
        for piece in (field, field.partition("=")[2]):
            piece = piece.lstrip("@<>")
            for part in (piece, *(piece.split(":") if "://" not in piece else ())):
                if part[:1] in ("/", "~", ".", "$"):
                    yield part


def places(texts, machine):
    out = set(texts)
    for text in texts:
        base = text if text.startswith("/") else f"{machine.cwd}/{text}"
        if text:
            found = {tidy(base), machine.kernel(tidy(base)), machine.kernel(base)} - {None}
            out |= found | {place + "/" for place in found}
    return out


# Where some readers end a host.
BROKEN = r"[/?#\\ ;&|!<>(){}\"'^`\r\n\t]"


class Wanted:
    """One pattern on values."""

    def __init__(self, text, machine):
        self.machine = machine
        self.text = text
        self.from_uri = text.lower().startswith("file:")
        body = unquote(file_paths(text)[0]) if self.from_uri else text
        self.is_path = self.from_uri or text.startswith(("/", "~"))
        self.is_uri = not self.is_path and ("://" in text or re.match(r"[A-Za-z][\w+.*-]*:", text) is not None)
        if body == "~" or body.startswith("~/"):
            body = machine.home + body[1:]
        self.exact = [regex(body)]
        self.folded = [regex(fold(body))]
        if self.is_path:
            head = re.match(r"[^*?]*", body)[0]
            root = body if head == body else head.rpartition("/")[0]
            real = machine.kernel(root) if root.startswith("/") else None
            if real is not None:
                rest = body[len(root) :]
                real = "" if real == "/" and rest.startswith("/") else real
                self.exact.append(re.escape(real) + regex(rest))
                self.folded.append(re.escape(fold(real)) + regex(fold(rest)))

    def certain(self, text, uri=False, named=False):
        if self.is_uri and "://" in self.text and not self.certain_url(text):
            return False
        if not self.is_path:
            dots = self.is_uri and re.search(r"(?:^|[/:?#])\.\.?(?:[/:?#]|$)", text)
            return like(self.exact[0], text) and not (dots or (self.is_uri and decodable(text)))
        if (uri or self.from_uri) and text.startswith("file:///"):
            text = text[7:]
        if not text.startswith("/") or decodable(text) or text != text.strip() or re.search(r"~|:/|%\w+%", text):
            return False
        if re.search(r"\$[{($?!#@*'\"\[-]" if named else r"\$[\w{($?!#@*'\"\[-]", text):
            return False
        filled = re.sub(r"\$(\w+)", lambda m: self.machine.env.get(m[1], m[0]), text)
        emptied = variables(text, self.machine.env) if "/.." in text else text
        real = [self.machine.kernel(each) for form in (text, filled, emptied) for each in (form, tidy(form))]
        return all(place is not None and any(like(each, place) for each in self.exact) for place in real)

    def certain_url(self, text):
        """Scheme, host and path each inside; the generator's patterns have no other parts, and a literal host."""
        try:
            wanted, found = urlsplit(self.text.replace("?", "\0")), urlsplit(text)
        except ValueError:
            return False  # brackets that hold no address
        if " " in text or found.netloc != wanted.netloc or found.scheme != wanted.scheme:
            return False
        return not wanted.path or like(regex(wanted.path.replace("\0", "?")), found.path)

    def possible_url(self, text):
        """The same host after any slashes, or as a bare name, and the path in some spelling."""
        wanted = urlsplit(self.text.replace("?", "\0"))
        found = re.fullmatch(r"(?is)(?:https:[/\\]*|//[/\\]*|\\\\[/\\]*)(.*)", text)
        return found is not None and any(
            self._is_at(host, rest, wanted)
            for ends in (r"[/?#]", r"/", BROKEN)
            for authority, rest in [re.fullmatch(rf"(?s)(.*?)((?:{ends}.*)?)", found[1]).groups()]
            for host in (authority.split("@")[1:] or [authority])
        )

    @staticmethod
    def _is_at(host, rest, wanted):
        if fold(host.partition(":")[0]).strip(" .") != wanted.netloc:
            return False
        path = fold(re.split(r"[?#]", rest)[0])
        path = "/" + path if path and not path.startswith("/") else path
        plain = "/".join(part.split(";")[0] for part in path.split("/"))  # without parameters
        made = (path or "/", tidy(path), plain or "/", tidy(plain))
        shapes = {shape for each in made for shape in (each, each.rstrip("/") or "/", each.rstrip("/") + "/")}
        # A `?` of the pattern is one character, or begins the query.
        query = re.fullmatch(r"(?s)[^?#]*\?([^#]*).*", rest)
        pieces = wanted.path.replace("\0", "?").split("?")
        cuts = [("?".join(pieces[:at]), "?".join(pieces[at:])) for at in range(1, len(pieces))]
        return not wanted.path or any(
            like(regex(fold(wanted.path.replace("\0", "?"))), each)
            or any(query and like(regex(fold(a)), each) and like(regex(fold(b)), fold(query[1])) for a, b in cuts)
            for each in shapes
        )

    def possible(self, text):
        texts = readings(text, self.machine)
        pieces = {piece for each in texts for piece in carried(each) if piece}
        if self.is_uri and "://" in self.text and any(self.possible_url(each) for each in texts | pieces):
            return True
        if self.is_path:
            texts = places(texts.union(*(readings(piece, self.machine) for piece in pieces)), self.machine)
        return any(like(each, t) for each in self.exact for t in texts) or any(
            like(each, fold(t)) for each in self.folded for t in texts
        )
