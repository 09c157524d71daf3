"""The page on FIDE's Elo says what the sums declare."""

import re
from pathlib import Path

from ratings.fide.rulings import RULINGS

PAGE = Path(__file__).parents[3] / "docs" / "organisers" / "elo-of-fide.md"


def test_every_ruling_is_on_the_page_in_the_same_words_and_no_other() -> None:
    wanted = [f"**{ruling.number} {ruling.title}.** {ruling.text}" for ruling in RULINGS]
    entries = re.findall(r"^- (\*\*R\d+ .*?)(?=\n- |\Z)", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert [re.sub(r"\s+", " ", entry).strip() for entry in entries] == wanted
