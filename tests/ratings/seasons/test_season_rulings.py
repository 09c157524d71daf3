"""The page of rulings says what the rules of seasons declare."""

import re
from pathlib import Path

from ratings.seasons.rules import DivisionRule, SeriesRule, StageRule

PAGE = Path(__file__).parents[3] / "docs" / "organisers" / "rulings-of-seasons.md"


def test_every_ruling_is_on_the_page_in_the_same_words_and_no_other() -> None:
    wanted = [
        f"**{ruling.number} {ruling.title}.** {ruling.text} Parameter `{ruling.parameter}`."
        for kind in (DivisionRule, SeriesRule, StageRule)
        for ruling in kind.rulings
    ]
    entries = re.findall(r"^- (\*\*R\d+ .*?)(?=\n- |\Z)", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert [re.sub(r"\s+", " ", entry).strip() for entry in entries] == wanted
