"""The results of a season's play-offs, read from the competitions that are their stage."""

from dataclasses import replace
from fractions import Fraction

from league.apps.competitions.selectors.competition_data import LoadedCompetition, load_competitions
from league.apps.competitions.selectors.season_standings import SeasonReader
from ratings.contract.result_table import compute_fixture_points
from ratings.seasons.borders import PlayOff
from ratings.seasons.rules import PLAY_OFF


def read_play_offs(reader: SeasonReader) -> list[PlayOff]:
    """Return who plays off, with the winners as far as they are known (``R172``)."""
    play_offs = reader.list_play_offs()
    if not play_offs:
        return []
    loaded = load_competitions([part.competition for part in reader.parts if part.stage == PLAY_OFF])
    return [replace(one, winner=_find_winner(reader, one, loaded)) for one in play_offs]


def _find_winner(reader: SeasonReader, play_off: PlayOff, loaded: list[LoadedCompetition]) -> str | None:
    """Return who has more points in the meetings of both, None if neither has, or one is still to be played."""
    points = {play_off.upper: Fraction(0), play_off.lower: Fraction(0)}
    for one in loaded:
        handles = {number: reader.find_player(one, number).handle for number in one.entries}
        for fixture in one.fixtures:
            if fixture.status == "cancelled" or {handles[entry] for entry in fixture.entries} != points.keys():
                continue
            if fixture.status == "planned":
                return None
            for entry, gained in zip(fixture.entries, compute_fixture_points(one.data, fixture.data), strict=True):
                points[handles[entry]] += gained
    if points[play_off.upper] == points[play_off.lower]:
        return None
    return max(points, key=lambda player: points[player])
