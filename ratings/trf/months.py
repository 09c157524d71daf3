"""The report of a month of a long event: its rounds alone, as FIDE rates it month by month."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ratings.trf.building import find_kind
from ratings.trf.competition import TrfCompetition
from ratings.trf.formats import TrfFormat


def cut_rounds(
    competition: TrfCompetition, numbers: Sequence[int], ratings: Mapping[int, int | None]
) -> TrfCompetition:
    """Return a competition with some rounds alone, counted from 1, and with other ratings of its players.

    What concerns the whole event is left out: how it is paired, tie-breaks, byes to come, points that were added, and
    those that count for pairings. So the points are those of these rounds.
    """
    places = {number: place for place, number in enumerate(numbers, 1)}
    entries = tuple(
        replace(entry, rating=ratings[entry.number], added=(), virtual=(), later=())
        for entry in competition.data.entries
    )
    rounds = tuple(replace(one, number=places[one.number]) for one in competition.data.rounds if one.number in places)
    every_day = dict(enumerate(competition.round_days, 1))
    days = {number: every_day.get(number) for number in numbers}
    known = [day for day in days.values() if day]
    return replace(
        competition,
        data=replace(competition.data, entries=entries, rounds=rounds, planned_rounds=len(rounds)),
        players=tuple(replace(player, rating=ratings[player.number], rank=None) for player in competition.players),
        # Its pairings do not follow from these rounds.
        format=TrfFormat("free"),
        kind=competition.kind or find_kind(competition)[0],
        starts=min(known, default=competition.starts),
        ends=max(known, default=competition.ends),
        round_days=tuple(days.values()),
        tie_breaks=(),
        first_colour="",
        byes={},
        unrated=frozenset((places[number], white) for number, white in competition.unrated if number in places),
        forbidden=(),
    )
