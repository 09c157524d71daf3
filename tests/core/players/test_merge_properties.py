"""Whatever was played: a merged league is the one that had named the survivor from the start, and comes back whole."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from league.core.games.services.game_input import NewGame
from league.core.games.services.record import void_game
from league.core.players.services.merges import merge_players, unmerge_player
from league.models import Game, League, Player
from tests.helpers.builders import derived, make_league, record
from tests.helpers.drawn_sheets import SIX, WORLDS, make_sheet
from tests.helpers.ladder_builders import facts, make_ladder, standings
from tests.helpers.tiers import examples, long_way, mark_slow

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("dropped_weng_lin")]

SLUGS = (f"merged-{number}" for number in count())
#: What the merge is of, and the tables that it leaves as they were once it was taken back.
ONE, OTHER = "anna", "ben"
FACTS = ("Player", "Alias", "InitialRating", "Game", "Result")
#: The minute, who sits (the one or the other of the two first), what scores, and whether it is voided.
GAMES = st.lists(
    st.tuples(
        st.integers(0, 6),
        st.sampled_from([ONE, OTHER]),
        st.permutations(SIX[2:]),
        st.lists(st.integers(0, 300), min_size=5, max_size=5),
        st.sampled_from([False, False, False, True]),
    ),
    min_size=1,
    max_size=14,
)


def sheets(world: str, games: Sequence[Any]) -> list[tuple[NewGame, bool]]:
    """Return the sheets of drawn games, and which of them are void."""
    system, _, size = WORLDS[world]
    return [
        (make_sheet(system, size, [*seats[:1], person, *seats[1:]], scores, minutes), void)
        for minutes, person, seats, scores, void in games
    ]


def play(league: League, games: Sequence[tuple[NewGame, bool]]) -> None:
    """Record all of them, in the order of entry, and void those that are void."""
    for number, (new, void) in enumerate(games, start=1):
        record(league, new)
        if void:
            void_game(league.pk, number, reason="a friendly", username="test")


def as_survivor(new: NewGame) -> NewGame:
    """Return a sheet that named the survivor from the start."""
    return replace(
        new, results=[replace(one, player=OTHER if one.player == ONE else one.player) for one in new.results]
    )


@long_way
@pytest.mark.sampled(every=3)
@pytest.mark.parametrize("world", mark_slow(WORLDS, "Other systems.", but=["elo", "serpentine"]))
@settings(max_examples=examples(8), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(games=GAMES, start=st.sampled_from(["", ONE, OTHER]))
def test_merged_is_recorded_for_the_survivor_from_the_start(world: str, games: list[Any], start: str) -> None:
    system, parameters, _ = WORLDS[world]
    league, same = (
        make_league(system, SIX, slug=next(SLUGS), parameters=parameters, starts={name: 1234.0} if name else {})
        for name in (start, OTHER if start else "")
    )
    for one in (league, same):
        make_ladder(one)
    played = sheets(world, games)
    play(league, played)
    play(same, [(as_survivor(new), void) for new, void in played])
    before = facts(*FACTS), derived(league), standings(league)

    merge_players(Player.objects.get(handle=ONE), Player.objects.get(handle=OTHER), username="olga")
    assert (derived(league), standings(league)) == (derived(same), standings(same))
    assert Game.objects.filter(league=league).count() == len(games)

    unmerge_player(Player.objects.get(handle=ONE), username="olga")
    assert (facts(*FACTS), derived(league), standings(league)) == before
