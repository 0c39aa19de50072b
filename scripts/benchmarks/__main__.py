"""Runs the benchmarks, prints their tables, writes BENCHMARKS.md. The exit status says whether all targets are met."""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import decisions

import proxy

ROOT = Path(__file__).resolve().parents[2]
PARTS = {"decisions: cost by number of rules": decisions.report, "proxy: added cost beside a bare relay": proxy.report}


def main() -> int:
    met, text = True, []
    for title, report in PARTS.items():
        with tempfile.TemporaryDirectory() as scratch:
            table, ok = report(Path(scratch))
        met = met and ok
        print(f"\n{title}\n{table}")
        text += [f"## {title}", "", "```", table, "```", ""]
    notes = (Path(__file__).parent / "notes.md").read_text("utf-8")
    head = "# Benchmarks\n\nWritten by `./scripts/bench`: ratios inside one run; absolute times mean little.\n\n"
    (ROOT / "BENCHMARKS.md").write_text(head + "\n".join(text) + "\n" + notes, "utf-8")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
