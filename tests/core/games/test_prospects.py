"""A game that has not been played: preview, to the bits of recording it."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from league.core.errors import Busy, Conflict, Refused
from league.core.games.services.explain import explain_game
from league.core.games.services.game_input import NewGame
from league.core.games.services.what_if import compute_what_if
from league.core.locking import run_with_league_lock
from league.core.replay.services.inline import mark_stale, replay_from
from league.models import Game, League, Player, RatingChange
from tests.helpers.api_client import Api, game
from tests.helpers.builders import EVENING, derived, make_league, record, sheet
from tests.helpers.drawn_sheets import SIX, SLUGS, WORLDS
from tests.helpers.tiers import examples

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("dropped_weng_lin")]
SITTING = st.tuples(st.integers(0, 6), st.permutations(SIX), st.lists(st.integers(0, 300), min_size=5, max_size=5))


def make_sheet(world: str, minutes: int, seats: Sequence[str], scores: Sequence[int]) -> NewGame:
    """Return a sheet that the world's system accepts."""
    system, _, size = WORLDS[world]
    if system in ("durak", "dropped_weng_lin"):
        return sheet(seats[:size], places=list(range(1, size + 1)), minutes=minutes)
    details = {"bula": 20 + scores[0] % 20} if system == "preferans" else {}
    return sheet(seats[:size], scores[:size], minutes=minutes, details=details)


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize("world", WORLDS)
@settings(max_examples=examples(12), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(before=st.lists(SITTING, max_size=8), wanted=SITTING)
def test_a_preview_and_then_the_recording_give_the_same_bits(world: str, before: Any, wanted: Any) -> None:
    system, parameters, _ = WORLDS[world]
    league = make_league(system, SIX, slug=next(SLUGS), parameters=parameters, starts=starts_of(system))
    for sitting in before:
        record(league, make_sheet(world, *sitting))
    stood = derived(league)
    new = make_sheet(world, *wanted)
    ((_, foreseen),) = compute_what_if(league, new).outcomes
    assert derived(league) == stood
    played = record(league, new)
    lines = RatingChange.objects.filter(game=played, step=1).order_by("seat")
    assert [line.change for line in lines] == foreseen.change
    assert [line.before for line in lines] == [state[0] for state in foreseen.before]
    assert [line.after for line in lines] == [state[0] for state in foreseen.after]
    assert [line.games for line in lines] == foreseen.games
    assert [line.shift for line in lines] == [foreseen.shift] * len(lines)
    assert explain_game(league, played.number).rated.parts == foreseen.parts


def starts_of(system: str) -> dict[str, float]:
    """Return a start other than the system's, for one player."""
    return {"ben": 1234.0} if system in ("elo", "durak", "preferans") else {}


def test_two_players_are_told_win_draw_and_loss() -> None:
    make_league(starts={"anna": 1900, "ben": 1500})
    body = {"played_at": "2024-03-05T19:30:00Z", "results": [{"player": "anna"}, {"player": "ben"}]}
    answer = Api().post("leagues/club/preview/", body)
    assert answer.status_code == 200
    # 400 points ahead: 10/11 is expected. K is 20.
    expected = [20 * (result - 10 / 11) for result in (1, 0.5, 0)]
    told = answer.data["outcomes"]
    assert [[line["place"] for line in outcome["players"]] for outcome in told] == [[1, 2], [1, 1], [2, 1]]
    assert [outcome["players"][0]["change"] for outcome in told] == pytest.approx(expected)
    assert [outcome["players"][1]["rating_after"] for outcome in told] == pytest.approx([1500 - by for by in expected])
    figures = {figure["key"]: figure["value"] for figure in answer.data["players"][0]["figures"]}
    assert figures == {"k": 20, "mean_e": pytest.approx(10 / 11)}
    assert [figure["key"] for figure in told[1]["players"][0]["figures"]] == ["mean_a"]
    assert (answer.data["pairs"][0]["players"], answer.data["system"]) == (["anna", "ben"], "elo")
    assert [figure["key"] for figure in told[0]["pairs"][0]["figures"]] == ["a"]
    for outcome in told:
        for line in outcome["players"]:
            assert sum(part["value"] for part in line["parts"]) == line["change"]
    assert Game.objects.count() == 0


def test_an_outcome_that_was_sent_stands_alone_with_everything_above_it() -> None:
    make_league("preferans", ("pedja", "marko", "johnny"), starts={"pedja": 1200, "marko": 1150, "johnny": 1100})
    sent = game(("pedja", -500), ("marko", 40), ("johnny", 460), details={"bula": 30}, external_id="s/1")
    answer = Api().post("leagues/club/preview/", sent)
    # The source's printed example.
    (outcome,) = answer.data["outcomes"]
    assert [line["change"] for line in outcome["players"]] == [-27, 2, 25]
    assert [line["performance"] for line in outcome["players"]] == pytest.approx([-27.4, 2.0, 25.4])
    assert [line["rating_before"] for line in answer.data["players"]] == [1200, 1150, 1100]
    assert {figure["key"] for figure in answer.data["players"][0]["figures"]} == {"raw", "rounded"}
    assert (outcome["players"][0]["figures"], outcome["pairs"]) == ([], [])


def test_durak_players_are_told_every_order() -> None:
    make_league("durak")
    outcomes = compute_what_if(League.objects.get(), sheet(("anna", "ben", "cleo", "dan"))).outcomes
    assert len({tuple(one.places) for one, _ in outcomes}) == 24
    assert all(sum(rated.change) == pytest.approx(sum(outcomes[0][1].change)) for _, rated in outcomes)


def test_a_preview_looks_at_the_ratings_as_of_its_moment() -> None:
    league = make_league()
    record(league, sheet(("anna", "ben"), (1, 0), minutes=0))
    record(league, sheet(("anna", "ben"), (1, 0), minutes=60))
    before = compute_what_if(league, sheet(("anna", "cleo"), minutes=-1)).outcomes[0][1].before
    between = compute_what_if(league, sheet(("anna", "cleo"), minutes=30)).outcomes[0][1].before
    later = (
        compute_what_if(league, sheet(("anna", "cleo"), played_at=EVENING + timedelta(days=40_000)))
        .outcomes[0][1]
        .before
    )
    lines = RatingChange.objects.filter(player__handle="anna").order_by("number")
    assert [state[0][0] for state in (before, between, later)] == [1500, lines[0].after, lines[1].after]


def test_who_is_to_be_added_starts_as_a_newcomer_and_is_not_added() -> None:
    league = make_league()
    prospect = compute_what_if(league, sheet(("anna", "Zoë", "Yann"), create_players=True))
    assert (prospect.handles, prospect.names) == (["anna", "Zoë", "Yann"], ["Anna", "Zoë", "Yann"])
    assert prospect.outcomes[0][1].before == [[1500], [1500], [1500]]
    assert not Player.objects.filter(name="Zoë").exists()


REFUSED: dict[str, tuple[NewGame, str]] = {
    "an unknown player": (sheet(("anna", "zoë")), "Seat 2: no player is called “zoë”."),
    "a name that is none": (sheet(("anna", "z\u200bo"), create_players=True), "cannot be added as a player"),
    "the same newcomer twice": (sheet(("zoë", "Zoë"), create_players=True), "is in seats 1 and 2"),
    "too many orders": (sheet(("anna", "ben", "cleo", "dan", "eva")), "too many orders"),
    "one player": (sheet(("anna",)), "Elo is for 2 or more players"),
    "half an outcome": (sheet(("anna", "ben"), places=(1, None)), "needs a score for every seat"),  # type: ignore[arg-type]
    "an unknown field": (sheet(("anna", "ben"), details={"bula": 3}), "has no game field “bula”"),
    "a bye": (sheet(("anna",), kind="full_bye"), "Only played games are rated"),
    "a day before the league": (sheet(("anna", "ben"), played_at=EVENING.replace(year=1700)), "first rule"),
}  # fmt: skip


def test_what_cannot_be_played_is_refused() -> None:
    league = make_league(players=SIX)
    for new, sentence in REFUSED.values():
        with pytest.raises(Refused, match=sentence):
            compute_what_if(league, new)
    # Systems of scores ask for them.
    cards = make_league("preferans", slug="cards")
    with pytest.raises(Refused, match="enter a score for every seat") as caught:
        compute_what_if(cards, sheet(("anna", "ben", "cleo"), details={"bula": 30}))
    assert caught.value.problems[0].pointer == "/results"
    with pytest.raises(Refused, match="is for 3 players"):
        compute_what_if(cards, sheet(SIX[:4], details={"bula": 30}))


def test_a_game_that_has_been_played_is_no_prospect() -> None:
    league = make_league()
    record(league, sheet(("anna", "ben"), (1, 0), external_id="7"))
    with pytest.raises(Refused, match="belongs to game 1, which has been played"):
        compute_what_if(league, sheet(("anna", "ben"), (1, 0), external_id="7"))
    with pytest.raises(Conflict, match="which has other content"):
        compute_what_if(league, sheet(("anna", "ben"), (0, 1), external_id="7"))


def test_while_a_replay_is_due_the_ratings_after_it_are_not_told() -> None:
    league = make_league()
    for minutes in (0, 60):
        record(league, sheet(("anna", "ben"), (1, 0), minutes=minutes))
    run_with_league_lock(league.pk, lambda locked, now: mark_stale(locked, (EVENING + timedelta(minutes=60), 2)))
    league.refresh_from_db()
    with pytest.raises(Busy, match="are being recalculated; try again"):
        compute_what_if(league, sheet(("anna", "ben"), minutes=61))
    assert len(compute_what_if(league, sheet(("anna", "ben"), minutes=59)).outcomes) == 3
    assert Api().post("leagues/club/preview/", game(("anna", 1), ("ben", 0), played_at=None))["Retry-After"] == "1"
    run_with_league_lock(league.pk, lambda locked, now: replay_from(locked, None))


def test_a_private_leagues_preview_answers_404_and_writing_nothing_needs_no_scope() -> None:
    make_league(visibility="private")
    assert Api().post("leagues/club/preview/", game(("anna", 1), ("ben", 0))).status_code == 404
    reader = Api("read")
    assert reader.post("leagues/club/preview/", game(("anna", 1), ("ben", 0))).status_code == 200
    assert reader.post("leagues/club/preview/?x=1", game(("anna", 1), ("ben", 0))).status_code == 400


def test_a_preview_costs_so_many_queries(django_assert_num_queries: Any) -> None:
    league = make_league()
    for minutes in range(12):
        record(league, sheet(("anna", "ben"), (1, 0), minutes=minutes))
    record(league, sheet(("cleo", "dan"), (1, 0)))  # a stranger names only who has played
    for when in ("2024-03-05T22:00:00Z", "2024-03-05T19:33:30Z"):
        with django_assert_num_queries(7):
            body = {"played_at": when, "results": [{"player": name} for name in ("anna", "ben", "cleo", "dan")]}
            assert len(Api().post("leagues/club/preview/", body).data["outcomes"]) == 24


def test_a_preview_says_who_plays_together_and_what_the_game_weighs() -> None:
    league = make_league("elo", ("anna", "ben", "cleo", "dan"))
    sides = {"anna": 7, "ben": 7, "cleo": 2, "dan": 2}
    lines = [{"player": name, "side": side} for name, side in sides.items()]
    api = Api("record", (league,))
    body = {"played_at": "2024-03-05T19:30:00Z", "results": lines, "weight": 2.5}
    answer = api.post("leagues/club/preview/", body)
    assert answer.status_code == 200
    said = answer.data
    assert (said["weight"], [player["side"] for player in said["players"]]) == (2.5, [7, 7, 2, 2])
    # Won, drawn, lost among equals: half of K 20, times the weight.
    assert [outcome["players"][1]["change"] for outcome in said["outcomes"]] == [25, 0, -25]
    alone = api.post("leagues/club/preview/", {"results": [{"player": "anna"}, {"player": "ben"}]}).json()
    assert (alone["weight"], [player["side"] for player in alone["players"]]) == (1.0, [None, None])
