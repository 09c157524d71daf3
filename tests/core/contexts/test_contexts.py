"""Contexts: ratings of their own for some games, held to the league's own replay and to ``verify``."""

import random
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest

from league.core.contexts.scopes import load_contexts, load_scopes
from league.core.dispatch.sweep import enqueue_due, run_due_replay
from league.core.errors import Invalid, Refused
from league.core.fields.services.fields import NewField, declare_field
from league.core.games.services import rate_contexts
from league.core.games.services.batches import record_together
from league.core.games.services.game_input import NewGame, NewResult
from league.core.games.services.record import correct_game, restore_game, void_game
from league.core.leagues.services.adjustments import AdjustmentData, adjust
from league.core.leagues.services.contexts import NewContext, change_context, create_context, remove_context
from league.core.leagues.services.leagues import adopt_rule
from league.core.players.services.players import set_initial_rating
from league.core.replay.services.background import run_long_replay
from league.core.verify.run import verify_league
from league.models import ContextChange, Game, Job, League, Rating, RatingChange
from league.models.contexts import changes_of, gameless_changes_of, ratings_of
from tests.helpers.builders import EVENING, league_of, make_league, player_of, record
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db
NAMES = ("anna", "ben", "cleo", "dan")
LINE = ("player", "number", "at", "step", "seat", "cause", "games", "before", "change", "after", "state_1", "state_2",
        "state_3", "performance", "shift")  # fmt: skip
CURRENT = ("player", "rating", "settled", "shift", "state_1", "state_2", "state_3", "games", "score", "peak", "change",
           "last_at", "last_number")  # fmt: skip
GAMELESS = ("player", "at", "number", "games", "before", "change", "after", "state_1", "state_2", "state_3", "shift")


def rows_of(league: League) -> tuple[list[Any], ...]:
    """Return everything derived of a league, or of the context in which it is read."""
    return (
        list(changes_of(league).order_by("at", "order_key", "seat", "step").values_list(*LINE)),
        list(gameless_changes_of(league).order_by("at", "number", "player").values_list(*GAMELESS)),
        list(ratings_of(league).order_by("player").values_list(*CURRENT)),
    )


def game(chance: random.Random, number: int, **more: Any) -> NewGame:
    """Return a drawn game of two, with a map."""
    first, second = chance.sample(NAMES, 2)
    score = chance.choice([1.0, 0.5, 0.0])
    at = EVENING + timedelta(days=number, minutes=chance.choice([0, 0, 30]))
    results = [NewResult(first, score), NewResult(second, 1.0 - score)]
    return NewGame(results, at, fields={"map": chance.choice(["dust", "nuke"])}, **more)


def build(system: str = "elo", *contexts: NewContext, **more: Any) -> League:
    """Return a league with a field and contexts."""
    league = make_league(system, NAMES, **more)
    declare_field(league.pk, NewField("map", "Map", "game", "choice", ["dust", "nuke"]), username="olga")
    for context in contexts:
        create_context(league.pk, context, username="olga")
    return league


ALL = NewContext("all", "All games")
DUST, NUKE = (NewContext(name, name.title(), {"field.map": [name]}) for name in ("dust", "nuke"))
FROM_MAIN = NewContext("main", "From main", {"field.map": ["nuke"]}, start="from_main")
GLICKO = NewContext("glicko", "Glicko", {"sides": 2, "sizes": 1}, system="glicko2")


def scopes(league: League) -> dict[str, League]:
    """Return slug -> the league read in that context."""
    return {scope.context.slug: scope for scope in load_scopes(league_of(league.slug))}


@pytest.mark.parametrize("system", ["elo", "glicko2"])
def test_contexts_stay_right_through_all_that_happens_to_games(system: str) -> None:
    league, chance = build(system, ALL, DUST, NUKE, FROM_MAIN, GLICKO), random.Random(52)
    for number in range(12):
        record(league, game(chance, number))
    set_initial_rating(league.pk, player_of("dan"), 1234.5)
    adjust(league.pk, player_of("anna"), AdjustmentData(25, "Bonus.", EVENING + timedelta(days=6)), username="olga")
    record_together(league.pk, [game(chance, number) for number in range(12, 16)], username="olga")
    record(league, game(chance, 3))
    void_game(league.pk, 5, reason="Twice.", username="olga")
    changed = game(chance, 7)
    correct_game(league.pk, 8, replace(changed, played_at=None), reason="Misread.", username="olga")
    restore_game(league.pk, 5, reason="After all.", username="olga")
    record(league, game(chance, 16))
    assert verify_league(league.pk).differences == []
    found = scopes(league)
    assert rows_of(found["all"]) == rows_of(league)
    numbers = [set(changes_of(found[name]).values_list("number", flat=True)) for name in ("dust", "nuke")]
    assert not numbers[0] & numbers[1]
    assert numbers[0] | numbers[1] == set(RatingChange.objects.values_list("number", flat=True))
    first = changes_of(found["main"]).filter(step=1, games=1)
    for player, number, before in first.values_list("player", "number", "before"):
        own = RatingChange.objects.get(league=league, player=player, number=number, step=1)
        assert before == own.before
    # What a context has is not what the league has, lest everything above compare the same rows.
    assert rows_of(found["dust"])[0] != rows_of(found["nuke"])[0]
    assert len(rows_of(found["glicko"])[2]) == Rating.objects.filter(league=league).count()


def test_voiding_changes_exactly_the_contexts_of_a_game() -> None:
    league, chance = build("elo", DUST, NUKE), random.Random(7)
    for number in range(8):
        record(league, game(chance, number))
    of_dust = Game.objects.filter(details__declared_fields__game__map="dust").order_by("number")[1]
    before = {name: rows_of(scope) for name, scope in scopes(league).items()}
    keys = set(ContextChange.objects.filter(context__slug="nuke").values_list("pk", flat=True))
    void_game(league.pk, of_dust.number, reason="Twice.", username="olga")
    after = {name: rows_of(scope) for name, scope in scopes(league).items()}
    assert after["nuke"] == before["nuke"] and after["dust"] != before["dust"]
    assert keys == set(ContextChange.objects.filter(context__slug="nuke").values_list("pk", flat=True))


@long_way
def test_seasons_and_a_change_of_system_apply_to_contexts_without_a_system() -> None:
    league, chance = build("elo", ALL, DUST), random.Random(3)
    for number in range(4):
        record(league, game(chance, 3 * number))
    season = {"days": ["03-20"], "pull": 0.5}
    adopt_rule(league.pk, "glicko", {}, date(2024, 3, 12), season, username="olga")
    for number in range(4, 9):
        record(league, game(chance, 3 * number))
    record(league, game(chance, 5))
    assert verify_league(league.pk).differences == []
    assert rows_of(scopes(league)["all"]) == rows_of(league)


@long_way
def test_a_game_within_a_season_is_rated_without_a_replay(monkeypatch: pytest.MonkeyPatch) -> None:
    league, chance = build("elo", ALL, DUST, FROM_MAIN), random.Random(8)
    season = {"days": ["03-20"], "pull": 0.5}
    adopt_rule(league.pk, "elo", {"k": 32}, date(2024, 3, 12), season, username="olga")
    for number in range(6):
        record(league, game(chance, 3 * number))
    for name in ("dust", "nuke"):
        record(league, replace(game(chance, 16), fields={"map": name}))
    adjust(league.pk, player_of("ben"), AdjustmentData(-9, "Late.", EVENING + timedelta(days=17)), username="olga")
    replayed: list[str] = []
    monkeypatch.setattr(rate_contexts, "replay_scope", lambda scope, position: replayed.append(scope.context.slug))
    for number in range(18, 24):
        record(league, game(chance, number))
    assert replayed == []
    monkeypatch.undo()
    record(league, game(chance, 24))
    assert verify_league(league.pk).differences == []
    assert rows_of(scopes(league)["all"]) == rows_of(league)


def test_a_filter_is_changed_and_a_context_removed() -> None:
    league, chance = build("elo", DUST), random.Random(1)
    for number in range(6):
        record(league, game(chance, number))
    dust = rows_of(scopes(league)["dust"])
    change_context(league.pk, "dust", {"filter": {"field.map": "nuke"}}, username="olga")
    nuke = rows_of(scopes(league)["dust"])
    assert nuke != dust
    change_context(league.pk, "dust", {"filter": {"sides": 3}}, username="olga")
    assert rows_of(scopes(league)["dust"]) == ([], [], [])
    change_context(league.pk, "dust", {"filter": {"field.map": ["dust"]}}, username="olga")
    assert rows_of(scopes(league)["dust"]) == dust
    assert verify_league(league.pk).differences == []
    remove_context(league.pk, "dust", username="olga")
    assert not ContextChange.objects.exists() and not league_of().has_contexts
    assert verify_league(league.pk).differences == []


def test_many_games_are_computed_by_a_worker(settings: Any) -> None:
    league, chance = build("elo"), random.Random(4)
    for number in range(6):
        record(league, game(chance, number))
    settings.RUNGS_INLINE_GAMES = 3
    create_context(league.pk, DUST, username="olga")
    assert [context.pending for context in load_contexts(league_of())] == [True]
    assert enqueue_due() == [league.pk]
    before = list(RatingChange.objects.values_list())
    # As a worker does, for whom the league itself has nothing to replay.
    assert run_due_replay(league.pk) == 0
    assert (enqueue_due(), list(RatingChange.objects.values_list())) == ([], before)
    assert [(job.kind, job.state) for job in Job.objects.all()] == [(Job.Kind.REPLAY, Job.State.DONE)]
    assert [context.pending for context in load_contexts(league_of())] == [False]
    assert verify_league(league.pk).differences == []
    record(league, game(chance, 0))
    assert [context.pending for context in load_contexts(league_of())] == [True]
    run_long_replay(league.pk)
    assert verify_league(league.pk).differences == []


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"filter": {"field.mode": ["duel"]}}, "/filter/field.mode"),
        ({"filter": {"field.map": ["inferno"]}}, "/filter/field.map"),
        ({"filter": {"field.map": []}}, "/filter/field.map"),
        ({"filter": {"sides": 0}}, "/filter/sides"),
        ({"filter": {"sizes": [1, True]}}, "/filter/sizes"),
        ({"filter": {"weight": 1}}, "/filter/weight"),
        ({"system": "nothing"}, "/system"),
        ({"system": "elo", "parameters": {"k": -1}}, "/parameters/k"),
        ({"parameters": {"k": 20}}, "/parameters"),
        ({"system": "glicko2", "start": "from_main"}, "/start"),
    ],
)
def test_what_is_wrong_is_refused_at_its_place(changes: dict[str, Any], pointer: str) -> None:
    league = build()
    with pytest.raises(Invalid) as refused:
        create_context(league.pk, replace(ALL, **changes), username="olga")
    assert [problem.pointer for problem in refused.value.problems] == [pointer]


def test_a_ninth_context_is_refused() -> None:
    league = build("elo", *(replace(ALL, slug=f"c{number}") for number in range(8)))
    with pytest.raises(Refused):
        create_context(league.pk, ALL, username="olga")
