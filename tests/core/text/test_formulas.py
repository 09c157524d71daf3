"""Formulas in plain text as MathML."""

import html
import re
from collections import Counter

import pytest

from league.core.text.formulas import typeset
from ratings.contract.method import Method
from ratings.contract.system import RatingSystem
from ratings.registry import load_methods, load_systems

#: TrueSkill's τ with all its digits.
TAU = "0.08333333333333333"


def shape(page: str) -> str:
    """Return MathML with its elements as {name …} and without attributes and rows."""
    page = re.sub(r"</?(mrow|wbr|mspace)[^>]*>", "", page)
    page = re.sub(r"<(m\w+)[^>]*>", lambda match: f"{{{match[1]} ", page)
    return re.sub(r"</m\w+>", "}", page)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a / b", "{math {mfrac {mi a}{mi b}}}"),
        ("(a − b) / 2", "{math {mfrac {mi a}{mo −}{mi b}{mn 2}}}"),
        ("K^(n−1)", "{math {msup {mi K}{mi n}{mo −}{mn 1}}}"),
        ("0,5^(1/100)", "{math {msup {mn 0,5}{mn 1}{mo /}{mn 100}}}"),
        ("√(a² + b)", "{math {msqrt {msup {mi a}{mn 2}}{mo +}{mi b}}}"),
        ("R*_i", "{math {msubsup {mi R}{mi i}{mn ∗}}}"),
        ("RD₀²", "{math {msubsup {mi RD}{mn 0}{mn 2}}}"),
        ("φ'²", "{math {msup {mi φ}{mn ′2}}}"),
        ("ln 10 / 400", "{math {mfrac {mi ln}{mn 10}{mn 400}}}"),
        ("φ(x) / c", "{math {mfrac {mi φ}{mo (}{mi x}{mo )}{mi c}}}"),
        ("Σs / ΣR", "{math {mfrac {mo ∑}{mi s}{mo ∑}{mi R}}}"),
        ("1 / Σ e^x", "{math {mfrac {mn 1}{mo ∑}{msup {mi e}{mi x}}}}"),
        ("|i − j|", "{math {mo |}{mi i}{mo −}{mi j}{mo |}}"),
        ("0.08333333333333333", "{math {mn 0.083333…}}"),
    ],
)
def test_operators_indices_and_functions(text: str, shown: str) -> None:
    assert shape(typeset(text)) == f"<p>{shown}</p>"


def test_words_stand_between_formulas_and_a_line_may_break_before_relations_and_signs() -> None:
    assert shape(typeset("A_ij = 1 for a win, ½ for a draw")) == (
        "<p>{math {msub {mi A}{mi i}{mi j}}}{math {mo =}{mn 1}} for a win, {math {mn ½}} for a draw</p>"
    )
    assert typeset("x = a + b").count("<wbr>") == 2
    assert shape(typeset("points = 1 · wins, half up")).endswith("{math {mo =}{mn 1}{mo ·}{mi wins}{mo ,}} half up</p>")


def test_two_formulas_on_a_line_end_with_their_commas() -> None:
    assert shape(typeset("a = 1, b")) == "<p>{math {mi a}}{math {mo =}{mn 1}{mo ,}} {math {mi b}}</p>"
    assert shape(typeset("f(a, b): c")) == "<p>{math {mi f}{mo (}{mi a}{mo ,}{mi b}{mo )}{mo :}} {math {mi c}}</p>"


def test_each_line_is_a_paragraph_and_letters_are_escaped() -> None:
    assert shape(typeset("a = <b>\nc")) == (
        "<p>{math {mi a}}{math {mo =}{mo &lt;}{mi b}}{math {mo &gt;}}</p>\n<p>{math {mi c}}</p>"
    )


def test_nothing_of_a_formula_is_lost_but_brackets_that_a_fraction_or_a_root_replaces() -> None:
    raised = str.maketrans("²³⁻¹₀*'∑", "23−10∗′Σ")
    declared: list[tuple[str, type[RatingSystem] | type[Method]]] = [*load_systems().items(), *load_methods().items()]
    for key, rules in declared:
        formula = str(rules().wording().formula).replace(TAU, "0.083333…").replace("      ", ";")
        shown = html.unescape(re.sub(r"<[^>]*>", "", typeset(formula)))
        written, kept = (Counter(re.sub(r"[\s()/^_√]", "", text.translate(raised))) for text in (formula, shown))
        assert kept == written, key
