"""The page on the regulations says what is declared."""

import re
from pathlib import Path

from ratings.fide.regulation_rulings import REGULATION_RULINGS

PAGE = Path(__file__).parents[3] / "docs" / "organisers" / "regulations.md"


def test_every_ruling_is_on_the_page_in_the_same_words_and_no_other() -> None:
    wanted = [f"**{ruling.number} {ruling.title}.** {ruling.text}" for ruling in REGULATION_RULINGS]
    entries = re.findall(r"^- (\*\*R\d+ .*?)(?=\n- |\Z)", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert [re.sub(r"\s+", " ", entry).strip() for entry in entries] == wanted
