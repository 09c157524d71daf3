"""A long run of tests/fuzz: checks the API against its OpenAPI document."""

import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

HERE = Path(__file__).parent


def fuzz(examples: int) -> int:
    """Run random cases for each operation, print the counts of answers, and return the tests' exit status."""
    with tempfile.TemporaryDirectory(prefix="rungs-fuzz-") as name:
        report = Path(name) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-n", str(os.cpu_count() or 1), "--dist", "worksteal"]
        environment = {**os.environ, "FUZZ_EXAMPLES": str(examples)}
        done = subprocess.run(
            [*command, "tests/fuzz", f"--junitxml={report}"], env=environment, cwd=HERE.parent, check=False
        )
        statuses = answered(report) if report.exists() else Counter()
    print(f"{sum(statuses.values()):,} requests: ", end="")
    print(", ".join(f"{status} {count:,}" for status, count in sorted(statuses.items())))
    return done.returncode


def answered(report: Path) -> Counter[str]:
    """Return the number of answers by status, as recorded by the tests."""
    found: Counter[str] = Counter()
    for noted in ElementTree.parse(report).iter("property"):
        found[noted.attrib["name"]] += int(noted.attrib["value"])
    return found
