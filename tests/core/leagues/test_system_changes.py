"""A league changes its rating system: against a league that had the new one from the first game, and plain replays."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from django.utils import timezone

from league.core.dry_runs.services.diff import Diff
from league.core.dry_runs.services.run import preview_rule, preview_void
from league.core.errors import Refused
from league.core.games.services.explain import explain_game
from league.core.games.services.game_input import NewGame
from league.core.games.services.record import correct_game, restore_game, void_game
from league.core.games.services.what_if import compute_what_if
from league.core.jobs.services.progress import ignore_progress
from league.core.jobs.services.work import WorkerNeeded
from league.core.ladders.services.ladders import RankingRule, create_ladder
from league.core.leaderboard.selectors.current_board import build_listing
from league.core.leaderboard.selectors.past import compute_leaderboard_at
from league.core.leagues.services.adjustments import AdjustmentData, adjust
from league.core.leagues.services.leagues import adopt_rule, withdraw_rule
from league.core.locking import run_with_league_lock
from league.core.players.selectors.versus import load_versus
from league.core.players.services.players import add_player, set_initial_rating
from league.core.replay.services.background import run_long_replay
from league.core.replay.services.current_ratings import refresh_current_ratings
from league.core.replay.services.inline import mark_stale, replay_from
from league.core.rules.selectors.rules import load_rules
from league.core.transfer.services.restore import restore_league
from league.core.verify.run import verify_league
from league.models import Game, GamelessChange, League, Player, Rating, RatingChange, Rule, Standing
from tests.helpers.api_client import Api
from tests.helpers.builders import FOUR, derived, make_league, record, sheet
from tests.helpers.restore_builders import export_of, lines_file
from tests.helpers.tiers import examples, long_way

pytestmark = pytest.mark.django_db

START = datetime(2024, 1, 5, 19, tzinfo=UTC)
DAY, LATER = date(2024, 2, 1), date(2024, 2, 20)
SEAM = datetime(2024, 2, 1, tzinfo=UTC)
LINE = ("number", "player__handle", "before", "change", "after", "state_1", "state_2", "state_3", "shift")
RATING = ("player__handle", "rating", "settled", "state_1", "state_2", "state_3", "score", "shift")
#: Days after the start; 26 and less lie before the seam.
DAYS = (0, 3, 6, 9, 12, 15, 18, 21, 24, 29, 33, 38, 44, 51, 60)
SEASON = {"days": ["01-15", "02-01", "03-01"], "pull": 0.5}


def games_of_two(seed: int = 1, days: Sequence[float] = DAYS) -> list[NewGame]:
    """Return sheets of two."""
    random, results = Random(seed), [(1, 0), (0, 1), (1, 1)]
    return [
        sheet(random.sample(FOUR, 2), random.choice(results), played_at=START + timedelta(days=day)) for day in days
    ]


def lines_since(league: League, moment: datetime = SEAM) -> list[Any]:
    """Return the lines of games since a moment."""
    rows = RatingChange.objects.filter(league=league, at__gte=moment, step=1).order_by("at", "order_key", "seat")
    return list(rows.values_list(*LINE))


def standings(league: League) -> list[Any]:
    """Return the current ratings."""
    return list(Rating.objects.filter(league=league).order_by("player__handle").values_list(*RATING))


def everything(league: League) -> Any:
    """Return everything derived, without the keys of rows."""
    rows = GamelessChange.objects.filter(league=league).order_by("at", "number", "player__handle")
    names = [field.attname for field in GamelessChange._meta.fields if field.name not in ("id", "league")]
    return derived(league), list(rows.values_list(*names))


def replayed(league: League) -> Any:
    """Replay from nothing, and return everything derived."""
    run_with_league_lock(league.pk, lambda found, now: replay_from(found, None))
    return everything(league)


def held(league: League) -> None:
    """Hold the league's data to its log, to plain replays and to a league restored from its export."""
    books = everything(league)
    assert verify_league(league.pk).differences == []
    refresh_current_ratings(league.pk)
    assert everything(league) == books
    assert replayed(league) == books
    run_with_league_lock(league.pk, lambda found, now: mark_stale(found, (SEAM + timedelta(days=3), 0)))
    run_long_replay(league.pk)
    assert everything(league) == books
    again = restore_league(lines_file(export_of(league)), slug="again", known_players=True, by="test").league
    assert everything(again) == books
    assert verify_league(again.pk).differences == []


def play(league: League, games: Sequence[NewGame]) -> League:
    """Record games."""
    for new in games:
        record(league, new)
    return league


def changed(
    system: str = "glicko2", parameters: Mapping[str, Any] | None = None, *, slug: str = "club", **more: Any
) -> League:
    """Return a league that rates by Elo until the seam, without games."""
    league = make_league(slug=slug)
    adopt_rule(league.pk, system, parameters or {}, DAY, username="test", **more)
    return League.objects.get(pk=league.pk)


@pytest.mark.parametrize("system", ["glicko2", "trueskill", "weng_lin"])
def test_replayed_ratings_are_bit_for_bit_those_of_a_league_that_always_had_the_system(system: str) -> None:
    league, elo, other = changed(system), make_league(slug="elo"), make_league(system, slug="other")
    for one in (league, elo, other):
        play(one, games_of_two())
    assert lines_since(league) == lines_since(other)
    assert len(lines_since(league)) == 2 * 6
    assert standings(league) == standings(other)
    # What was before stays.
    assert lines_since(league, START)[: 2 * 9] == lines_since(elo, START)[: 2 * 9]


def test_everything_is_held_to_the_log_and_restored() -> None:
    league = play(changed(season=SEASON), games_of_two())
    other = make_league(slug="other")
    Rule.objects.filter(league=other).delete()
    adopt_rule(other.pk, "glicko2", {}, season=SEASON, username="test")
    play(other, games_of_two())
    assert lines_since(league) == lines_since(other)
    assert standings(league) == standings(other)
    held(league)


@long_way
def test_a_long_league_changes_by_a_worker(settings: Any) -> None:
    league, late = play(changed(), games_of_two()), play(make_league(slug="late"), games_of_two())
    short = preview_rule(late, "glicko2", {}, DAY)
    settings.RUNGS_INLINE_GAMES = 3
    with pytest.raises(WorkerNeeded):
        preview_rule(late, "glicko2", {}, DAY)
    assert preview_rule(late, "glicko2", {}, DAY, progress=ignore_progress) == short
    adopt_rule(late.pk, "glicko2", {}, DAY, username="test")
    assert verify_league(late.pk).differences == []
    run_long_replay(late.pk)
    assert everything(late) == everything(league)


@long_way
@pytest.mark.sampled(every=2)
@pytest.mark.parametrize("start", ["replayed", "anew"])
def test_a_worker_s_dry_run_shows_what_a_short_one_shows_on_ladders_too(start: str, settings: Any) -> None:
    league = changed(start=start)
    create_ladder(league.pk, "all", "All", RankingRule("fide_performance", "all_time", {}), username="test")
    # Eve has no game since, but the one that is void.
    add_player("eve", "Eve")
    games = [sheet(("eve", "anna"), (1, 0), played_at=START), *games_of_two()]
    play(league, [*games, sheet(("eve", "ben"), (1, 0), played_at=SEAM + timedelta(days=2))])

    def shown(progress: Any = None) -> list[Diff]:
        voided = [preview_void(league, number, "Wrong.", progress=progress) for number in (3, 17)]
        back = preview_rule(league, "elo", {}, LATER, progress=progress)
        return [*voided, back, preview_rule(league, "weng_lin", {}, LATER, start="anew", progress=progress)]

    short = shown()
    settings.RUNGS_INLINE_GAMES = 3
    long = shown(ignore_progress)
    assert long == short
    assert short[2].periods
    assert short[3].periods


@pytest.mark.parametrize("days", [DAYS, DAYS[9:]], ids=["met before", "newcomers"])
def test_what_was_expected_of_the_first_meeting_since_is_that_of_the_new_system(days: Sequence[float]) -> None:
    league, other = changed("weng_lin"), make_league("weng_lin", slug="other")
    expected = []
    for one in (league, other):
        play(one, [sheet(("anna", "ben"), (1, 0), played_at=START + timedelta(days=day)) for day in days])
        players = [Player.objects.get(handle=handle) for handle in ("anna", "ben")]
        found = load_versus(one, players[0], players[1], load_rules(one)).meetings
        expected.append([meeting.expected for meeting in found if meeting.at >= SEAM])
    assert expected[0] == expected[1]


def test_whoever_comes_since_the_change_begins_in_its_units() -> None:
    league, other = changed(), make_league("glicko2", slug="other")
    for one in (league, other):
        play(one, games_of_two(1, DAYS[9:]))
    assert everything(league) == everything(other)
    held(league)


@long_way
def test_a_correction_before_the_seam_replays_both_sides_and_back_gives_the_same_bits() -> None:
    league, other = play(changed(), games_of_two()), play(make_league("glicko2", slug="other"), games_of_two())
    books = everything(league)
    for one in (league, other):
        correct_game(one.pk, 3, sheet(("dan", "ben"), (1, 0)), reason="Wrong.", username="test")
        void_game(one.pk, 5, reason="Wrong.", username="test")
        play(one, games_of_two(2, (4.5, 29.5)))
    assert everything(league) != books
    assert lines_since(league) == lines_since(other)
    assert standings(league) == standings(other)
    assert replayed(league) == everything(league)
    for number in (17, 18):
        void_game(league.pk, number, reason="Wrong.", username="test")
    restore_game(league.pk, 5, reason="Right.", username="test")
    restore_game(league.pk, 3, reason="Right.", username="test")
    numbered = [(line[0], *line[2:]) for line in books[0][0]]
    assert [(line[0], *line[2:]) for line in everything(league)[0][0]] == numbered
    held(league)


@long_way
@pytest.mark.sampled(every=3)
@pytest.mark.parametrize("seed", range(examples(3)))
def test_whatever_is_done_in_which_order_both_sides_are_what_the_facts_give(seed: int) -> None:
    random, league, other = Random(seed), changed(), make_league("glicko2", slug="other")
    anew = changed(slug="anew", start="anew")
    for _ in range(14):
        live = list(Game.objects.filter(league=league, voided_at=None).values_list("number", flat=True))
        (new,) = games_of_two(random.randrange(99), [random.randrange(60)])
        number, done = random.choice(live or [0]), random.random()
        for one in (league, other, anew):
            if done < 0.6 or not live:
                record(one, new)
            elif done < 0.8:
                void_game(one.pk, number, reason="Wrong.", username="test")
            else:
                correct_game(one.pk, number, new, reason="Wrong.", username="test")
        assert lines_since(league) == lines_since(other)
        if lines_since(league):
            assert standings(league) == standings(other)
    for one in (league, anew):
        books = everything(one)
        assert replayed(one) == books
        refresh_current_ratings(one.pk)
        assert everything(one) == books
        assert verify_league(one.pk).differences == []


@long_way
def test_anew_begins_as_for_newcomers_and_the_games_go_on_counting() -> None:
    parameters = {"k": 20, "provisional_games": 3, "provisional_k": 40}
    league = make_league("glicko2")
    adopt_rule(league.pk, "elo", parameters, DAY, start="anew", username="test")
    play(league, games_of_two())
    other = play(
        make_league(parameters=parameters, slug="other"),
        [one for one in games_of_two() if one.played_at and one.played_at > SEAM],
    )
    assert [line[2:] for line in lines_since(league)] == [line[2:] for line in lines_since(other)]
    counts = dict(Rating.objects.filter(league=league).values_list("player__handle", "games"))
    assert sum(counts.values()) == 2 * len(DAYS)
    # Whoever has not played since stands at the start.
    assert {row[0]: row[1] for row in standings(other)}.items() <= {row[0]: row[1] for row in standings(league)}.items()
    first = lines_since(league)[0]
    explained = explain_game(league, first[0])
    assert list(explained.rated.change) == [line[3] for line in lines_since(league)[:2]]
    held(league)


@long_way
def test_several_changes_and_a_dated_rule_of_one_system() -> None:
    league, other = changed(), make_league(slug="other")
    adopt_rule(league.pk, "elo", {}, LATER, username="test")
    for one in (league, other):
        adopt_rule(one.pk, "elo", {"k": 30}, date(2024, 2, 28), username="test")
        play(one, games_of_two())
    second = datetime(2024, 2, 20, tzinfo=UTC)
    assert lines_since(league, second) == lines_since(other, second)
    assert standings(league) == standings(other)
    changes = GamelessChange.objects.filter(league=league, player__handle="anna")
    assert [line.cause for line in changes] == ["system"] * 2
    held(league)


@long_way
def test_starts_and_adjustments_are_in_the_units_of_their_time() -> None:
    league, other = changed(), make_league("glicko2", slug="other")
    anna, eve = Player.objects.get(handle="anna"), add_player("eve", "Eve")
    set_initial_rating(league.pk, anna, 1900)
    for one in (league, other):
        play(one, games_of_two())
        # Whoever plays the first game since the change starts by the new system, or as the league says in its units.
        set_initial_rating(one.pk, eve, 1777)
        record(one, sheet(("eve", "ben"), (1, 0), played_at=SEAM + timedelta(days=9)))
    adjust(league.pk, anna, AdjustmentData(-50, "Late.", START + timedelta(days=20)), username="test")
    assert lines_since(league) == lines_since(other)
    assert [line[2] for line in lines_since(league) if line[1] == "eve"] == [1777.0]
    adjust(league.pk, anna, AdjustmentData(25, "Cup.", SEAM + timedelta(days=1)), username="test")
    adjust(other.pk, anna, AdjustmentData(25, "Cup.", SEAM + timedelta(days=1)), username="test")
    assert lines_since(league) == lines_since(other)
    assert standings(league) == standings(other)
    held(league)


def test_a_change_of_a_day_to_come_begins_with_the_first_game_since() -> None:
    league, other = make_league(), make_league("glicko2", slug="other")
    tomorrow = (timezone.now() + timedelta(days=1)).date()
    first = datetime.combine(tomorrow, datetime.min.time(), UTC) + timedelta(seconds=1)
    for one in (league, other):
        play(one, games_of_two())
    elo, books = standings(league), everything(league)
    adopt_rule(league.pk, "glicko2", {}, tomorrow, username="test")
    league.refresh_from_db()
    assert everything(league) == books
    # What the change would do is shown all the same.
    diff = preview_rule(other, "elo", {}, tomorrow)
    assert {(one.player, one.after) for one in diff.ratings} <= {(row[0], row[1]) for row in elo}
    assert diff.games_replayed == len(DAYS)
    with pytest.raises(Refused):
        compute_what_if(league, sheet(("anna", "ben"), played_at=first))
    for one in (league, other):
        record(one, sheet(("anna", "ben"), (1, 0), played_at=first))
    assert standings(league) == standings(other)
    void_game(league.pk, len(DAYS) + 1, reason="Wrong.", username="test")
    assert everything(league) == books
    withdraw_rule(league.pk, tomorrow, username="test")
    assert len(load_rules(league)) == 1


def test_the_board_of_a_past_moment_is_that_of_its_system() -> None:
    league, elo, other = changed(), make_league(slug="elo"), make_league("glicko2", slug="other")
    for one in (league, elo, other):
        play(one, games_of_two())
    for moment, same in ((SEAM - timedelta(days=1), elo), (SEAM, elo), (SEAM + timedelta(hours=1), other)):
        boards = [compute_leaderboard_at(one, build_listing(one, moment), moment) for one in (league, same)]
        rows = [[(row.handle, row.score, row.stored, row.state, row.provisional) for row in board] for board in boards]
        assert rows[0] == rows[1]


THREE = sheet(("anna", "ben", "cleo"), (2, 1, 0))


@pytest.mark.parametrize(
    ("old", "games", "system", "more", "pointer", "code"),
    [
        ("weng_lin", [THREE], "glicko2", {}, "/system", "other_games"),
        ("weng_lin", [THREE], "glicko2", {"start": "anew"}, "", ""),
        ("weng_lin", [sheet(("anna", "ben", "cleo"), (2, 1, 0), played_at=SEAM)], "glicko2", {"start": "anew"},
         "/system", "other_games"),
        ("elo", [], "elo", {"start": "anew"}, "/start", "same_system"),
        ("elo", [sheet(("anna", "ben"), (1, 0))], "barbu", {}, "/system", "other_games"),
    ],
)  # fmt: skip
def test_what_a_league_cannot_have_is_refused(
    old: str, games: Sequence[NewGame], system: str, more: Mapping[str, Any], pointer: str, code: str
) -> None:
    league = make_league(old)
    play(league, [one if one.played_at == SEAM else replace(one, played_at=START) for one in games])
    books = everything(league)
    if not pointer:
        adopt_rule(league.pk, system, {}, DAY, username="test", **more)
        return
    with pytest.raises(Refused) as caught:
        adopt_rule(league.pk, system, {}, DAY, username="test", **more)
    assert [(one.pointer, one.code) for one in caught.value.problems] == [(pointer, code)]
    assert (everything(league), len(load_rules(league))) == (books, 1)


def test_a_sheet_before_the_seam_that_the_new_system_cannot_replay_is_refused() -> None:
    league = make_league("weng_lin")
    adopt_rule(league.pk, "glicko2", {}, DAY, username="test")
    three = replace(THREE, played_at=START)
    with pytest.raises(Refused) as caught:
        record(league, three)
    assert [(one.pointer, one.code) for one in caught.value.problems] == [("/results", "players")]
    # What only the new system does not use is no reason: a weight.
    record(league, sheet(("anna", "ben"), (1, 0), weight=2.0, played_at=START))
    with pytest.raises(Refused):
        record(league, sheet(("anna", "ben"), (1, 0), weight=2.0, played_at=SEAM))


def test_the_api_changes_the_system_and_tells_of_it() -> None:
    play(make_league(), games_of_two())
    play(make_league("glicko2", slug="other"), games_of_two())
    api = Api("organise")
    rule = {"system": "glicko2", "from": "2024-02-01"}
    diff = api.post("leagues/club/rules/?dry_run=true", rule).data
    assert diff["games_replayed"] == len(DAYS)
    assert {one["player"]: one["after"] for one in diff["ratings"]} == {row[0]: row[1] for row in standings_of("other")}
    assert len(api.get("leagues/club/rules/").data["results"]) == 1
    answer = api.post("leagues/club/rules/", rule)
    assert (answer.status_code, answer.data["start"]) == (201, "replayed")
    assert [one["start"] for one in api.get("leagues/club/rules/").data["results"]] == ["replayed", "replayed"]
    boards = [api.get(f"leagues/{slug}/leaderboard/").data["results"] for slug in ("club", "other")]
    names = ("player", "rank", "score", "rating", "state", "provisional", "games")
    rows = [[[row[name] for name in names] for row in board] for board in boards]
    assert rows[0] == rows[1]
    history = api.get("leagues/club/players/anna/history/").data["results"]
    (change,) = [line for line in history if line["cause"] == "system"]
    assert (change["game"], change["adjustment"], set(change["state"])) == (None, None, set(boards[1][0]["state"]))
    assert all(one["after"] == two["before"] for one, two in pairwise(history))
    # The first game since: its states before are those of the change.
    first = RatingChange.objects.filter(league__slug="club", at__gte=SEAM).order_by("at").first()
    assert first is not None
    told = [api.get(f"leagues/{slug}/games/{first.number}/explanation/").data for slug in ("club", "other")]
    assert told[0]["players"] == told[1]["players"]
    assert told[0]["system"] == "glicko2"


def standings_of(slug: str) -> list[Any]:
    """Return the current ratings of a league."""
    return standings(League.objects.get(slug=slug))


@long_way
@pytest.mark.parametrize("method", ["rating_score", "fide_performance", "points"])
def test_a_period_in_which_the_system_changes_is_ranked_by_the_games_since(method: str) -> None:
    league, other = changed(), make_league("glicko2", slug="other")
    since = RankingRule(method, "dated", {}, DAY, date(2030, 1, 1))
    create_ladder(league.pk, "all", "All", RankingRule(method, "all_time", {}), username="test")
    create_ladder(
        other.pk, "all", "All", since if method != "points" else RankingRule(method, "all_time", {}), username="test"
    )
    rows = []
    for one in (league, other):
        play(one, games_of_two())
        found = Standing.objects.filter(league=one, period__starts_at__lt=timezone.now()).order_by("player__handle")
        rows.append(list(found.values_list("player__handle", "score", "games", "value_1", "value_2", "value_3")))
    assert rows[0] == rows[1]
    assert rows[0]
    assert verify_league(league.pk).differences == []
