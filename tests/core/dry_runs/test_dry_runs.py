"""A dry run tells exactly what committing would do, and writes nothing; what changes the books is a new revision."""

from collections.abc import Callable
from datetime import date

import pytest
from django.test import override_settings
from django.utils import timezone

from league.core.dry_runs.services.diff import Diff
from league.core.dry_runs.services.rollback import run_dry
from league.core.dry_runs.services.run import preview_correction, preview_rule, preview_void
from league.core.errors import Conflict, Invalid, NotFound, Refused, RungsError
from league.core.games.services.game_input import NewGame, NewResult
from league.core.games.services.record import correct_game, void_game
from league.core.jobs.services.progress import ignore_progress
from league.core.jobs.services.work import WorkerNeeded
from league.core.ladders.selectors.ladders import StandingDifference
from league.core.leagues.services.leagues import adopt_rule, create_league
from league.core.locking import get_data_revision
from league.core.players.services.merges import merge_players
from league.core.players.services.players import add_player, set_initial_rating
from league.models import League, Player, Rating
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.dry_run_builders import build_two_ladders, check_diff
from tests.helpers.ladder_builders import duel, make_ladder, tables, utc
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db


def told(preview: Callable[[], Diff]) -> Diff:
    """Return the diff of a dry run that wrote nothing."""
    before = tables()
    diff = preview()
    assert tables() == before
    return diff


def test_voiding_a_game() -> None:
    league = build_two_ladders()
    diff = told(lambda: preview_void(league, 2, "friendly"))
    # Anna's game of 5 March stands before it; two follow.
    assert diff.games_replayed == 2
    assert [(one.ladder, one.key, one.closed) for one in diff.periods] == [
        ("month", "2024-03", True), ("strength", "2024-03", False), ("strength", "2024-04", False),
        ("strength", "2024-05", False),
    ]  # fmt: skip
    assert diff.periods[0].lines == [
        StandingDifference("ben", "Ben", 1, 2, 1.0, 0.0),
        StandingDifference("cleo", "Cleo", 3, None, 0.0, None),
    ]
    check_diff(league, diff, lambda: void_game(league.pk, 2, reason="friendly", username="olga"))


@long_way
def test_correcting_a_game_names_who_wins_instead() -> None:
    league = build_two_ladders()
    new = NewGame([NewResult("anna", 0), NewResult("ben", 1)])
    diff = told(lambda: preview_correction(league, 1, new, "misread"))
    assert diff.games_replayed == 4
    (march,) = [one for one in diff.periods if (one.ladder, one.key) == ("month", "2024-03")]
    assert (march.title, march.period) == ("Month", "March 2024")
    assert [one["player"] for one in march.winners_before] == ["anna", "ben"]
    assert march.winners_after == [{"player": "ben", "name": "Ben", "score": 2.0}]
    check_diff(league, diff, lambda: correct_game(league.pk, 1, new, reason="misread", username="olga"))


@long_way
@pytest.mark.parametrize(("day", "count"), [("2024-02-05", 4), ("2024-06-01", 2)])
def test_a_correction_of_the_day_and_of_the_players(day: str, count: int) -> None:
    league = build_two_ladders()
    new = duel("dan", "cleo", day)
    diff = told(lambda: preview_correction(league, 3, new, "misread"))
    assert diff.games_replayed == count
    assert [one.player for one in diff.ratings if one.before is None] == ["dan"]
    check_diff(league, diff, lambda: correct_game(league.pk, 3, new, reason="misread", username="olga"))


def test_a_dry_run_does_the_replay_that_would_be_left_to_celery() -> None:
    league = build_two_ladders()
    with override_settings(RUNGS_INLINE_GAMES=0):
        with pytest.raises(WorkerNeeded):
            preview_void(league, 2, "friendly")
        deferred = told(lambda: preview_void(league, 2, "friendly", progress=ignore_progress))
    assert deferred == told(lambda: preview_void(league, 2, "friendly"))


def test_the_only_game_of_a_period_and_of_a_player() -> None:
    league = make_league()
    make_ladder(league)
    record(league, duel("anna", "ben", "2024-03-05"))
    diff = told(lambda: preview_void(league, 1, "friendly"))
    assert [(one.player, one.name, one.before is None, one.after) for one in diff.ratings] == [
        ("anna", "Anna", False, None),
        ("ben", "Ben", False, None),
    ]
    assert (diff.games_replayed, diff.periods[0].winners_after, diff.periods[0].closed) == (0, [], False)


def test_a_rule_from_a_day_on() -> None:
    league = build_two_ladders()
    diff = told(lambda: preview_rule(league, "elo", {"k": 64}, date(2024, 5, 1)))
    assert diff.games_replayed == 1
    assert [(one.ladder, one.key) for one in diff.periods] == [("strength", "2024-05")]
    check_diff(league, diff, lambda: adopt_rule(league.pk, "elo", {"k": 64}, date(2024, 5, 1), username="olga"))


def test_a_rule_from_today_on_replays_nothing() -> None:
    league = build_two_ladders()
    assert told(lambda: preview_rule(league, "elo", {"k": 64}, None)) == Diff(0, [], [])
    record(league, NewGame([NewResult("anna", 1), NewResult("ben", 0)], played_at=timezone.now()))
    diff = told(lambda: preview_rule(league, "elo", {"k": 64}, None))
    assert (diff.games_replayed, [one.player for one in diff.ratings]) == (1, ["anna", "ben"])


def test_a_first_rule_and_one_before_the_first() -> None:
    bare = create_league("bare", "Bare")
    assert told(lambda: preview_rule(bare, "elo", {}, None)) == Diff(0, [], [])
    league = create_league("late", "Late", system="elo", parameters={"k": 32}, from_date=date(2024, 1, 1))
    make_league(slug="other")
    record(league, duel("anna", "ben", "2024-03-05"))
    diff = told(lambda: preview_rule(league, "elo", {"k": 10}, date(2023, 1, 1)))
    assert (diff.games_replayed, diff.ratings) == (1, [])


WRONG: list[tuple[Callable[[League], Diff], type[RungsError]]] = [
    (lambda league: preview_void(league, 7, "friendly"), NotFound),
    (lambda league: preview_void(league, 2, " "), Invalid),
    (lambda league: preview_correction(league, 7, duel("anna", "ben", "2024-03-05"), "misread"), NotFound),
    (lambda league: preview_correction(league, 1, duel("anna", "ghost", "2024-03-05"), "misread"), Refused),
    (lambda league: preview_correction(league, 1, sheet(("anna",), (1,)), "misread"), Refused),
    (lambda league: preview_rule(league, "elo", {"k": -1}, date(2024, 6, 1)), Invalid),
    (lambda league: preview_rule(league, "barbu", {}, date(2024, 6, 1)), Refused),
    (lambda league: preview_rule(league, "elo", {}, date(2024, 3, 1)), Refused),
    (lambda league: preview_rule(league, "elo", {}, date(1800, 1, 1)), Conflict),
    (lambda league: preview_rule(league, "elo", {}, date(1, 1, 1)), Invalid),
    (lambda league: preview_rule(league, "elo", {}, date(9999, 12, 31)), Invalid),
]


def test_what_would_be_refused_is_refused_in_a_dry_run() -> None:
    league = build_two_ladders()
    naive = NewGame([NewResult("anna", 0), NewResult("ben", 1)], played_at=utc("2024-03-05").replace(tzinfo=None))
    before = tables()
    for preview, kind in WRONG:
        for games in (5000, 0):
            with override_settings(RUNGS_INLINE_GAMES=games), pytest.raises(kind):
                preview(league)
    with pytest.raises(Invalid, match="offset"):
        preview_correction(league, 1, naive, "misread")
    assert tables() == before


def test_what_was_expected_to_be_replayed_later_and_is_at_once_is_told_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    league = build_two_ladders()
    wanted = told(lambda: preview_void(league, 2, "friendly"))
    monkeypatch.setattr(
        "league.core.dry_runs.services.rollback.has_many_following_games", lambda league, position: True
    )
    assert told(lambda: preview_void(league, 2, "friendly")) == wanted


def test_an_act_that_ends_the_dry_run_itself_is_no_diff(monkeypatch: pytest.MonkeyPatch) -> None:
    league = build_two_ladders()
    monkeypatch.setattr("league.core.dry_runs.services.rollback.run_with_league_locks", lambda league_ids, work: None)
    with pytest.raises(RungsError, match="ended unexpectedly"):
        run_dry(league.pk, None, lambda: None)


@long_way
def test_the_api_answers_the_diff_of_a_void_a_correction_and_a_rule() -> None:
    build_two_ladders()
    api = Api("organise")
    before = tables()
    void = api.post("leagues/club/games/2/void/?dry_run=true", {"reason": "friendly"})
    assert (void.status_code, sorted(void.data)) == (
        200,
        ["closed_periods", "games_replayed", "ratings", "standings", "winners_changed"],
    )
    assert void.data["closed_periods"] == [{"ladder": "month", "period": "2024-03"}]
    assert void.data["standings"][0] == {
        "ladder": "month", "period": "2024-03", "player": "ben", "name": "Ben", "rank_before": 1, "rank_after": 2,
        "score_before": 1.0, "score_after": 0.0,
    }  # fmt: skip
    body = {"results": [{"player": "anna", "score": 0}, {"player": "ben", "score": 1}], "reason": "misread"}
    correct = api.post("leagues/club/games/1/correct/?dry_run=true", body)
    assert correct.data["winners_changed"][0] == {
        "ladder": "month",
        "period": "2024-03",
        "before": [
            {"player": "anna", "name": "Anna", "score": 1.0},
            {"player": "ben", "name": "Ben", "score": 1.0},
        ],
        "after": [{"player": "ben", "name": "Ben", "score": 2.0}],
    }
    rule = {"from": "2024-05-01", "system": "elo", "parameters": {"k": 64}}
    adopted = api.post("leagues/club/rules/?dry_run=true", rule)
    assert (adopted.status_code, adopted.data["games_replayed"]) == (200, 1)
    for day in ("9999-12-31", "0001-01-01"):
        answer = api.post("leagues/club/rules/?dry_run=true", {**rule, "from": day})
        assert (answer.status_code, answer.data["code"]) == (400, "invalid")
    assert api.post("leagues/club/games/2/void/?dry_run=maybe", {"reason": "x"}).status_code == 400
    assert api.post("leagues/club/games/2/void/?dry=true", {"reason": "x"}).status_code == 400
    after = tables()
    before.pop("Token"), after.pop("Token")
    assert after == before
    assert api.post("leagues/club/games/2/void/?dry_run=false", {"reason": "friendly"}).data["status"] == "void"
    assert Rating.objects.count() == 3


def test_a_replay_that_ended_meanwhile_is_another_state_of_the_books() -> None:
    league = build_two_ladders()
    with override_settings(RUNGS_INLINE_GAMES=0):
        void_game(league.pk, 2, reason="friendly", username="ben")
    waiting = get_data_revision(league)
    from league.core.dispatch.sweep import run_due_replay

    run_due_replay(league.pk)
    assert get_data_revision(league) != waiting
    assert get_data_revision(league) == get_data_revision(league)


CHANGES: dict[str, Callable[[League], object]] = {
    "a late game": lambda league: record(league, duel("anna", "cleo", "2024-01-05")),
    "a correction": lambda league: correct_game(
        league.pk, 4, duel("anna", "cleo", "2024-04-05"), reason="x", username="ben"
    ),
    "a rule": lambda league: adopt_rule(league.pk, "elo", {"k": 64}, username="ben"),
    "a start": lambda league: set_initial_rating(league.pk, Player.objects.get(handle="cleo"), 1700),
    "a ladder": lambda league: make_ladder(league, "year", cadence="year"),
    "a merge": lambda league: merge_players(
        Player.objects.get(handle="ben"), add_player("zoe", "Zoe"), username="olga"
    ),
}


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize("name", CHANGES)
def test_what_changes_the_books_is_another_state_of_them(name: str) -> None:
    league = build_two_ladders()
    before = get_data_revision(league)
    CHANGES[name](league)
    assert get_data_revision(league) != before
