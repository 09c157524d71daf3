"""Texts in the language of who reads: what is declared stays English as data, and nothing shown is forgotten."""

import json
import pickle
import re
import runpy
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from django.template import Context, Template
from django.utils.translation import override

from ratings import texts
from ratings.contract.declarations import check_total
from ratings.contract.method import Method, format_games_to_go, localize_why_not, translate_why_not
from ratings.contract.parameters import NumberParameter, WordOrNumber, WordParameter, format_with_unit
from ratings.contract.system import GameSheet, RatingSystem, complete_state, format_player_count
from ratings.contract.wording import format_percent, format_plain
from ratings.contract.worksheet import fill
from ratings.describe.explaining import explain
from ratings.describe.filling import describe_table
from ratings.describe.house import HOUSE
from ratings.describe.outcomes import explain_missing_outcomes
from ratings.describe.values import describe_parameters
from ratings.forms import build_help_text
from ratings.ladder_methods.fide_performance import FidePerformance
from ratings.registry import get_method, get_system, load_methods, load_systems
from ratings.run.replay import rate_game
from ratings.systems.barbu import Barbu
from ratings.texts import (
    ENGLISH,
    N_,
    LanguageReader,
    Marks,
    N_many,
    ReaderText,
    install,
    localize_number,
    localize_text,
    mark_stored,
    say,
    say_many,
)

ROOT = Path(__file__).parents[2]
MESSAGES = runpy.run_path(str(ROOT / "script" / "messages"))
DECLARED: list[type[RatingSystem] | type[Method]] = [*load_systems().values(), *load_methods().values()]
#: What stands between braces is filled in.
PIECES = re.compile(r"(\{[^{}]*\})")
#: A word of a language; the names in formulas (score_i, erf, raw) are none.
WORD = re.compile(r"(?<![A-Za-z_])(?!erf\b|raw\b|score\b(?! =))[A-Za-z][a-z]{2,}(?![A-Za-z_])")


def veiled(text: str) -> str:
    """Return a text of a language without a Latin letter, with the same fields."""
    return "".join(piece if piece.startswith("{") else re.sub("[A-Za-z]", "ж", piece) for piece in PIECES.split(text))


def veiled_form(one: str, many: str, number: int) -> str:
    """Return the form of that language: it has one for 1, one for 2 to 4, and one for more."""
    return f"{veiled(one if number == 1 else many)}{'' if number < 5 else 'ж'}"


@pytest.fixture
def veil() -> Iterator[None]:
    """Let a reader of that language read, who writes 1.234,5."""
    before = install(LanguageReader(veiled, veiled_form, lambda: Marks(",", "\N{NO-BREAK SPACE}")))
    yield
    install(before)


def test_without_anybody_who_installs_a_reader_everything_is_english() -> None:
    before = install(texts.AS_WRITTEN)
    try:
        assert (say("{n} left", n=3), say_many("{n} game", "{n} games", 1, n=1)) == ("3 left", "1 game")
        assert (say_many("{n} game", "{n} games", 2, n=2), localize_number("-1,234.5")) == ("2 games", "-1,234.5")
        assert str(N_("Rating")) == "Rating"
    finally:
        install(before)
    assert texts.get_english_marks() == ENGLISH


@pytest.mark.usefixtures("veil")
def test_a_declared_text_is_english_as_data_and_another_where_it_is_shown() -> None:
    text = N_("Won & lost")
    assert text == "Won & lost"
    assert {text: 1}["Won & lost"] == 1
    assert json.dumps([text]) == '["Won & lost"]'
    assert (str(text), f"{text}", f"{text:>11}", f"{text}") == (
        "жжж & жжжж",
        "жжж & жжжж",
        " жжж & жжжж",
        "жжж & жжжж",
    )
    assert Template("{{ text }}/{{ text|upper }}").render(Context({"text": text})) == "жжж &amp; жжжж/ЖЖЖ &amp; ЖЖЖЖ"
    again = pickle.loads(pickle.dumps(text))
    assert (type(again), again) == (ReaderText, "Won & lost")


@pytest.mark.usefixtures("veil")
def test_texts_are_said_with_their_values() -> None:
    assert say("{label} is missing.", label=N_("Bula")) == "жжжж жж жжжжжжж."
    assert (say(""), say("{name:1} and")) == ("", "{name:1} жжж")
    assert say_many(*N_many("{count} game", "{count} games"), 7, count=7) == "7 жжжжжж"
    # Two and a half points are said as two are.
    assert say_many("{count} point", "{count} points", 2.5, count="2,5") == "2,5 жжжжжж"
    assert mark_stored("No game.") == "No game."
    assert type(mark_stored("No game.")) is str


@pytest.mark.usefixtures("veil")
def test_a_text_may_be_made_where_it_is_shown() -> None:
    text = localize_text("Each game adds 2 points.", lambda: say("Each game adds {points} points.", points=2))
    assert text == "Each game adds 2 points."
    assert str(text) == "жжжж жжжж жжжж 2 жжжжжж."


@pytest.mark.usefixtures("veil")
def test_numbers_are_written_as_the_reader_writes_them() -> None:
    assert (localize_number("-1,234.5"), format_plain(-2.75), format_plain(0.5)) == (
        "-1\N{NO-BREAK SPACE}234,5",
        "−2,75",
        "½",
    )
    assert format_percent(0.125) == "12,5%"
    assert (
        format_with_unit(1, "points"),
        format_with_unit(2.5, "points"),
        format_with_unit(9, "weeks"),
        format_with_unit(3, ""),
    ) == (
        "1 жжжжж",
        "2,5 жжжжжж",
        "9 weeks",
        "3",
    )


def test_inside_of_django_numbers_are_those_of_the_language() -> None:
    assert format_plain(2.8) == "2.8"
    with override("de"):
        assert (format_plain(2.8), format_percent(1.005), localize_number("1,000.5")) == (
            "2,8",
            "100,5\N{NO-BREAK SPACE}%",
            "1\N{NARROW NO-BREAK SPACE}000,5",
        )
    assert format_plain(2.8) == "2.8"


def words_in(value: Any) -> Iterator[str]:
    """Yield every text of a declaration as it is shown; keys, codes and numbers of rulings are none."""
    if isinstance(value, str):
        yield str(value)
    elif is_dataclass(value):
        for field in fields(value):
            if field.name not in {"key", "number", "parameter", "parameters", "source", "since", "filled", "names"}:
                yield from words_in(getattr(value, field.name))
    elif isinstance(value, tuple | list):
        for one in value:
            yield from words_in(one)


STATIC = (
    *("title", "source", "summary", "score_label", "state", "game_fields", "worksheet", "figures", "pairs"),
    *(
        "performance_label",
        "told",
        "score_help",
        "score_difference",
        "rulings",
        "presets",
        "examples",
        "checks",
        "laws",
    ),
    "columns",
)


def of_parameters(declared: type[RatingSystem] | type[Method]) -> Iterator[str]:
    """Yield the texts of the parameters, with those of the forms and of the values."""
    for kind in declared.parameters().values():
        yield from (str(kind.label), str(kind.help), str(getattr(kind, "unit", "")))
        if not isinstance(kind, NumberParameter):
            yield from (str(meaning) for _, meaning in kind.options)
        yield from without_words(kind, (build_help_text(kind), kind.description()))
    for value in describe_parameters(declared()):
        if value.now not in ("drop",):
            yield from (str(value.label), str(value.now), str(value.help), str(value.meaning))


def without_words(kind: Any, said: tuple[str, ...]) -> Iterator[str]:
    """Yield texts without the words that stand for themselves in them, such as half_away."""
    for text in said:
        found = text
        for word, _ in getattr(kind, "options", ()):
            found = found.replace(f"{word}: ", "")
        yield found


def choices(declared: type[RatingSystem] | type[Method]) -> Iterator[dict[str, Any]]:
    """Yield the defaults, the presets, every word of every choice and both ends of every number."""
    yield {}
    yield from (dict(preset.parameters) for preset in declared.presets)
    for name, kind in declared.parameters().items():
        words = () if isinstance(kind, NumberParameter) else tuple(word for word, _ in kind.options)
        ends = () if isinstance(kind, WordParameter) else (kind.low, kind.high)
        yield from ({name: value} for value in (*words, *ends))


@pytest.mark.usefixtures("veil")
@pytest.mark.parametrize("declared", DECLARED, ids=lambda one: one.key)
def test_every_declared_text_is_said_by_the_reader(declared: type[RatingSystem] | type[Method]) -> None:
    shown = chain.from_iterable(words_in(getattr(declared, name, "")) for name in STATIC)
    forgotten = [text for text in (*shown, *of_parameters(declared)) if WORD.search(PIECES.sub("", text))]
    assert forgotten == []


@pytest.mark.usefixtures("veil")
@pytest.mark.parametrize("declared", DECLARED, ids=lambda one: one.key)
def test_every_text_in_force_is_said_by_the_reader(declared: type[RatingSystem] | type[Method]) -> None:
    forgotten = [
        (parameters, text)
        for parameters in choices(declared)
        for text in words_in(declared.from_json(parameters).wording())
        if WORD.search(PIECES.sub("", text))
    ]
    assert forgotten == []


@pytest.mark.usefixtures("veil")
@pytest.mark.parametrize("system", load_systems().values(), ids=lambda one: one.key)
def test_every_explained_change_is_said_by_the_reader(system: type[RatingSystem]) -> None:
    for example in system.examples:
        rules, sheet = system.from_json(example.parameters), example.sheet
        before = [complete_state(rules, one) for one in example.before]
        rated = rate_game(rules, before, list(example.games) or [0] * sheet.size, sheet)
        told = describe_table(rules, sheet, rated, ["Ж"] * sheet.size)
        said = [text for one in told for text in (one.line, one.sentence)]
        said += [seat["words"] for seat in explain(rules, sheet, rated)["seats"]]
        assert [text for text in said if WORD.search(text) or re.search(r"\d\.\d", text)] == []


def test_a_line_of_numbers_is_worked_out_before_it_is_written_with_a_comma() -> None:
    sheet = GameSheet(scores=(90, 30, -40, -80), places=(None,) * 4)
    rated = rate_game(Barbu(), [[10.5], [0.0], [0.0], [0.0]], [3] * 4, sheet)
    english = [one.line for one in describe_table(Barbu(), sheet, rated, ["a", "b", "c", "d"])]
    with override("de"):
        german = [one.line for one in describe_table(Barbu(), sheet, rated, ["a", "b", "c", "d"])]
    assert any("." in line for line in english)
    assert german == [line.replace(".", ",") for line in english]


BAD = (
    GameSheet(scores=(1.0,), places=(None,)),
    GameSheet(scores=(None,) * 4, places=(None,) * 4, fields={"bula": 30.0}),
    GameSheet(scores=(None,) * 3, places=(None,) * 3, fields={"bula": float("nan")}),
    GameSheet(scores=(1.0, 2.0, 3.0), places=(None,) * 3, fields={"bula": 0.0}),
    GameSheet(scores=(1.0, 2.0, 3.0), places=(None,) * 3, fields={"bula": 1e9}),
    GameSheet(scores=(1.0, 2.0, 3.0), places=(None,) * 3),
    GameSheet(scores=(1.0, 2.0), places=(None,) * 2, fields={"ж": 1.0}),
    GameSheet(scores=(2e9, float("nan"), -5.0, 3.0), places=(9, 0, 1, 2), fields={"bula": 30.0}),
    GameSheet(scores=(1.0, 2.0, 3.0, 4.0), places=(1.5, 2, 2, 2)),  # type: ignore[arg-type]  # as somebody may send it
    GameSheet(scores=(1.0, 2.0, 3.0, 4.0), places=(1, 2, 2, 3)),
)


@pytest.mark.usefixtures("veil")
def test_every_refusal_of_a_sheet_is_said_by_the_reader() -> None:
    refusals = [one for system in load_systems().values() for sheet in BAD for one in system().check(sheet)]
    refusals += check_total(BAD[3], "yes", 7.25)
    codes = {"players", "missing", "out_of_bounds", "not_a_number", "unknown_field", "tie", "contradiction", "total"}
    assert {one.code for one in refusals} == codes
    # What stands in quotation marks is a key, as it was sent.
    assert [one.sentence for one in refusals if WORD.search(re.sub("“.*?”", "", one.sentence))] == []
    assert any("7,25" in one.sentence for one in refusals)


@pytest.mark.usefixtures("veil")
def test_every_refusal_of_a_worksheet_is_said_by_the_reader() -> None:
    worksheet = get_system("preferans").worksheet
    assert worksheet
    whole = {"middle": 1.0, "left": 2.0, "right": 3.0}
    bad = [
        fill(worksheet, [whole, None, whole], [None] * 3),
        fill(worksheet, [{**whole, "ж": 1.0}, {**whole, "left": "x"}, {"left": 1.0}], [None] * 3),
        fill(worksheet, [{**whole, "written": 77.0}, whole, whole], [None] * 3),
        fill(worksheet, [whole] * 3, [1e6] * 3),
    ]
    said = [problem.sentence for problems in bad if isinstance(problems, list) for problem in problems]
    assert len({text[5:] for text in said}) >= 5
    # The names of the columns, as a file has them, are no words.
    keys = re.compile("middle|left|right|written")
    assert [text for text in said if WORD.search(keys.sub("", text))] == []


@pytest.mark.usefixtures("veil")
def test_every_refusal_of_a_parameter_is_said_by_the_reader() -> None:
    for declared in DECLARED:
        for kind in declared.parameters().values():
            values = ("\0", -1e12, 1.5) if isinstance(kind, NumberParameter) else ("\0",)
            said = [kind.problem(value) or "" for value in values]
            assert [text for text in without_words(kind, tuple(bare(kind, said))) if WORD.search(text)] == []
    with pytest.raises(ValueError, match="“ж”") as caught:
        Barbu.from_json({"ж": 1})
    assert not WORD.search(str(caught.value).rpartition(":")[0])


def bare(kind: WordParameter | NumberParameter | WordOrNumber, said: list[str]) -> Iterator[str]:
    """Yield refusals without the list of the words that may be chosen."""
    words = ", ".join(word for word, _ in getattr(kind, "options", ()))
    return (text.replace(words, "") for text in said)


@pytest.mark.usefixtures("veil")
def test_why_somebody_is_not_ranked_is_english_in_the_books_and_said_by_the_reader() -> None:
    assert format_games_to_go(3, 10) == "3 of 10 games played; 7 to go."
    assert translate_why_not(format_games_to_go(3, 10)) == "3 жж 10 жжжжж жжжжжж; 7 жж жж.ж"
    assert translate_why_not(format_games_to_go(0, 1)) == "0 жж 1 жжжж жжжжжж; 1 жж жж."
    assert translate_why_not("No game of the period has a score.") == "жж жжжж жж жжж жжжжжж жжж ж жжжжж."
    assert translate_why_not("") == ""
    shown = localize_why_not(format_games_to_go(3, 10))
    assert (shown, str(shown)) == ("3 of 10 games played; 7 to go.", "3 жж 10 жжжжж жжжжжж; 7 жж жж.ж")
    assert (bool(localize_why_not("")), str(localize_why_not(""))) == (False, "")


def test_every_text_that_is_asked_for_is_found_by_who_writes_the_catalogues() -> None:
    found = {text for path in (ROOT / "ratings").rglob("*.py") for text, _, _ in MESSAGES["texts_in"](path)}
    asked: set[Any] = set()

    def remember(*text: str) -> str:
        asked.add(text if len(text) > 1 else text[0])
        return text[0]

    before = install(LanguageReader(remember, lambda one, many, number: remember(one, many), lambda: ENGLISH))
    try:
        for declared in DECLARED:
            list(chain(of_parameters(declared), *(words_in(getattr(declared, name, "")) for name in STATIC)))
            for parameters in choices(declared):
                list(words_in(declared.from_json(parameters).wording()))
        refusals = [one for system in load_systems().values() for sheet in BAD for one in system().check(sheet)]
    finally:
        install(before)
    assert refusals
    assert len(asked) > 400
    # A line of a formula without a word is no text of the catalogues.
    assert {text for text in asked - found if not isinstance(text, str) or WORD.search(text)} == set()


@pytest.mark.usefixtures("veil")
def test_what_else_is_said_is_said_by_the_reader() -> None:
    said = [format_player_count(system) for system in load_systems().values()]
    said += [ruling_text for ruling in HOUSE for ruling_text in (str(ruling.title), str(ruling.text))]
    said += [explain_missing_outcomes(get_system("barbu")(), 4), explain_missing_outcomes(get_system("durak")(), 9)]
    said += [explain_missing_outcomes(get_system("elo")(), 9), FidePerformance().refusal(get_system("barbu"))]
    # Names of fields of the API stand in rulings of the house.
    names = re.compile("external_id|played_at|replaced_by|at=")
    assert [text for text in said if WORD.search(names.sub("", text))] == []
    assert get_method("points")().wording().formula.startswith("жжжжжж = 1 · жжжж + ½")


def test_one_day_and_one_place_are_no_more_than_one() -> None:
    said = [format_with_unit(value, unit) for unit in ("days", "places") for value in (1, 2)]
    assert said == ["1 day", "2 days", "1 place", "2 places"]
