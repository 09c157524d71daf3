"""The table of docs/security.md names tests that exist, and goes through every chapter of the standard."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TABLE = (ROOT / "docs" / "security.md").read_text()


def test_every_named_test_exists() -> None:
    named = set(re.findall(r"`(tests/[a-z_/0-9]+\.py)`", TABLE))
    assert len(named) > 40
    assert sorted(name for name in named if not (ROOT / name).is_file()) == []


def test_every_chapter_is_there() -> None:
    chapters = {
        int(number) for line in re.findall(r"^## (V.*)$", TABLE, re.MULTILINE) for number in re.findall(r"V(\d+)", line)
    }
    assert chapters == set(range(1, 18))


def test_what_is_not_met_is_said_twice() -> None:
    """In its chapter, and in the one place where all of it stands."""
    summary = TABLE.split("## What is not met, in one place")[1].split("##")[0]
    for line in TABLE.split("## What is not met")[0].splitlines():
        if "**not met**" in line or "**Not met:**" in line or "**In part:**" in line or "**in part" in line:
            chapter = re.search(r"\| V(\d+\.\d+)", line)
            assert chapter is not None, line
            assert chapter.group(1) in summary, line
