"""The page of rulings says what the tie-breaks declare."""

import re
from pathlib import Path

from ratings.contract.declarations import Ruling
from ratings.standings.tie_break_codes import MODIFIERS, all_tie_breaks

PAGE = Path(__file__).parents[3] / "docs" / "organisers" / "rulings-of-tie-breaks.md"


def test_every_ruling_is_on_the_page_in_the_same_words_and_no_other() -> None:
    declared: dict[str, tuple[Ruling, list[str]]] = {}
    for code, tie_break in all_tie_breaks().items():
        for ruling in tie_break.rulings:
            assert declared.setdefault(ruling.number, (ruling, []))[0] is ruling
            declared[ruling.number][1].append(code)
    wanted = []
    for number, (ruling, codes) in sorted(declared.items()):
        parameter = f" Parameter `{ruling.parameter}`." if ruling.parameter else ""
        codes_text = ", ".join(codes)
        wanted.append(f"**{number} {ruling.title}.** {ruling.text}{parameter} Tie-breaks: {codes_text}.")
    page = PAGE.read_text(encoding="utf-8")
    entries = re.findall(r"^- (\*\*R\d+ .*?)(?=\n- |\n#|\Z)", page, re.DOTALL | re.MULTILINE)
    assert [re.sub(r"\s+", " ", entry).strip() for entry in entries] == wanted


def test_every_tie_break_is_in_the_table_with_its_modifiers() -> None:
    page = PAGE.read_text(encoding="utf-8")
    rows = {line.split("`")[1]: line for line in page.splitlines() if line.startswith("| `")}
    assert list(rows) == list(all_tie_breaks())
    for code, tie_break in all_tie_breaks().items():
        assert re.findall(r"`(/\w+)`", rows[code]) == [MODIFIERS[letter][0] for letter in tie_break.modifiers]
        assert tie_break.summary in rows[code]
        assert tie_break.title in rows[code]
