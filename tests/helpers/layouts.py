"""Config texts by dice: random layout, every shape of a command line, odd names; texts laid out anew."""

import json
import random
import re
import tomllib

from mcpgov.configs.text.json_text import without_comments

BLANKS = ("", "", " ", "  ", "\t", "\n", "\n  ", "\r\n\t")
NOTES = ("/* c */", "// c\n", "/* , ] } */", '// "\n', "// , ]\n", "/*,*/")
HASHES = ("# c\n", "# , ]\n", '# "\n', "#\r\n")
LITERALS = ('"node"', '"a b"', '"\\u006eode"', '"-x"', '"--"', '""', '"é"', '"\\ud83d"', '"--server"', '"/* no */"')
OTHERS = ('"type": "stdio"', '"env": {"A": 1.0, "A": 2}', '"timeout": 1e3', '"x": [ 1 , 2 ]', '"disabled": true')
# As they are written in JSON; the last three cannot be named on a command line, or in TOML.
NAMES = (
    "a", "b\\u0062", "c d", "--", "", "--client", "--server", "--project", "\\n", "\\u001b[2J", "é", "*", "projects",
    "\\u0000", "x\\u0000y", "\\ud83d",
)  # fmt: skip
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s\[\]{},:"]+')
PAIR, ARRAY, NESTED = "pair", "array", "nested"


def unsayable(name):
    return "\\u0000" in name


class Dice:
    """Draws JSON; with comments and trailing commas where the dialect has them."""

    def __init__(self, seed, noted, shape=PAIR):
        self.random = random.Random(seed)
        self.pick = self.random.choice
        self.noted, self.shape = noted, shape
        self.names = self.random.sample(NAMES, 3)
        self.project = self.pick(("/p/q", "--", "--client", "x\\u0000"))

    def gap(self):
        return self.pick(BLANKS) + (self.pick((*[""] * 8, *NOTES)) if self.noted else "") + self.pick(BLANKS)

    def row(self, opening, items, closing):
        body = ",".join(f"{self.gap()}{item}{self.gap()}" for item in items) or self.gap()
        comma = "," + self.gap() if self.noted and items and self.pick((True, False, False)) else ""
        return f"{opening}{body}{comma}{closing}"

    def pair(self, key, value):
        return f'"{key}"{self.gap()}:{self.gap()}{value}'

    def array(self, least=0, most=3):
        return self.row("[", [self.pick(LITERALS) for _ in range(self.pick(range(least, most + 1)))], "]")

    def shuffled(self, members):
        order = sorted(range(len(members)), key=lambda at: (self.pick(range(3)), at))
        return self.row("{", [members[at] for at in order], "}")

    def command(self, key):
        args = self.pick((None, None, "null", "list", "list", "list"))
        members = [self.pair(key, self.pick(LITERALS[:5]))]
        return members if args is None else [*members, self.pair("args", args if args == "null" else self.array())]

    def entry(self):
        if self.shape == ARRAY:
            first = self.pick(LITERALS[:5])
            rest = [self.pick(LITERALS) for _ in range(self.pick(range(3)))]
            members = [self.pair("command", self.row("[", [first, *rest], "]"))]
        elif self.shape == NESTED:
            members = [self.pair("command", self.shuffled([*self.command("path"), '"env": {"A": "b"}']))]
        else:
            members = self.command("command")
        return self.shuffled([*members, *(other for other in OTHERS if self.pick((True, False, False)))])

    def text(self, key="mcpServers"):
        servers = self.row("{", [self.pair(name, self.entry()) for name in self.names], "}")
        project = self.row("{", [self.pair("history", self.array()), self.pair(key, servers)], "}")
        projects = self.row("{", [self.pair(self.project, project)], "}")
        top = [self.pair(key, servers), self.pair("n", "-0.0"), self.pair("projects", projects)]
        return self.pick(("", "\ufeff")) + self.row("{", top, "}") + self.pick(("", "\n", "\r\n"))

    def sayable(self, *, projects=True):
        """How many entries can be wrapped."""
        good = sum(not unsayable(name) for name in self.names)
        return good * (2 if projects and not unsayable(self.project) else 1)


class TomlDice(Dice):
    """Draws TOML: tables, inline tables and dotted keys; arrays may be on many lines and have comments."""

    def __init__(self, seed):
        super().__init__(seed, True)
        self.names = self.random.sample(NAMES[:-1], 3)

    def gap(self):
        return self.pick(BLANKS) + self.pick((*[""] * 8, *HASHES)) + self.pick(BLANKS)

    def array(self, least=0, most=3):
        items = [self.pick(LITERALS).replace("\\ud83d", "'") for _ in range(self.pick(range(least, most + 1)))]
        return self.row("[", items, "]")

    def text(self):
        return self.pick(("", "\ufeff")) + "".join(self.table(name) for name in self.names) + self.pick(("", "[z]\n"))

    def table(self, name):
        command = f"command{self.pick(('=', ' = '))}{self.pick(LITERALS[:5])}"
        args = [f"args = {self.array()}"] if self.pick((True, True, False)) else []
        pairs = [command, *args, *(["timeout = 2.0"] if self.pick((True, False)) else [])]
        end = self.pick(("\n", "\r\n", " # , ]\n"))
        if self.pick((True, True, False)):
            return f'[mcp_servers."{name}"]{end}' + "".join(f"{pair}{end}" for pair in pairs) + self.pick(("", "\n"))
        return f'[mcp_servers]\n"{name}" = {{ {", ".join(pairs)} }}\n' if name == self.names[0] else self.dotted(name)

    def dotted(self, name):
        return f'[mcp_servers."{name}"]\n"command" = "x"\nenv.A = "b"\n'


def laid_out_anew(text, seed):
    """The same JSON values in another layout, with comments and trailing commas."""
    dice = Dice(seed, True)
    out, last = [dice.gap()], ""
    for token in TOKEN.findall(without_comments(text.removeprefix("\ufeff"))):
        if token in "]}" and last not in "[{" and dice.pick((True, False)):
            out += [",", dice.gap()]
        out += [token, dice.gap()]
        last = token
    return "".join(out)


def arrays_anew(text, seed):
    """A TOML text, its `args` in another layout: comments, line breaks, trailing commas."""
    dice = TomlDice(seed)

    def lay(found):
        items = tomllib.loads(f"v = {found[2]}")["v"]
        return f"{found[1]}{dice.row('[', [json.dumps(item) for item in items], ']')}"

    return re.sub(r"(args = )(\[(?:[^\]\"#]|\"(?:[^\"\\]|\\.)*\")*\])", lay, text)
