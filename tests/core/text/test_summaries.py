"""The one line that a page shows of a longer description is never cut inside a clause."""

import pytest

from league.core.text.summaries import summarize

LONG = "Thursday evenings in the back room of the Blue Lion, with tea; everybody who knows the rules is welcome to come"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", ""),
        ("Six boats per race; the last one is the Durak. Data: MIT.", "Six boats per race; the last one is the Durak."),
        ("\n\n  We play\ton Thursdays \nand more", "We play on Thursdays"),
        ("St. Petersburg chess club. Since 1904.", "St. Petersburg chess club."),
        ("We play e.g. chess! Come.", "We play e.g. chess!"),
        ("Version 2.5 of the rules. All of them.", "Version 2.5 of the rules."),
        (LONG, "Thursday evenings in the back room of the Blue Lion, with tea."),
        ("A " + "very " * 30 + "long sentence", ""),
        ("So, " + "very " * 30 + "long", ""),
        ("x" * 90, "x" * 90),
        ("x" * 91, ""),
        ("\u6bce\u9031\u6728\u66dc\u3002\u8ab0\u3067\u3082\u3002", "\u6bce\u9031\u6728\u66dc\u3002"),
    ],
)
def test_the_line(text: str, line: str) -> None:
    assert summarize(text) == line
