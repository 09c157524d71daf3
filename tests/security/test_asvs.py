"""The list of docs/security.md names tests that exist, and goes through every chapter of the standard."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "security.md").read_text()


def test_every_named_test_exists() -> None:
    named = set(re.findall(r"`(tests/[a-z_/0-9]+\.py)`", PAGE))
    assert len(named) > 40
    assert sorted(name for name in named if not (ROOT / name).is_file()) == []


def test_every_chapter_is_there() -> None:
    chapters = {
        int(number) for line in re.findall(r"^## (V.*)$", PAGE, re.MULTILINE) for number in re.findall(r"V(\d+)", line)
    }
    assert chapters == set(range(1, 18))


def test_what_is_not_met_is_said_twice() -> None:
    """In its chapter, and in the one place where all of it stands."""
    summary = PAGE.split("## What is not met, in one place")[1].split("##")[0]
    for item in re.split(r"\n(?=- |\n)", PAGE.split("## What is not met")[0]):
        text = " ".join(item.split())
        if "**not met**" in text or "**Not met:**" in text or "**In part:**" in text or "**in part" in text:
            chapter = re.match(r"- \*\*V(\d+\.\d+)", text)
            assert chapter is not None, text
            assert chapter.group(1) in summary, text
