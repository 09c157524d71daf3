"""docs/operators/security-checklist.md names tests that exist, and has every chapter of the standard."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs" / "operators"
PAGE = (DOCS / "security-checklist.md").read_text()


def test_every_named_test_exists() -> None:
    named = set(re.findall(r"`(tests/[a-z_/0-9]+\.py)`", PAGE))
    assert len(named) > 40
    assert sorted(name for name in named if not (ROOT / name).is_file()) == []


def test_every_chapter_is_there() -> None:
    chapters = {
        int(number) for line in re.findall(r"^## (V.*)$", PAGE, re.MULTILINE) for number in re.findall(r"V(\d+)", line)
    }
    assert chapters == set(range(1, 18))


def test_the_summary_names_what_is_not_met_and_nothing_else() -> None:
    summary = (DOCS / "security.md").read_text().split("## Requirements that are not met")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (V[\d.]+).*\*\*(?:Not met|In part):\*\*", PAGE, re.MULTILINE)
    assert len(rows) > 8
    assert set(re.findall(r"V[\d.]+\d", summary)) == set(rows)
