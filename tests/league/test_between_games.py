"""Seasons and adjustments in the books: against a plain second implementation, whatever is done in which order."""

from datetime import UTC, date, datetime, timedelta
from random import Random
from typing import Any

import pytest

from league.errors import Invalid, Refused
from league.models import Adjustment, Game, GamelessChange, League, Player, Rating, RatingChange
from league.services.leagues.leagues import adopt_rule
from league.services.locking import with_league_lock
from league.services.log.texts import erase_text
from league.services.players.merges import merge_players, unmerge_player
from league.services.recording.adjusting import Points, adjust, void_adjustment
from league.services.recording.games import correct_game, void_game
from league.services.replay.background import long_replay
from league.services.replay.current_ratings import refresh_current_ratings
from league.services.replay.inline import mark_stale, replay_from
from league.services.transfer.restore import restore_league
from league.services.verify.run import verify_league
from tests.helpers.builders import FOUR, derived, make_league, ratings, record, sheet
from tests.helpers.restore_builders import export_of, lines_file
from tests.helpers.season_books import SEASON, START, TURNS, check_books, gameless, play_any_game
from tests.helpers.tiers import examples

pytestmark = pytest.mark.django_db


def whole(league: League) -> Any:
    """Return everything derived."""
    return derived(league), gameless(league)


def replayed(league: League, *, compiled: bool = False) -> Any:
    """Replay from nothing, and return everything derived."""
    with_league_lock(league.pk, lambda found, now: replay_from(found, None, compiled=compiled))
    return whole(league)


def held(league: League) -> None:
    """Hold the books to the log, and a league that is made again of the export to both."""
    assert verify_league(league.pk).differences == []
    again = restore_league(lines_file(export_of(league)), slug="again", known_players=True, by="test").league
    assert whole(again) == whole(league)
    assert verify_league(again.pk).differences == []


@pytest.fixture
def league() -> League:
    """Return a league with two seasons a year."""
    league = make_league(parameters={"k": 20})
    adopt_rule(league.pk, "elo", {"k": 20}, date(2024, 1, 1), SEASON, by="test")
    return league


@pytest.mark.parametrize("seed", range(examples(6)))
def test_whatever_is_done_in_which_order_the_books_say_what_the_facts_give(league: League, seed: int) -> None:
    random = Random(seed)
    games: list[Game] = []
    for _ in range(30):
        live = Game.objects.filter(league=league, voided_at=None)
        done = random.random()
        if done < 0.5 or not games:
            games.append(play_any_game(league, random, random.randrange(0, 600) + random.randrange(3) / 4))
        elif done < 0.65 and live:
            void_game(league.pk, random.choice(list(live)).number, reason="Wrong.", by="test")
        elif done < 0.75 and live:
            old = random.choice(list(live))
            new = sheet(random.sample(FOUR, 2), (1, 0), played_at=START + timedelta(days=random.randrange(600)))
            games.append(correct_game(league.pk, old.number, new, reason="Wrong.", by="test").game)
        elif done < 0.92:
            player = Player.objects.get(handle=random.choice(FOUR))
            at = START + timedelta(days=random.randrange(620))
            points = Points(random.randrange(1, 40) * random.choice((-1, 1)), "As the rules say.", at)
            try:
                adjust(league.pk, player, points, by="test")
            except Refused:
                assert not live.filter(results__player=player, played_at__lt=at).exists()
        else:
            counting = list(Adjustment.objects.filter(league=league, voided_at=None))
            if counting:
                void_adjustment(league.pk, random.choice(counting).number, reason="No.", by="test")
        check_books(league)
    books = whole(league)
    held(league)
    refresh_current_ratings(league.pk)
    assert whole(league) == books
    assert replayed(league) == books
    Rating.objects.filter(league=league).update(rating=0, settled=0)
    refresh_current_ratings(league.pk)
    assert whole(league) == books
    with_league_lock(league.pk, lambda found, now: mark_stale(found, (START, 0)))
    long_replay(league.pk)
    assert whole(league) == books


def test_adjustments_follow_a_player_through_a_merge_and_back(league: League) -> None:
    random = Random(5)
    for days in range(0, 400, 25):
        play_any_game(league, random, days)
    handles = {"anna": 12.0, "dan": -7.0}
    for handle, amount in handles.items():
        for days in (80, 310):
            at = START + timedelta(days=days)
            adjust(league.pk, Player.objects.get(handle=handle), Points(amount, "Why.", at), by="test")
    for one in Game.objects.filter(league=league, results__player__handle="dan"):
        if one.results.filter(player__handle="anna").exists():
            void_game(league.pk, one.number, reason="Both.", by="test")
    check_books(league)
    books = whole(league)
    anna, dan = (Player.objects.get(handle=handle) for handle in ("anna", "dan"))
    merge_players(dan, anna, by="test")
    check_books(league)
    assert {line[0] for line in gameless(league)} == {"anna", "ben", "cleo"}
    assert verify_league(league.pk).differences == []
    merged = whole(league)
    held(league)
    assert replayed(league) == merged
    unmerge_player(dan, by="test")
    check_books(league)
    assert whole(league) == books
    assert verify_league(league.pk).differences == []


SABOTAGE: list[tuple[str, dict[str, Any], str]] = [
    ("line", {"after": 1}, "The pull of anna at the turn of the season at 2024-03-01 00:00 UTC says after 1.0"),
    ("line", {"games": 7}, "says games 7; it must say games 1"),
    ("line", {"number": 9}, "The move of anna by adjustment 9 at 2024-03-01 00:00 UTC must not be there."),
    ("line", {"number": 9}, "The pull of anna at the turn of the season at 2024-03-01 00:00 UTC is missing."),
    ("line", {"before": 1}, "The pull of anna at the turn of the season at 2024-03-01 00:00 UTC says before 1.0"),
    ("line", {"change": 1}, "The pull of anna at the turn of the season at 2024-03-01 00:00 UTC says change 1.0"),
    ("fact", {"amount": 9}, "Adjustment 1 has amount 9; entry 6 of the log says -5"),
    ("rule", {"season": {"days": ["03-01"], "pull": 1.0}}, "The rule from 2024-01-01 has season"),
]


@pytest.mark.parametrize(("what", "values", "sentence"), SABOTAGE)
def test_whoever_changes_the_books_behind_the_services_is_found(
    league: League, what: str, values: dict[str, Any], sentence: str
) -> None:
    record(league, sheet(["anna", "ben"], [1, 0], played_at=datetime(2024, 2, 1, tzinfo=UTC)))
    record(league, sheet(["cleo", "dan"], [1, 1], played_at=datetime(2024, 3, 9, tzinfo=UTC)))
    anna = Player.objects.get(handle="anna")
    adjust(league.pk, anna, Points(-5, "Late.", datetime(2024, 3, 5, tzinfo=UTC)), by="olga")
    assert verify_league(league.pk).differences == []
    rows = {
        "line": GamelessChange.objects.filter(league=league, player=anna, number=0),
        "fact": Adjustment.objects.filter(league=league),
        "rule": league.rules.exclude(season={}),
    }
    rows[what].update(**values)
    found = verify_league(league.pk).differences
    assert any(sentence in str(one) for one in found), [str(one) for one in found]


def test_what_waits_for_a_replay_is_not_wrong(league: League, settings: Any) -> None:
    record(league, sheet(["anna", "ben"], [1, 0], played_at=datetime(2024, 2, 1, tzinfo=UTC)))
    opened = record(league, sheet(["cleo", "dan"], [1, 1], played_at=datetime(2024, 3, 9, tzinfo=UTC)))
    settings.RUNGS_INLINE_GAMES = 0
    void_game(league.pk, opened.number, reason="Wrong.", by="test")
    verdict = verify_league(league.pk)
    assert (verdict.differences, verdict.waits) == ([], True)
    long_replay(league.pk)
    assert gameless(league) == []
    assert (verify_league(league.pk).differences, verify_league(league.pk).waits) == ([], False)


def test_reasons_can_be_erased_and_the_log_stays_whole(league: League) -> None:
    record(league, sheet(["anna", "ben"], [1, 0], played_at=datetime(2024, 2, 1, tzinfo=UTC)))
    adjust(league.pk, Player.objects.get(handle="anna"), Points(-5, "Anna came late."), by="olga")
    void_adjustment(league.pk, 1, reason="Anna was ill.", by="olga")
    league.refresh_from_db()
    for position in (league.log_length - 1, league.log_length):
        erase_text(league.pk, position, by="olga")
    made = Adjustment.objects.get()
    assert (made.reason, made.void_reason) == ("", "")
    assert verify_league(league.pk).differences == []


def test_a_season_turns_with_its_first_game_and_back_when_that_is_void(league: League) -> None:
    record(league, sheet(["anna", "ben"], [1, 0], played_at=datetime(2024, 2, 1, tzinfo=UTC)))
    assert ratings(league) == {"anna": 1510, "ben": 1490}
    opened = record(league, sheet(["cleo", "dan"], [1, 1], played_at=datetime(2024, 3, 9, tzinfo=UTC)))
    third = 10 - 10 * (1 / 3)
    assert ratings(league) == pytest.approx({"anna": 1500 + third, "ben": 1500 - third, "cleo": 1500, "dan": 1500})
    assert [line[:3] for line in gameless(league)] == [("anna", TURNS[0], 0), ("ben", TURNS[0], 0)]
    void_game(league.pk, opened.number, reason="Wrong.", by="test")
    assert ratings(league) == {"anna": 1510, "ben": 1490}
    assert gameless(league) == []


def test_seasons_that_nobody_played_in_turn_one_after_the_other(league: League) -> None:
    record(league, sheet(["anna", "ben"], [1, 0], played_at=datetime(2024, 2, 1, tzinfo=UTC)))
    record(league, sheet(["anna", "ben"], [1, 1], played_at=datetime(2025, 3, 1, tzinfo=UTC)))
    lines = GamelessChange.objects.filter(league=league, player__handle="anna").order_by("at")
    assert [line.at for line in lines] == TURNS[:3]
    assert [line.after for line in lines] == pytest.approx([1500 + 10 * (2 / 3) ** turn for turn in (1, 2, 3)])


def test_the_games_of_a_day_on_which_a_season_begins_are_of_that_season_by_the_clock_of_the_league() -> None:
    league = make_league(parameters={"k": 20}, time_zone="America/New_York")
    adopt_rule(league.pk, "elo", {"k": 20}, date(2024, 1, 1), SEASON, by="test")
    record(league, sheet(["anna", "ben"], [1, 0], played_at=datetime(2024, 2, 1, tzinfo=UTC)))
    record(league, sheet(["cleo", "dan"], [1, 1], played_at=datetime(2024, 3, 1, 4, 59, tzinfo=UTC)))
    assert gameless(league) == []
    record(league, sheet(["cleo", "dan"], [1, 1], played_at=datetime(2024, 3, 1, 5, tzinfo=UTC)))
    assert [line[:2] for line in gameless(league)] == [(who, datetime(2024, 3, 1, 5, tzinfo=UTC)) for who in FOUR[:2]]


def test_ratings_of_whole_numbers_are_pulled_to_whole_numbers() -> None:
    league = make_league("durak", starts={"anna": 1017})
    adopt_rule(league.pk, "durak", {}, date(2024, 1, 1), {"days": ["03-01"], "pull": 0.1}, by="test")
    record(league, sheet(["anna", "ben"], places=[1, 2], played_at=datetime(2024, 2, 1, tzinfo=UTC)))
    before = ratings(league)
    record(league, sheet(["cleo", "dan"], places=[1, 2], played_at=datetime(2024, 3, 1, tzinfo=UTC)))
    pulled = {who: before[who] + half_away((1000 - before[who]) / 10) for who in ("anna", "ben")}
    assert {who: ratings(league)[who] for who in ("anna", "ben")} == pulled


def half_away(value: float) -> float:
    """Round as schools do."""
    return float(int(abs(value) + 0.5)) * (1 if value >= 0 else -1)


@pytest.mark.parametrize("compiled", [False, True])
def test_systems_that_move_everybody_are_pulled_from_where_everybody_stands(compiled: bool) -> None:
    league = make_league("barbu", parameters={"zero_sum": "league"})
    adopt_rule(league.pk, "barbu", {"zero_sum": "league"}, date(2024, 1, 1), {"days": ["03-01"], "pull": 0.5}, by="t")
    for day, scores in ((1, (90, 10, -40, -20)), (2, (-30, 80, 10, 40))):
        record(league, sheet(FOUR, scores, played_at=datetime(2024, 2, day, tzinfo=UTC)))
    before = ratings(league)
    record(league, sheet(FOUR, (1, 2, 3, 4), played_at=datetime(2024, 3, 1, tzinfo=UTC)))
    lines = GamelessChange.objects.filter(league=league)
    moved = {line.player.handle: line.change for line in lines}
    assert moved == pytest.approx({who: -rating / 2 for who, rating in before.items()})
    books = whole(league)
    assert replayed(league, compiled=compiled) == books


@pytest.mark.parametrize(
    ("points", "sentence"),
    [
        (Points(0, "Why."), "not 0"),
        (Points(10001, "Why."), "10000 at most"),
        (Points(float("nan"), "Why."), "not 0"),
        (Points(5, " "), "Say why"),
    ],
)
def test_points_that_nobody_can_be_given_are_refused(league: League, points: Points, sentence: str) -> None:
    record(league, sheet(["anna", "ben"], [1, 0], played_at=START))
    with pytest.raises((Invalid, Refused), match=sentence):
        adjust(league.pk, Player.objects.get(handle="anna"), points, by="test")
    assert not Adjustment.objects.exists()


@pytest.mark.parametrize(
    ("player", "points", "sentence"),
    [
        ("cleo", Points(5, "Why."), "no rated game before that time"),
        ("anna", Points(5, "Why.", START), "no rated game before that time"),
        ("anna", Points(5, "Why.", datetime(2100, 1, 1, tzinfo=UTC)), "still to come"),
    ],
)
def test_who_has_no_rating_then_cannot_be_adjusted(league: League, player: str, points: Points, sentence: str) -> None:
    record(league, sheet(["anna", "ben"], [1, 0], played_at=START))
    with pytest.raises(Refused, match=sentence):
        adjust(league.pk, Player.objects.get(handle=player), points, by="test")
    assert not Adjustment.objects.exists()


SEASONS: list[tuple[Any, str]] = [
    ({"days": [], "pull": 0.5}, "Name the days"),
    ({"days": ["02-29"], "pull": 0.5}, "no day of every year"),
    ({"days": ["9-1"], "pull": 0.5}, "no day of every year"),
    ({"days": [901], "pull": 0.5}, "no day of every year"),
    ({"days": ["13-01"], "pull": 0.5}, "no day of every year"),
    ({"days": ["09-01"], "pull": 0}, "from 0.001 to 1"),
    ({"days": ["09-01"], "pull": 1.5}, "from 0.001 to 1"),
    ({"days": ["09-01"], "pull": True}, "from 0.001 to 1"),
    ({"days": ["09-01"]}, "from 0.001 to 1"),
    ({"days": ["09-01"], "pull": 0.5, "push": 1}, "no “push”"),
    ({"days": [f"{month:02}-0{day}" for month in range(1, 13) for day in (1, 2)], "pull": 1}, "from one to twelve"),
]


@pytest.mark.parametrize(("season", "sentence"), SEASONS)
def test_seasons_that_are_none_are_refused(season: Any, sentence: str) -> None:
    league = make_league()
    with pytest.raises(Invalid, match=sentence):
        adopt_rule(league.pk, "elo", {}, date(2024, 1, 1), season, by="test")


def test_a_rule_without_seasons_ends_them(league: League) -> None:
    adopt_rule(league.pk, "elo", {"k": 20}, date(2024, 6, 1), by="test")
    for month in (2, 4, 10):
        record(league, sheet(["anna", "ben"], [1, 0], played_at=datetime(2024, month, 2, tzinfo=UTC)))
    assert {line[1] for line in gameless(league)} == {TURNS[0]}


def test_where_games_move_everybody_each_line_of_a_history_begins_where_the_one_before_ended() -> None:
    league = make_league("barbu", (*FOUR, "eva"), parameters={"zero_sum": "league"})
    record(league, sheet(("anna", "ben", "cleo", "eva"), (90, 10, -40, -20), played_at=START))
    record(league, sheet(FOUR, (-30, 80, 10, 40), played_at=START + timedelta(days=1)))
    adjust(league.pk, Player.objects.get(handle="eva"), Points(7, "Tea.", START + timedelta(days=2)), by="test")
    (line,) = GamelessChange.objects.filter(league=league)
    (first,) = RatingChange.objects.filter(league=league, player__handle="eva")
    rating = Rating.objects.get(league=league, player__handle="eva")
    # What the second game took of everybody is on the board, and not in the line.
    assert (line.before, line.after) == (first.after, first.after + 7)
    assert rating.settled == line.after != rating.rating
    shown = rating.rating
    record(league, sheet(("anna", "ben", "cleo", "eva"), (1, 2, 3, 4), played_at=START + timedelta(days=3)))
    pool, last = RatingChange.objects.filter(league=league, player__handle="eva", games=2).order_by("step")
    assert (pool.before, pool.after, last.before) == (line.after, shown, shown)
