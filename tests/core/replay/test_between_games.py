"""Seasons and adjustments in the books: against a plain second implementation, in any order; and at their edges."""

from datetime import UTC, date, datetime, timedelta
from io import BytesIO
from random import Random
from typing import Any

import pytest
from django.db import transaction

from league.apps.imports.services.run import ImportOptions, import_games
from league.core.errors import Invalid, Refused
from league.core.games.services.game_input import NewGame
from league.core.games.services.record import correct_game, void_game
from league.core.games.services.what_if import compute_what_if
from league.core.ladders.selectors.touches import find_last_touch
from league.core.leaderboard.selectors.current_board import build_listing
from league.core.leaderboard.selectors.past import compute_leaderboard_at
from league.core.leagues.services.adjustments import AdjustmentData, adjust, void_adjustment
from league.core.leagues.services.leagues import adopt_rule, change_league, create_league
from league.core.locking import run_with_league_lock
from league.core.log.services.erase_texts import erase_text
from league.core.players.services.merges import merge_players, unmerge_player
from league.core.players.services.players import add_player
from league.core.replay.services.background import run_long_replay
from league.core.replay.services.current_ratings import refresh_current_ratings
from league.core.replay.services.inline import mark_stale, replay_from
from league.core.transfer.services.restore import restore_league
from league.core.verify.run import verify_league
from league.models import Adjustment, Game, GamelessChange, League, Player, Rating, RatingChange
from tests.helpers.builders import FOUR, derived, make_league, player_of, ratings, record, sheet
from tests.helpers.ladder_builders import clock, duel, make_ladder, period, utc
from tests.helpers.restore_builders import export_of, lines_file
from tests.helpers.season_books import SEASON, START, TURNS, check_books, gameless, play_any_game, work_out_books
from tests.helpers.tiers import long_way, mark_slow

pytestmark = pytest.mark.django_db


def whole(league: League) -> Any:
    """Return everything derived."""
    return derived(league), gameless(league)


def replayed(league: League, *, compiled: bool = False) -> Any:
    """Replay from nothing, and return everything derived."""
    run_with_league_lock(league.pk, lambda found, now: replay_from(found, None, compiled=compiled))
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
    adopt_rule(league.pk, "elo", {"k": 20}, date(2024, 1, 1), SEASON, username="test")
    return league


@long_way
@pytest.mark.parametrize("seed", mark_slow(range(6), "Other operations.", but=[0]))
def test_whatever_is_done_in_which_order_the_books_say_what_the_facts_give(league: League, seed: int) -> None:
    random = Random(seed)
    games: list[Game] = []
    for _ in range(30):
        live = Game.objects.filter(league=league, voided_at=None)
        done = random.random()
        if done < 0.5 or not games:
            games.append(play_any_game(league, random, random.randrange(0, 600) + random.randrange(3) / 4))
        elif done < 0.65 and live:
            void_game(league.pk, random.choice(list(live)).number, reason="Wrong.", username="test")
        elif done < 0.75 and live:
            old = random.choice(list(live))
            new = sheet(random.sample(FOUR, 2), (1, 0), played_at=START + timedelta(days=random.randrange(600)))
            games.append(correct_game(league.pk, old.number, new, reason="Wrong.", username="test").game)
        elif done < 0.92:
            player = Player.objects.get(handle=random.choice(FOUR))
            at = START + timedelta(days=random.randrange(620))
            points = AdjustmentData(random.randrange(1, 40) * random.choice((-1, 1)), "As the rules say.", at)
            try:
                adjust(league.pk, player, points, username="test")
            except Refused:
                assert not live.filter(results__player=player, played_at__lt=at).exists()
        else:
            counting = list(Adjustment.objects.filter(league=league, voided_at=None))
            if counting:
                void_adjustment(league.pk, random.choice(counting).number, reason="No.", username="test")
        check_books(league)
    books = whole(league)
    held(league)
    refresh_current_ratings(league.pk)
    assert whole(league) == books
    assert replayed(league) == books
    Rating.objects.filter(league=league).update(rating=0, settled=0)
    refresh_current_ratings(league.pk)
    assert whole(league) == books
    run_with_league_lock(league.pk, lambda found, now: mark_stale(found, (START, 0)))
    run_long_replay(league.pk)
    assert whole(league) == books


@long_way
def test_adjustments_follow_a_player_through_a_merge_and_back(league: League) -> None:
    random = Random(5)
    for days in range(0, 400, 25):
        play_any_game(league, random, days)
    handles = {"anna": 12.0, "dan": -7.0}
    for handle, amount in handles.items():
        for days in (80, 310):
            at = START + timedelta(days=days)
            adjust(league.pk, Player.objects.get(handle=handle), AdjustmentData(amount, "Why.", at), username="test")
    for one in Game.objects.filter(league=league, results__player__handle="dan"):
        if one.results.filter(player__handle="anna").exists():
            void_game(league.pk, one.number, reason="Both.", username="test")
    check_books(league)
    books = whole(league)
    anna, dan = (Player.objects.get(handle=handle) for handle in ("anna", "dan"))
    merge_players(dan, anna, username="test")
    check_books(league)
    assert {line[0] for line in gameless(league)} == {"anna", "ben", "cleo"}
    assert verify_league(league.pk).differences == []
    merged = whole(league)
    held(league)
    assert replayed(league) == merged
    unmerge_player(dan, username="test")
    check_books(league)
    assert whole(league) == books
    assert verify_league(league.pk).differences == []


#: What every field's own test (test_verify_every_field.py) does not say: the sentences.
SABOTAGE: list[tuple[str, dict[str, Any], str]] = [
    ("line", {"after": 1}, "The season reset of anna at 2024-03-01 00:00 UTC is after 1.0"),
    ("line", {"games": 7}, "is games 7; it must be games 1"),
    ("line", {"number": 9}, "The change of anna by adjustment 9 at 2024-03-01 00:00 UTC must not exist."),
    ("line", {"number": 9}, "The season reset of anna at 2024-03-01 00:00 UTC is missing."),
    ("fact", {"amount": 9}, "Adjustment 1 has amount 9; entry 6 of the log has -5"),
    ("rule", {"season": {"days": ["03-01"], "pull": 1.0}}, "The rule from 2024-01-01 has season"),
]


@long_way
def test_whoever_changes_the_books_behind_the_services_is_found(league: League) -> None:
    record(league, sheet(["anna", "ben"], [1, 0], played_at=datetime(2024, 2, 1, tzinfo=UTC)))
    record(league, sheet(["cleo", "dan"], [1, 1], played_at=datetime(2024, 3, 9, tzinfo=UTC)))
    anna = Player.objects.get(handle="anna")
    adjust(league.pk, anna, AdjustmentData(-5, "Late.", datetime(2024, 3, 5, tzinfo=UTC)), username="olga")
    assert verify_league(league.pk).differences == []
    rows = {
        "line": GamelessChange.objects.filter(league=league, player=anna, number=0),
        "fact": Adjustment.objects.filter(league=league),
        "rule": league.rules.exclude(season={}),
    }
    for what, values, sentence in SABOTAGE:
        with transaction.atomic():
            rows[what].update(**values)
            found = verify_league(league.pk).differences
            assert any(sentence in str(one) for one in found), [str(one) for one in found]
            transaction.set_rollback(True)


def test_what_waits_for_a_replay_is_not_wrong(league: League, settings: Any) -> None:
    record(league, sheet(["anna", "ben"], [1, 0], played_at=datetime(2024, 2, 1, tzinfo=UTC)))
    opened = record(league, sheet(["cleo", "dan"], [1, 1], played_at=datetime(2024, 3, 9, tzinfo=UTC)))
    settings.RUNGS_INLINE_GAMES = 0
    void_game(league.pk, opened.number, reason="Wrong.", username="test")
    verdict = verify_league(league.pk)
    assert (verdict.differences, verdict.waits) == ([], True)
    run_long_replay(league.pk)
    assert gameless(league) == []
    assert (verify_league(league.pk).differences, verify_league(league.pk).waits) == ([], False)


def test_reasons_can_be_erased_and_the_log_stays_whole(league: League) -> None:
    record(league, sheet(["anna", "ben"], [1, 0], played_at=datetime(2024, 2, 1, tzinfo=UTC)))
    adjust(league.pk, Player.objects.get(handle="anna"), AdjustmentData(-5, "Anna came late."), username="olga")
    void_adjustment(league.pk, 1, reason="Anna was ill.", username="olga")
    league.refresh_from_db()
    for position in (league.log_length - 1, league.log_length):
        erase_text(league.pk, position, username="olga")
    made = Adjustment.objects.get()
    assert (made.reason, made.void_reason) == ("", "")
    assert verify_league(league.pk).differences == []


def test_the_games_of_a_day_on_which_a_season_begins_are_of_that_season_by_the_clock_of_the_league() -> None:
    league = make_league(parameters={"k": 20}, time_zone="America/New_York")
    adopt_rule(league.pk, "elo", {"k": 20}, date(2024, 1, 1), SEASON, username="test")
    record(league, sheet(["anna", "ben"], [1, 0], played_at=datetime(2024, 2, 1, tzinfo=UTC)))
    record(league, sheet(["cleo", "dan"], [1, 1], played_at=datetime(2024, 3, 1, 4, 59, tzinfo=UTC)))
    assert gameless(league) == []
    record(league, sheet(["cleo", "dan"], [1, 1], played_at=datetime(2024, 3, 1, 5, tzinfo=UTC)))
    assert [line[:2] for line in gameless(league)] == [(who, datetime(2024, 3, 1, 5, tzinfo=UTC)) for who in FOUR[:2]]


def test_ratings_of_whole_numbers_are_pulled_to_whole_numbers() -> None:
    league = make_league("durak", starts={"anna": 1017})
    adopt_rule(league.pk, "durak", {}, date(2024, 1, 1), {"days": ["03-01"], "pull": 0.1}, username="test")
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
    adopt_rule(
        league.pk, "barbu", {"zero_sum": "league"}, date(2024, 1, 1), {"days": ["03-01"], "pull": 0.5}, username="t"
    )
    for day, scores in ((1, (90, 10, -40, -20)), (2, (-30, 80, 10, 40))):
        record(league, sheet(FOUR, scores, played_at=datetime(2024, 2, day, tzinfo=UTC)))
    before = ratings(league)
    record(league, sheet(FOUR, (1, 2, 3, 4), played_at=datetime(2024, 3, 1, tzinfo=UTC)))
    lines = GamelessChange.objects.filter(league=league)
    moved = {line.player.handle: line.change for line in lines}
    assert moved == pytest.approx({who: -rating / 2 for who, rating in before.items()})
    books = whole(league)
    assert replayed(league, compiled=compiled) == books


def test_points_that_nobody_can_be_given_are_refused(league: League) -> None:
    record(league, sheet(["anna", "ben"], [1, 0], played_at=START))
    for player, points, sentence in (
        ("anna", AdjustmentData(0, "Why."), "not 0"),
        ("anna", AdjustmentData(10001, "Why."), "10000 at most"),
        ("anna", AdjustmentData(float("nan"), "Why."), "not 0"),
        ("anna", AdjustmentData(5, " "), "Give a reason"),
        ("cleo", AdjustmentData(5, "Why."), "no rated game before that time"),
        ("anna", AdjustmentData(5, "Why.", START), "no rated game before that time"),
        ("anna", AdjustmentData(5, "Why.", datetime(2100, 1, 1, tzinfo=UTC)), "is in the future"),
    ):
        with pytest.raises((Invalid, Refused), match=sentence):
            adjust(league.pk, Player.objects.get(handle=player), points, username="test")
    assert not Adjustment.objects.exists()


SEASONS: list[tuple[Any, str]] = [
    ({"days": [], "pull": 0.5}, "on which a season begins"),
    ({"days": ["02-29"], "pull": 0.5}, "not a day of every year"),
    ({"days": ["9-1"], "pull": 0.5}, "not a day of every year"),
    ({"days": [901], "pull": 0.5}, "not a day of every year"),
    ({"days": ["13-01"], "pull": 0.5}, "not a day of every year"),
    ({"days": ["09-01"], "pull": 0}, "from 0.001 to 1"),
    ({"days": ["09-01"], "pull": 1.5}, "from 0.001 to 1"),
    ({"days": ["09-01"], "pull": True}, "from 0.001 to 1"),
    ({"days": ["09-01"]}, "from 0.001 to 1"),
    ({"days": ["09-01"], "pull": 0.5, "push": 1}, "not “push”"),
    ({"days": [f"{month:02}-0{day}" for month in range(1, 13) for day in (1, 2)], "pull": 1}, "one to twelve"),
]


def test_seasons_that_are_none_are_refused() -> None:
    league = make_league()
    for season, sentence in SEASONS:
        with pytest.raises(Invalid, match=sentence):
            adopt_rule(league.pk, "elo", {}, date(2024, 1, 1), season, username="test")


def test_a_rule_without_seasons_ends_them(league: League) -> None:
    adopt_rule(league.pk, "elo", {"k": 20}, date(2024, 6, 1), username="test")
    for month in (2, 4, 10):
        record(league, sheet(["anna", "ben"], [1, 0], played_at=datetime(2024, month, 2, tzinfo=UTC)))
    assert {line[1] for line in gameless(league)} == {TURNS[0]}


def test_where_games_move_everybody_each_line_of_a_history_begins_where_the_one_before_ended() -> None:
    league = make_league("barbu", (*FOUR, "eva"), parameters={"zero_sum": "league"})
    record(league, sheet(("anna", "ben", "cleo", "eva"), (90, 10, -40, -20), played_at=START))
    record(league, sheet(FOUR, (-30, 80, 10, 40), played_at=START + timedelta(days=1)))
    adjust(
        league.pk,
        Player.objects.get(handle="eva"),
        AdjustmentData(7, "Tea.", START + timedelta(days=2)),
        username="test",
    )
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


def seasonal(**settings: Any) -> League:
    """Return a league of Elo with K 20 and two seasons a year."""
    league = make_league(parameters={"k": 20}, **settings)
    adopt_rule(league.pk, "elo", {"k": 20}, date(2024, 1, 1), SEASON, username="test")
    return League.objects.get(pk=league.pk)


def file_of(games: int) -> BytesIO:
    """Return so many games from 5 March on, five hours apart, as CSV."""
    random, lines = Random(3), ["game_id,played_at,player,score"]
    for number in range(games):
        at = (datetime(2024, 3, 5, tzinfo=UTC) + timedelta(hours=5 * number)).isoformat()
        pair, scores = random.sample(FOUR, 2), random.choice([(1, 0), (0, 1), (1, 1)])
        lines += [f"g{number},{at},{player},{score}" for player, score in zip(pair, scores, strict=True)]
    return BytesIO("\n".join(lines).encode())


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize("rating", ["inline", "later", "after"])
@pytest.mark.parametrize("inline", [0, 500])
def test_an_import_opens_a_season_however_it_is_rated(settings: Any, rating: Any, inline: int) -> None:
    league = seasonal()
    record(league, duel("anna", "ben", "2024-02-02"))
    record(league, duel("cleo", "ben", "2024-02-03"))
    settings.RUNGS_INLINE_GAMES = inline
    import_games(league.pk, file_of(16), ImportOptions(by="test", media="csv", rating=rating))
    if League.objects.get(pk=league.pk).stale_from is not None:
        run_long_replay(league.pk)
    check_books(league)
    assert verify_league(league.pk).differences == []


def same_as_recorded(league: League, new: NewGame) -> None:
    """Hold what-if of a game to what recording it does, to the bit."""
    told = [
        list(map(float, rated.change)) for _, rated in compute_what_if(League.objects.get(pk=league.pk), new).outcomes
    ]
    made = RatingChange.objects.filter(game=record(league, new), step=1).order_by("seat")
    assert told == [list(made.values_list("change", flat=True))]


@pytest.mark.parametrize(("adjusted", "played"), [("2024-03-02", "2024-03-05"), ("2024-02-20", "2024-02-10")])
def test_what_if_moves_in_the_order_in_which_recording_does(adjusted: str, played: str) -> None:
    league = seasonal()
    record(league, duel("anna", "ben", "2024-02-01"))
    adjust(league.pk, player_of("anna"), AdjustmentData(-100, "Late.", utc(adjusted)), username="test")
    same_as_recorded(league, duel("anna", "ben", played))


@long_way
@pytest.mark.parametrize("seed", mark_slow(range(3), "Other games.", but=[0]))
def test_boards_of_the_past_are_what_the_facts_gave_then(seed: int) -> None:
    random, league = Random(seed), seasonal()
    for _ in range(14):
        play_any_game(league, random, random.randrange(0, 600) + random.randrange(3) / 4)
    for _ in range(10):
        points = AdjustmentData(float(random.randrange(1, 60)), "Why.", START + timedelta(days=random.randrange(620)))
        try:
            adjust(league.pk, player_of(random.choice(FOUR)), points, username="test")
        except Refused:
            continue
    league.refresh_from_db()
    for days in range(0, 640, 19):
        moment = START + timedelta(days=days)
        found = {
            row.handle: row.rating for row in compute_leaderboard_at(league, build_listing(league, moment), moment)
        }
        assert found == pytest.approx(work_out_books(league, moment).ratings, abs=1e-9), moment


def test_no_adjustment_leaves_the_bounds_of_a_system_whatever_is_voided() -> None:
    league = make_league("serpentine", players=("anna", "ben"))
    record(league, sheet(["anna", "ben"], [30, 10], played_at=utc("2024-02-01")))
    record(league, sheet(["anna", "ben"], [30, 10], played_at=utc("2024-02-09")))
    with pytest.raises(Refused, match="from 100 to 9999"):
        adjust(league.pk, player_of("anna"), AdjustmentData(-5000, "Early.", utc("2024-02-02")), username="test")
    adjust(league.pk, player_of("anna"), AdjustmentData(5000, "Up.", utc("2024-02-02")), username="test")
    adjust(league.pk, player_of("anna"), AdjustmentData(-6000, "Down.", utc("2024-02-03")), username="test")
    void_adjustment(league.pk, 1, reason="No.", username="test")
    assert GamelessChange.objects.get(number=2).after == 100.0
    assert ratings(league)["anna"] >= 100.0
    assert verify_league(league.pk).differences == []
    adjust(league.pk, player_of("anna"), AdjustmentData(100, "Up again."), username="test")
    with pytest.raises(Refused, match="from 100 to 9999"):
        adjust(league.pk, player_of("ben"), AdjustmentData(-2000, "Out."), username="test")


@long_way
@pytest.mark.parametrize("back", [False, True])
def test_a_merge_that_waits_for_its_replay_is_not_wrong(settings: Any, back: bool) -> None:
    league = make_league(parameters={"k": 20})
    only = record(league, duel("anna", "cleo", "2024-04-01"))
    record(league, duel("ben", "cleo", "2024-04-02"))
    adjust(league.pk, player_of("anna"), AdjustmentData(-100, "Late.", utc("2024-04-05")), username="test")
    record(league, duel("ben", "cleo", "2024-04-12"))
    void_game(league.pk, only.number, reason="Wrong.", username="test")
    if back:
        merge_players(player_of("anna"), player_of("ben"), username="test")
    settings.RUNGS_INLINE_GAMES = 0
    if back:
        unmerge_player(player_of("anna"), username="test")
    else:
        merge_players(player_of("anna"), player_of("ben"), username="test")
    verdict = verify_league(league.pk)
    assert (verdict.differences, verdict.waits) == ([], True)
    run_long_replay(league.pk)
    assert verify_league(league.pk).differences == []


def test_a_day_that_a_zone_left_out_begins_no_second_season() -> None:
    league = make_league(parameters={"k": 20}, time_zone="Pacific/Apia")
    adopt_rule(
        league.pk, "elo", {"k": 20}, date(2000, 1, 1), {"days": ["12-30", "12-31"], "pull": 0.5}, username="test"
    )
    record(league, duel("anna", "ben", "2011-12-01"))
    record(league, duel("anna", "ben", "2012-02-01"))
    # Samoa went from 29 December straight to the 31st.
    assert [line.change for line in GamelessChange.objects.filter(player=player_of("anna"))] == [-5.0]
    assert verify_league(league.pk).differences == []


def test_an_adjustment_of_today_does_not_hold_back_the_months_before() -> None:
    with clock(utc("2024-04-20")):
        league = make_league(close_after_hours=48)
        make_ladder(league, "month", "points", "month")
        record(league, duel("anna", "ben", "2024-04-02"))
        record(league, duel("anna", "ben", "2024-04-10"))
    with clock(utc("2024-05-02")):
        adjust(league.pk, player_of("anna"), AdjustmentData(-5, "Late."), username="olga")
    assert find_last_touch(league, period(league, "2024-04")) < utc("2024-05-01")
    with clock(utc("2024-05-03")):
        adjust(league.pk, player_of("anna"), AdjustmentData(-5, "Late.", utc("2024-04-05")), username="olga")
    assert find_last_touch(league, period(league, "2024-04")) >= utc("2024-05-03")


def test_an_adjustment_that_a_change_of_zone_left_before_the_first_rule_is_restored_and_moves_nobody() -> None:
    league = create_league("club", "Club", system="elo", from_date=date(2024, 4, 1), by="test")
    for handle in ("anna", "ben"):
        add_player(handle, handle.title())
    first = datetime(2024, 4, 1, 0, 30, tzinfo=UTC)
    early = record(league, sheet(["anna", "ben"], [1, 0], played_at=first))
    adjust(league.pk, player_of("anna"), AdjustmentData(5, "Early.", first + timedelta(minutes=30)), username="test")
    void_game(league.pk, early.number, reason="Wrong.", username="test")
    change_league(league.pk, {"time_zone": "America/New_York"})
    again = restore_league(lines_file(export_of(league)), slug="again", known_players=True, by="test").league
    assert verify_league(again.pk).differences == []
    assert not GamelessChange.objects.exists()
