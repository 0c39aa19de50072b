"""Runs the benchmarks, prints their tables, writes BENCHMARKS.md. The exit status says whether all targets are met."""

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import decisions
import held
import http_rows
import limits
import page
import privacy
import rows
import shapes
import soak

import configs
import daemon
import proxy
import serve

ROOT = Path(__file__).resolve().parents[2]
PARTS = {"decisions: cost by number of rules": decisions.report, "proxy: added cost beside a bare relay": proxy.report}
PARTS |= {"shapes: the policies and values people have": shapes.report}
PARTS |= {"held: allowed calls beside a hundred that wait for a person": held.report}
PARTS |= {"http: added cost beside a byte-level reverse proxy": http_rows.report}
PARTS |= {"configs: one new server in a very large file": configs.report}
PARTS |= {"daemon: at rest, asked, and at work": daemon.report}
PARTS |= {"limits: what a limit or a budget adds to a call": limits.report}
PARTS |= {"serve: checkIntent beside an empty tool of an SDK server": serve.report}
PARTS |= {"page: the local page, closed and open": page.report}
PARTS |= {"privacy: looking for private data": privacy.report}
SOAK = "soak: config churn and twenty proxies"


def options() -> argparse.Namespace:
    names = [title.partition(":")[0] for title in PARTS]
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__)
    parser.add_argument("--only", metavar="PART,…", default=",".join(names), help=f"of {', '.join(names)}")
    parser.add_argument("--soak", action="store_true", help="churn for some minutes instead: is anything leaking?")
    parser.add_argument("--minutes", type=float, default=3.0, help="how long the soak takes")
    parser.add_argument("--hours", type=float, default=0.0, help="the same")
    args = parser.parse_args()
    if unknown := set(args.only.split(",")) - set(names):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    return args


def main() -> int:
    args = options()
    chosen = {title: report for title, report in PARTS.items() if title.partition(":")[0] in args.only.split(",")}
    if args.soak:
        seconds = args.hours * 3600 or args.minutes * 60
        chosen = {SOAK: lambda scratch: soak.report(scratch, seconds)}
    met, found = True, {}
    for title, report in chosen.items():
        with tempfile.TemporaryDirectory() as scratch:
            found[title], ok = report(Path(scratch))
        met = met and ok
        print(f"\n{title}\n{found[title]}", flush=True)
    notes = (Path(__file__).parent / "notes.md").read_text("utf-8")
    rows.write(ROOT / "BENCHMARKS.md", found, [*PARTS, SOAK], notes)
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
