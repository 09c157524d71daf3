"""Sentences that are kept in English and shown in the language of who reads."""

import json
from collections.abc import Iterator

import pytest

from ratings.laboratory.sentences import (
    EnglishNumber,
    Sentence,
    build_counted_sentence,
    build_sentence,
    build_whole_number,
    format_decimal,
    format_exact,
    join_sentences,
    parse_sentence,
)
from ratings.laboratory.verdicts import describe_difference, format_signed
from ratings.texts import N_, LanguageReader, Marks, N_many, install

WORDS = {
    "“{label}” has {share}.": "{share} hat „{label}“.",
    "Points per game": "Punkte je Spiel",
    "{count} evening of {most}": "{count} Abend von {most}",
    "See: {why}": "Siehe: {why}",
}


@pytest.fixture
def german() -> Iterator[None]:
    """Let somebody read German."""
    forms = {1: "{count} Abend von {most}"}
    before = install(
        LanguageReader(
            lambda text: WORDS.get(text, text),
            lambda one, many, number: forms.get(number, "{count} Abende von {most}"),
            lambda: Marks(",", "."),
        )
    )
    yield
    install(before)


ONE = build_sentence(N_("“{label}” has {share}."), label=N_("Points per game"), share=format_decimal(-1234.567, 2))
MANY = build_counted_sentence(
    N_many("{count} evening of {most}", "{count} evenings of {most}"), 1200, most=build_whole_number(-2000)
)
NESTED = build_sentence(N_("See: {why}"), why=ONE)


def test_a_sentence_is_english_as_data_and_shown_in_the_readers_language(german: None) -> None:
    assert ONE.english() == "“Points per game” has −1,234.57."
    assert str(ONE) == "−1.234,57 hat „Punkte je Spiel“."
    assert MANY.english() == "1,200 evenings of −2,000"
    assert str(MANY) == "1.200 Abende von −2.000"
    assert NESTED.english() == "See: “Points per game” has −1,234.57."
    assert str(NESTED) == "Siehe: −1.234,57 hat „Punkte je Spiel“."
    assert join_sentences([ONE, MANY]) == "−1.234,57 hat „Punkte je Spiel“. 1.200 Abende von −2.000"


def test_one_thing_has_a_form_of_its_own(german: None) -> None:
    one = build_counted_sentence(
        N_many("{count} evening of {most}", "{count} evenings of {most}"), 1, most=build_whole_number(3)
    )
    assert (one.english(), str(one)) == ("1 evening of 3", "1 Abend von 3")


@pytest.mark.parametrize("one", [ONE, MANY, NESTED])
def test_what_is_kept_makes_the_sentence_again(one: Sentence, german: None) -> None:
    kept = one.as_json()
    assert parse_sentence(json.loads(json.dumps(kept))) == one
    assert str(parse_sentence(kept)) == str(one)
    assert kept["sentence"] == one.english()


def test_numbers_are_written_with_a_real_minus_and_a_sign_where_they_differ() -> None:
    assert format_exact(-0.5) == EnglishNumber("−0.5")
    assert [format_signed(value, 2).digits for value in (0.1, -0.1, 0.0, 0.001, -0.001)] == [
        "+0.10", "−0.10", "0.00", "0.00", "0.00",
    ]  # fmt: skip


@pytest.mark.parametrize("measure", ["log_loss", "brier", "score_error"])
def test_the_lower_figure_is_the_better_one(measure: str) -> None:
    better, said = describe_difference(measure, "new", "old", (-0.02, -0.03, -0.01), 50)
    assert better == "new"
    assert "“new”" in said.english().split("than")[0]
    better, said = describe_difference(measure, "new", "old", (0.02, 0.01, 0.03), 50)
    assert better == "old"
    assert "0.01" in said.english().split("lower (")[1].split(" to ")[0]
    assert describe_difference(measure, "new", "old", (0.02, -0.01, 0.03), 50)[0] == ""


def test_the_higher_order_accuracy_is_the_better_one_and_told_in_percentage_points() -> None:
    better, said = describe_difference("order_accuracy", "new", "old", (0.012, 0.004, 0.02), 50)
    assert better == "new"
    assert (
        said.english() == "“new” predicts more pairs correctly than “old”: 1.20 percentage points more (0.40 to 2.00)."
    )
    assert describe_difference("order_accuracy", "new", "old", (-0.012, -0.02, -0.004), 50)[0] == "old"


def test_what_rounds_to_nothing_has_no_sign() -> None:
    assert [format_decimal(value, 3).digits for value in (-0.0004, -0.0, 0.0, -0.0006, -1200.5)] == [
        "0.000", "0.000", "0.000", "−0.001", "−1,200.500",
    ]  # fmt: skip
