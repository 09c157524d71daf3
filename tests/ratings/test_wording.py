"""Formula, summary, help and every step of a sum are those of the parameters in force."""

from typing import Any

import pytest

from ratings.contract.method import Method
from ratings.contract.parameters import ParameterSet
from ratings.contract.system import GameSheet, RatingSystem
from ratings.contract.wording import format_percent, format_plain
from ratings.describe.describing import describe
from ratings.describe.explaining import explain
from ratings.ladder_methods.fide_performance import FidePerformance
from ratings.registry import get_method, get_system, load_methods, load_systems
from ratings.run.replay import rate_game
from ratings.systems.barbu import Barbu
from ratings.systems.serpentine import Serpentine

DECLARED: list[type[RatingSystem] | type[Method]] = [*load_systems().values(), *load_methods().values()]
PRESETS = [(one, preset) for one in DECLARED for preset in one.presets if preset.parameters]


@pytest.mark.parametrize("declared", DECLARED, ids=lambda one: one.key)
def test_with_the_defaults_the_texts_are_those_that_are_declared(declared: type[RatingSystem] | type[Method]) -> None:
    words = declared().wording()
    assert (words.summary, words.formula) == (declared.summary, declared.formula)
    if issubclass(declared, RatingSystem):
        shown = (words.score_help, words.parts, words.figures, words.pairs)
        assert shown == (declared.score_help, declared.parts, declared.figures, declared.pairs)


@pytest.mark.parametrize(("declared", "preset"), PRESETS, ids=lambda one: one.key)
def test_every_published_set_of_parameters_has_a_formula_of_its_own(
    declared: type[RatingSystem] | type[Method], preset: Any
) -> None:
    assert declared.from_json(preset.parameters).wording().formula != declared.formula


def formula(key: str, **parameters: Any) -> str:
    """Return the formula in force of a system or a method."""
    declared: type[ParameterSet] = {**load_systems(), **load_methods()}[key]
    rules: Any = declared.from_json(parameters)
    return str(rules.wording().formula)


def regime(key: str) -> str:
    """Return the formula of one of Barbu's published regimes."""
    (preset,) = [one for one in Barbu.presets if one.key == key]
    return formula("barbu", **preset.parameters)


def test_each_regime_of_barbu_prints_its_own_sums() -> None:
    assert regime("2004-01").splitlines() == [
        "J = 1.04, n includes this game",
        "a_j = R_j · min(n_j, 5) / 5, n_j games before this one",
        "S_i = score_i + mean of a_j over the three opponents",
        "R*_i = ((n − 1) · R_i + J · S_i) / (n + J − 1)",
        "     = R_i + w · (S_i − R_i), w = J / (n + J − 1)",
        "R_i := R*_i",
    ]
    assert regime("2004-05").splitlines() == [
        "K = 0.5^(1/20), n includes this game",
        "a_j = R_j · min(n_j, 5) / 5, n_j games before this one",
        "S_i = 400 · erf(score_i / 400) + mean of a_j over the three opponents",
        "for the ladder the same if score_i > 0, else S_i = score_i + mean of a_j",
        "R*_i = (K · R_i · (1 − K^(n−1)) + (1 − K) · S_i) / (1 − K^n)",
        "     = R_i + w · (S_i − R_i), w = (1 − K) / (1 − K^n)",
        "R_i := R*_i",
    ]
    for key in ("2005-04", "2005-06"):
        assert "K = 0.5^(1/100)" in regime(key)
        assert "N = all players with a game so far; players not at the table pay the same share" in regime(key)
    assert regime("2013-01").endswith("N = 4 players share")


@pytest.mark.parametrize(
    ("key", "parameters", "told"),
    [
        ("barbu", {"newcomer_count": "including"}, "min(n_j, 5) / 5, n_j games, including this one"),
        ("barbu", {"newcomer_count": "off"}, "a_j = R_j\n"),
        ("barbu", {"newcomer_games": 9}, "min(n_j, 9) / 9"),
        ("preferans", {"winner": "lowest"}, "s the negated scores (the lowest wins), B the bula:"),
        ("preferans", {"tie_bonus": "earlier_seat"}, "B/100 to the earlier seat if equal"),
        ("preferans", {"intermediate_decimals": "none"}, "(R_j − R_i) · 2.8 / 100\n"),
        ("preferans", {"magic_number": 3}, "(R_j − R_i) · 3 / 100, both rounded"),
        ("durak", {"scale": 800, "k": 32}, "10^((R_j − R_i) / 800)"),
        ("durak", {"k": 32}, "w = 32 / (n − 1)"),
        ("durak", {"inflation": 0}, "raw_i = 0 + Σ_j"),
        ("durak", {"durak_strength": 0.4, "order_strength": 0.1, "order_power": 2}, "½ + 0.4 if j"),
        ("durak", {"durak_strength": 0.4, "order_strength": 0.1, "order_power": 2}, "0.1 · (|i − j| / slots)^2,"),
        ("durak", {"evidence_penalty": 90}, "⌊R − 90 / √games + ½⌋"),
        ("serpentine", {"full_swing": 0.75}, "16 · (s_i − E_i) / (0.75 · E_i), limited to ±16"),
        ("serpentine", {"rounding": "truncate", "most": 20}, "limited to ±20, the fraction cut off"),
        ("elo", {"k": 32, "scale": 200}, "/ 200))\nchange_i = Σ_j K / (n − 1) · (A_ij − E_ij), K = 32"),
        ("elo", {"provisional_games": 1}, "K = 40 in a player's first 1 game, then 20"),
        ("erf_mean", {"factor": "sqrt_2005"}, "shown = average · √g / (4 · 0.05^(−1/g)) + 1000"),
        ("erf_mean", {"factor": "none", "base": -5}, "shown = average − 5"),
        ("erf_mean", {"games": 40}, "shown = average · erf(g / 40) + 1000"),
        ("best_scores", {"best": 3, "minimum": 1, "of": "performance"}, "best 3 adjusted scores; 1 game to qualify"),
        (
            "rating_score",
            {"evidence_penalty": 50, "evidence": "period"},
            "⌊R − 50 / √games + ½⌋, the games of the period",
        ),
        ("rating_score", {"rounding": "none"}, "score = R − 180 / √games, all games in the league so far"),
        ("points", {"count": "scores"}, "points = the sum of the scores"),
        ("points", {"win": 3, "draw": 1, "loss": -1}, "points = 3 · wins + 1 · draws − 1 · losses"),
        ("fide_performance", {"perfect_score_bonus": 736}, "100%: max r + 736"),
        ("fide_performance", {"unrated": "skip_game"}, "games against unrated opponents do not count"),
        ("fide_performance", {"unrated": 1400}, "unrated opponents count as 1400"),
    ],
)
def test_a_formula_prints_the_parameters_in_force(key: str, parameters: dict[str, Any], told: str) -> None:
    assert told in formula(key, **parameters)


def summary(key: str, **parameters: Any) -> str:
    """Return the summary of a system or a method in force."""
    declared = get_system(key) if key in load_systems() else get_method(key)
    return declared.from_json(parameters).wording().opening


def test_summaries_tell_what_is_in_force() -> None:
    assert "after 20 more games, a game's weight is halved" in summary("barbu", half_life=20)
    assert "the newest one, which counts 1.04 times" in summary("barbu", strength="running_mean_j")
    assert "the less its last points count" in summary("barbu", score_transform="erf_400")
    assert "from everyone with a game so far," in summary("barbu", zero_sum="league")
    assert "so a strength of 0 is average" not in summary("barbu", zero_sum="none")
    assert summary("preferans", winner="lowest").endswith(" The lowest score wins.")
    assert "Each game adds 1 point per player." in summary("durak", inflation=1)
    assert "penalty" not in summary("durak", evidence_penalty=0)
    assert "by 16 points at most, reached at 175% of the expectation or at 25% of it." in summary(
        "serpentine", full_swing=0.75
    )
    assert summary("serpentine", full_swing=1.5, most=10).endswith(
        "10 points at most, reached at 250% of the expectation."
    )
    assert "the others lose" not in summary("elo", provisional_games=30)
    assert "whatever the number" in summary("erf_mean", factor="none")
    assert "your best adjusted scores" in summary("best_scores", of="performance")
    assert "penalty" not in summary("rating_score", evidence_penalty=0)
    assert "sheets" in summary("points", count="scores")


def test_a_part_is_only_the_difference_of_ratings_if_nothing_else_is_in_it() -> None:
    usual, first_seat = (get_system("elo").from_json({"first_seat": points}).wording().parts for points in (0, 60))
    assert [part.label for part in usual] == ["From the result", "Difference of ratings"]
    assert [part.label for part in first_seat] == ["From the result", "Difference of ratings and first seat's points"]


def test_every_step_of_a_sum_bears_the_symbols_in_force() -> None:
    rules = Serpentine(most=20, full_swing=0.75)
    sheet = GameSheet(scores=(40, 60), places=(None, None))
    told = explain(rules, sheet, rate_game(rules, [[1200.0], [1200.0]], [0, 0], sheet))
    assert [part["symbol"] for part in told["seats"][0]["parts"]][:2] == ["20 (s − E) / (0.75 · E)", "±20"]
    assert [figure["symbol"] for figure in told["seats"][0]["figures"]][1:3] == ["20 (s − E) / (0.75 · E)", "±20"]
    assert describe(Serpentine, rules)["parts"][1]["help"] == "No game changes a rating by more than 20 points."


def test_numbers_are_printed_as_people_write_them() -> None:
    assert (format_plain(0.5), format_plain(2.80), format_plain(-1.0), format_plain(100)) == ("½", "2.8", "−1", "100")
    assert (format_percent(0.75), format_percent(1.0 + 0.1), format_percent(2)) == ("75%", "110%", "200%")


def test_a_parameter_says_what_its_word_means_and_a_number_means_itself() -> None:
    kinds = FidePerformance.parameters()
    assert kinds["rank_by"].meaning("aro") == "ARO"
    assert (kinds["unrated"].meaning("skip_game"), kinds["unrated"].meaning(1400)) == ("the game does not count", "")
    assert kinds["minimum"].meaning(3) == ""
