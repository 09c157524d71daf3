"""Comparing: what is judged and refused, the same for everybody, cancelled at once, and kept as JSON."""

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest

from ratings.laboratory import running
from ratings.laboratory.checking import check_wish
from ratings.laboratory.experiments import Candidate, Unjudgeable, compare, serialize_report
from ratings.laboratory.report import ExperimentReport, LaboratoryGames, MeasuredEntrant
from ratings.run import replay as replay_module
from ratings.systems.barbu import Barbu
from ratings.systems.durak import Durak
from ratings.systems.elo import Elo
from ratings.systems.glicko import Glicko
from ratings.systems.preferans import Preferans
from ratings.systems.serpentine import Serpentine
from ratings.systems.weng_lin import WengLin
from tests.helpers.tiers import mark_slow
from tests.ratings.laboratory.games import Game, Result, columns, drawn_league, placed, scored


def told(report: ExperimentReport, label: str) -> MeasuredEntrant:
    """Return what was found of one."""
    (found,) = [one for one in report.measured if one.label == label]
    return found


def refused(system: Any, games: Sequence[Game], **more: Any) -> str:
    """Return why a system cannot rate these games, and see that the others are told all the same."""
    report = compare([Candidate("it", system), Candidate("Elo", Elo())], columns(games, **more), warm_up=0)
    assert report.refused[0].label == "it"
    assert [one.label for one in report.measured][-2:] == ["Always even", "Points per game"]
    return str(report.refused[0].sentence)


def many(*games: Game) -> list[Game]:
    """Return games again and again, evening after evening."""
    return [replace(game, day=day) for day in range(30) for game in games]


LEAGUE = drawn_league(600, seed=3, strength=120.0)
FOUR = many(placed(0, "ada", "bob", "cem", "dee"), placed(0, "bob", "eve", "ada", "cem"))


def test_always_even_is_worth_what_a_coin_is() -> None:
    report = compare([Candidate("Elo", Elo())], columns(LEAGUE), warm_up=100)
    even = told(report, "Always even")
    assert even.log_loss.value == pytest.approx(math.log(2), rel=1e-12)
    assert even.brier.value == pytest.approx(0.25, rel=1e-12)
    assert even.order_accuracy.value == pytest.approx(0.5, rel=1e-12)
    assert (even.score_error.value, even.calibration[0].pairs) == (None, 500)


def test_what_knows_the_players_beats_the_coin_and_the_report_says_so() -> None:
    report = compare([Candidate("Elo, K = 30", Elo(k=30))], columns(LEAGUE), warm_up=100)
    said = [str(one.sentence) for one in report.differences if one.label == "Always even"]
    assert said[0].startswith("“Elo, K = 30” predicts better than “Always even”: its prediction error (log loss) is 0.")
    assert [one.measure for one in report.differences if one.label == "Points per game"] == ["order_accuracy"]
    assert report.measured[0].sentences[0].english().startswith("It predicted ")
    assert (report.games, report.warm_up, report.judged, report.players) == (600, 100, 500, 12)
    assert report.notes == ()


def test_of_games_without_skill_there_is_nothing_to_say() -> None:
    luck = drawn_league(400, seed=5)
    report = compare([Candidate("Elo", Elo(k=4)), Candidate("Weng–Lin", WengLin(beta=40))], columns(luck), warm_up=50)
    (one,) = [one for one in report.differences if (one.label, one.measure) == ("Weng–Lin", "order_accuracy")]
    assert one.better == ""
    assert str(one.sentence).startswith(
        "Not enough games to tell whether “Weng–Lin” or “Elo” predicts more pairs correctly"
    )


def test_one_system_twice_is_no_better_than_itself() -> None:
    report = compare([Candidate("one", Elo()), Candidate("two", Elo())], columns(LEAGUE), warm_up=100)
    found = [one for one in report.differences if one.label == "two"]
    assert [(one.value, one.low, one.high, one.better) for one in found] == [(0.0, 0.0, 0.0, "")] * 4
    assert str(found[0].sentence) == "“two” and “one” have the same prediction error (log loss)."


def test_a_worse_first_candidate_is_said_to_be_worse() -> None:
    wild = Candidate("Elo, K = 400", Elo(k=400))
    report = compare([wild, Candidate("Elo", Elo(k=20))], columns(LEAGUE), warm_up=100)
    found = {one.measure: one for one in report.differences if one.label == "Elo"}
    assert found["log_loss"].better == "Elo"
    assert found["log_loss"].value < 0
    assert found["score_error"].sentence.english().startswith("“")


def test_the_same_seed_gives_the_same_report_and_another_one_other_intervals() -> None:
    one, two, other = (
        compare([Candidate("Elo", Elo())], columns(LEAGUE), warm_up=100, seed=seed) for seed in (4, 4, 5)
    )
    assert serialize_report(one) == serialize_report(two)
    assert one.measured[0].log_loss.value == other.measured[0].log_loss.value
    assert one.measured[0].log_loss.low != other.measured[0].log_loss.low


def test_a_game_is_foretold_by_the_games_before_it_alone() -> None:
    # The last game turned round: what was foretold of all others is as it was, and of itself, too.
    turned = [*LEAGUE[:-1], Game(LEAGUE[-1].day, LEAGUE[-1].results[::-1])]
    one, two = (compare([Candidate("Elo", Elo())], columns(games), warm_up=100) for games in (LEAGUE, turned))
    assert one.measured[0].log_loss.value == pytest.approx(two.measured[0].log_loss.value, rel=1e-12)


def doubles() -> tuple[list[Game], LaboratoryGames]:
    """Return games of two against two among eight players, and their columns."""
    random, games, sides = Random(8), [], []
    for number in range(200):
        names = random.sample([f"p{player}" for player in range(8)], 4)
        strong = sum(int(name[1]) for name in names[:2]) - sum(int(name[1]) for name in names[2:])
        won = random.random() < 1 / (1 + math.exp(-strong / 3))
        results = [Result(name, float(won == (seat < 2)), None) for seat, name in enumerate(names)]
        games.append(Game(number // 8, tuple(results)))
        sides += [1.0, 1.0, 2.0, 2.0]
    return games, columns(games, sides=np.array(sides))


def test_sides_are_foretold_by_the_mean_of_their_ratings() -> None:
    games, played = doubles()
    rating: dict[str, float] = {}
    losses, right = [], 0.0
    for game in games:
        names = [result.player for result in game.results]
        ours, theirs = (sum(rating.get(name, 1500.0) for name in pair) / 2 for pair in (names[:2], names[2:]))
        won, chance = game.results[0].score or 0.0, 1 / (1 + 10 ** ((theirs - ours) / 400))
        losses.append(-math.log(chance if won else 1 - chance))
        right += 0.5 if ours == theirs else float((ours > theirs) == bool(won))
        for seat, name in enumerate(names):
            rating[name] = rating.get(name, 1500.0) + (1 if seat < 2 else -1) * 20 * (won - chance)
    report = compare([Candidate("Elo", Elo()), Candidate("Weng–Lin", WengLin())], played, warm_up=0)
    elo = told(report, "Elo")
    assert (report.pairs, report.judged) == (200, 200)
    assert elo.log_loss.value == pytest.approx(math.fsum(losses) / 200, rel=1e-11)
    assert elo.order_accuracy.value == pytest.approx(right / 200, rel=1e-12)
    assert told(report, "Weng–Lin").log_loss.value is not None


class Silent(Elo):
    """Elo that does not say as whom a side counts."""

    def as_one(self, sides: Any) -> Any:
        """Say nothing."""
        return None


def test_sides_of_which_a_system_says_nothing_are_ordered_by_their_mean_and_promised_nothing() -> None:
    _, played = doubles()
    report = compare([Candidate("Elo", Elo()), Candidate("silent", Silent())], played, warm_up=0)
    assert told(report, "silent").order_accuracy.value == told(report, "Elo").order_accuracy.value
    assert told(report, "silent").log_loss.value is None


def test_a_score_is_foretold_where_a_system_foretells_one() -> None:
    random, games = Random(9), []
    for number in range(60):
        scores = [float(10 * random.randint(-20, 20)) for _ in range(3)]
        names = random.sample([f"p{player}" for player in range(9)], 4)
        games.append(scored(number // 2, **dict(zip(names, [*scores, -sum(scores)], strict=True))))
    rules = Barbu(newcomer_count="off", zero_sum="none")
    report = compare([Candidate("Barbu", rules), Candidate("Elo", Elo())], columns(games), warm_up=10)
    # Strength R: a mean of S = score + mean of the opponents', which weighs the newest game (1 − K) / (1 − K^n).
    k, strength, count, errors = 0.5**0.01, dict[str, float](), dict[str, int](), []
    for number, game in enumerate(games):
        before = [strength.get(one.player, 0.0) for one in game.results]
        for seat, one in enumerate(game.results):
            opponents = (sum(before) - before[seat]) / 3
            assert one.score is not None
            if number >= 10:
                errors.append(abs(one.score - (before[seat] - opponents)))
            n = count[one.player] = count.get(one.player, 0) + 1
            weight = (1 - k) / (1 - k**n)
            strength[one.player] = before[seat] + weight * (one.score + opponents - before[seat])
    barbu = told(report, "Barbu")
    assert barbu.score_error.value == pytest.approx(math.fsum(errors) / len(errors), rel=1e-9)
    assert barbu.score_unit == "Expected score (at which S equals R)"
    assert str(barbu.log_loss.why_not).startswith("“Barbu” does not give win probabilities")
    # Points of a game and shares of opponents are not compared.
    assert {one.measure for one in report.differences if one.label == "Elo"} == {"order_accuracy"}


def test_serpentine_foretells_the_scores_of_the_sheet() -> None:
    games = many(scored(0, ada=40, bob=90, cem=70))
    report = compare([Candidate("Serpentine", Serpentine())], columns(games[:30]), warm_up=0)
    # Everybody begins with 1200 and so with a third of 200.
    first = [abs(score - 200 / 3) for score in (40, 90, 70)]
    error = told(report, "Serpentine").score_error.value
    assert error is not None
    assert error < sum(first) / 3
    assert str(report.notes[0]) == "All games were played by the same 3 players; the results apply only to them."


def test_a_system_that_foretells_no_scores_says_so() -> None:
    games = many(scored(0, ada=40, bob=90, cem=70), scored(0, ada=10, bob=20, dee=-30))
    fields = {"bula": np.full(len(games), 30.0)}
    report = compare([Candidate("Preferans", Preferans())], columns(games, fields=fields), warm_up=0)
    assert str(told(report, "Preferans").score_error.why_not) == "“Preferans” does not predict scores."


def test_scores_of_which_the_lower_wins_reach_each_system_as_it_counts_them() -> None:
    games = many(scored(0, ada=40, bob=90, cem=70), scored(0, ada=-10, bob=20, cem=0, dee=-30))
    games = [Game(game.day, game.results[:3]) for game in games]
    turned = [Game(g.day, tuple(Result(r.player, -(r.score or 0.0), None) for r in g.results)) for g in games]
    fields = {"bula": np.full(len(games), 30.0)}
    candidates = [Candidate("Preferans", Preferans(winner="lowest")), Candidate("Elo", Elo())]
    low = compare(candidates, columns(games, fields=fields, lowest_wins=True), warm_up=0)
    high = compare([Candidate("Preferans", Preferans()), candidates[1]], columns(turned, fields=fields), warm_up=0)
    for label in ("Preferans", "Elo"):
        assert told(low, label).order_accuracy == told(high, label).order_accuracy
    assert told(low, "Elo").log_loss == told(high, "Elo").log_loss


def test_numbers_of_players_that_a_system_does_not_know_refuse_it() -> None:
    assert refused(Barbu(), LEAGUE) == "Barbu rates games of 4 players; 600 games have another number."
    one = [*FOUR, placed(40, "ada", "bob")]
    assert refused(Barbu(), one) == "Barbu rates games of 4 players; 1 game has another number."
    assert refused(Glicko(), FOUR) == "Glicko rates games of 2 players; 60 games have another number."
    assert refused(Ranged(), FOUR) == "Elo rates games of 2 to 3 players; 60 games have another number."


class Ranged(Elo):
    """Elo for two or three, without ties, and scores from −5 on."""

    max_players = 3
    ties = False
    lowest_score = -5.0


def test_results_that_a_system_misses_refuse_it() -> None:
    assert refused(Barbu(), FOUR) == "Barbu needs a score for every seat; 60 games lack one."
    three = many(scored(0, ada=3, bob=2, cem=1), scored(0, ada=1, bob=0, dee=1))
    assert refused(Durak(), three) == "Durak needs a place for every seat; 60 games lack one."
    assert refused(Ranged(), three) == "Elo does not support ties; 30 games have one."
    assert refused(Ranged(), many(scored(0, ada=-6, bob=1), scored(0, ada=2, cem=1))) == (
        "Elo does not support scores below −5; 30 games have one."
    )
    places = np.concatenate([[1.0, np.nan, 3.0, 4.0], np.tile([1.0, 2.0, 3.0, 4.0], 59)])
    assert refused(Elo(), FOUR, places=places) == (
        "Elo needs a score for every seat, or a place for every seat; 1 game has neither."
    )


def test_game_fields_that_a_system_misses_refuse_it() -> None:
    games = many(scored(0, ada=3, bob=2, cem=1), scored(0, ada=1, bob=0, dee=-1))
    said = refused(Preferans(), games)
    assert said.startswith("Preferans needs ")
    assert said.endswith(" for every game; 60 games lack it.")
    bula = np.full(60, 30.0)
    bula[7] = 0.0
    said = refused(Preferans(), games, fields={"bula": bula})
    assert said.startswith("Preferans allows ")
    assert said.endswith("; 1 game has another value.")


def test_sides_refuse_a_system_that_knows_none() -> None:
    _, played = doubles()
    report = compare([Candidate("Durak", Durak()), Candidate("Elo", Elo())], played, warm_up=0)
    said = "Durak does not support teams; 200 games were played in teams."
    assert str(report.refused[0].sentence) == said
    assert {one.against for one in report.differences} == {"Elo"}


def test_what_a_system_refuses_beyond_its_declaration_is_said_of_the_first_such_game() -> None:
    games = many(scored(0, ada=3, bob=-2, cem=-1, dee=0), scored(0, ada=1, bob=0, dee=-1, eve=0))
    assert compare([Candidate("Barbu", Barbu(demand_total="yes"))], columns(games), warm_up=0).refused == ()
    games[8] = scored(games[8].day, ada=3, bob=-2, cem=-1, dee=7)
    said = "Barbu rejects game 9: The scores must sum to 0, but sum to 7."
    assert refused(Barbu(demand_total="yes"), games) == said


class Picky(Elo):
    """Elo that looks at every sheet, its sides and fields included."""

    def can_skip_system_rules(self, *, scores: bool, places: bool) -> bool:
        """Tell that sheets must be looked at."""
        return False


def test_sheets_with_sides_are_looked_at_as_they_were() -> None:
    _, played = doubles()
    assert compare([Candidate("Elo", Picky())], played, warm_up=0).refused == ()


def test_scores_and_places_that_contradict_each_other_do_not_refuse_who_reads_one_of_them() -> None:
    games = many(scored(0, ada=1, bob=0), scored(0, ada=1, cem=0))
    places = np.tile([2.0, 1.0], 60)
    # Who looks at every sheet does not see both either.
    both = [Candidate("Elo", Elo()), Candidate("picky", Picky())]
    report = compare(both, columns(games, places=places), warm_up=0)
    assert report.refused == ()
    assert (told(report, "Elo").order_accuracy.value or 0.0) > 0.9


def test_if_all_are_refused_the_baselines_remain() -> None:
    report = compare([Candidate("Barbu", Barbu())], columns(LEAGUE), warm_up=0)
    assert [one.label for one in report.measured] == ["Always even", "Points per game"]
    assert report.differences == ()


@pytest.mark.parametrize(
    ("games", "warm_up", "sentence"),
    [
        (LEAGUE[:5], 0, "Not enough games: 5 games would be evaluated, and at least 30 are needed."),
        (LEAGUE[:50], 49, "Not enough games: 1 game would be evaluated, and at least 30 are needed."),
        (LEAGUE[:50], 50, "The warm-up of 50 games leaves none to evaluate: there are 50 games."),
        (LEAGUE[:50], -1, "The warm-up of −1 games leaves none to evaluate: there are 50 games."),
        ([], 0, "Not enough games: 0 games would be evaluated, and at least 30 are needed."),
        (
            [replace(game, day=3) for game in LEAGUE[:50]], 0,
            "All these games were played on one day, which says nothing about other days.",
        ),
        (
            many(scored(0, ada=1, bob=0)), 0,
            "Only two players met in these games, so there is no order to predict.",
        ),
        (
            [Game(game.day, tuple(replace(one, score=None) for one in game.results)) for game in LEAGUE[:50]], 0,
            "These games have no order of finish.",
        ),
    ],
)  # fmt: skip
def test_what_lets_nothing_be_said_is_a_sentence(games: list[Game], warm_up: int, sentence: str) -> None:
    with pytest.raises(Unjudgeable) as caught:
        compare([Candidate("Elo", Elo())], columns(games), warm_up=warm_up)
    assert str(caught.value) == str(caught.value.sentence) == sentence


def test_thirty_games_of_three_players_can_be_judged() -> None:
    games = drawn_league(31, seed=5, players=3, strength=100)
    assert {len({one.player for game in games[1:] for one in game.results})} == {3}
    check_wish([Candidate("Elo", Elo())], columns(games), 1)
    with pytest.raises(Unjudgeable, match="29 games"):
        check_wish([Candidate("Elo", Elo())], columns(games), 2)


def test_nobody_to_compare_is_a_sentence() -> None:
    with pytest.raises(Unjudgeable, match="Choose at least one rating system"):
        compare([], columns(LEAGUE), warm_up=0)


def test_few_evenings_give_figures_without_intervals() -> None:
    games = [replace(game, day=game.day % 4) for game in LEAGUE[:200]]
    games.sort(key=lambda game: game.day)
    report = compare([Candidate("Elo", Elo()), Candidate("Weng–Lin", WengLin())], columns(games), warm_up=0)
    sentence = "Not enough games: they were played on 4 days, and an interval needs at least 10."
    elo = told(report, "Elo")
    assert elo.log_loss.value is not None
    assert (elo.log_loss.low, str(elo.log_loss.why_not)) == (None, sentence)
    assert all(one.low is None for one in elo.calibration)
    assert {str(one.sentence) for one in report.differences} == {sentence}
    assert [str(one) for one in report.notes] == [sentence]


class Cancelled(Exception):
    """Somebody cancels."""


def test_progress_goes_from_nothing_to_all_and_whoever_raises_cancels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "PLAIN_PART", 100)
    heard: list[float] = []
    candidates = [Candidate("Elo", Elo()), Candidate("Barbu", Barbu()), Candidate("Weng–Lin", WengLin())]
    compare(candidates, columns(LEAGUE), warm_up=0, progress=heard.append)
    assert heard == sorted(heard)
    assert heard[-1] == 1.0
    assert len(heard) > 20

    def stop(share: float) -> None:
        if share > 0.3:
            raise Cancelled

    with pytest.raises(Cancelled):
        compare(candidates, columns(LEAGUE), warm_up=0, progress=stop)


@pytest.mark.parametrize("compiled", mark_slow([False, True], "Compiles two kernels.", but=[False]))
def test_parts_and_compiling_change_no_figure(monkeypatch: pytest.MonkeyPatch, compiled: bool) -> None:
    candidates = [Candidate("Elo", Elo()), Candidate("Weng–Lin", WengLin())]
    plain = serialize_report(compare(candidates, columns(LEAGUE), warm_up=10))
    monkeypatch.setattr(running, "PLAIN_PART", 64)
    if compiled:
        monkeypatch.setattr(replay_module, "WORTH_COMPILING", 1)
        monkeypatch.setattr(replay_module, "_compiled", set())
    assert serialize_report(compare(candidates, columns(LEAGUE), warm_up=10, compiled=True)) == plain


def test_a_report_is_plain_json() -> None:
    report = compare([Candidate("Elo", Elo()), Candidate("Barbu", Barbu())], columns(LEAGUE), warm_up=10)
    found = serialize_report(report)
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["measured"][0]["log_loss"]["low"] < found["measured"][0]["log_loss"]["value"]
    assert (
        found["refused"][0]["sentence"]["sentence"] == "Barbu rates games of 4 players; 600 games have another number."
    )
    assert type(found["measured"][1]["label"]) is str
