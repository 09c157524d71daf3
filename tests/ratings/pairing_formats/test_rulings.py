"""The page of rulings says what the pairing formats declare."""

import re
from pathlib import Path

from ratings.contract.declarations import Ruling
from ratings.registry import load_pairing_formats

PAGE = Path(__file__).parents[3] / "docs" / "organisers" / "rulings-of-pairings.md"


def test_every_ruling_is_on_the_page_in_the_same_words_and_no_other() -> None:
    declared: dict[str, tuple[Ruling, list[str]]] = {}
    for key, pairing_format in load_pairing_formats().items():
        for ruling in pairing_format.rulings:
            declared.setdefault(ruling.number, (ruling, []))[1].append(key)
    wanted = []
    for number, (ruling, keys) in sorted(declared.items()):
        parameter = f" Parameter `{ruling.parameter}`." if ruling.parameter else ""
        wanted.append(f"**{number} {ruling.title}.** {ruling.text}{parameter} Formats: {', '.join(keys)}.")
    entries = re.findall(
        r"^- (\*\*R\d+ .*?)(?=\n- |\n#|\Z)", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    assert [re.sub(r"\s+", " ", entry).strip() for entry in entries] == wanted
