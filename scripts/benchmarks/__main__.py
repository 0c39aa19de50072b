"""Runs the benchmarks and prints their tables; the exit status says whether every target is met."""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import decisions


def main() -> int:
    with tempfile.TemporaryDirectory() as scratch:
        print("decisions: cost by number of rules")
        text, met = decisions.report(Path(scratch))
        print(text)
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
