"""What is said of a round in sentences: where its games begin, and what an accelerated Swiss system adds."""

from collections import defaultdict
from fractions import Fraction
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.apps.competitions.models import Competition
from league.apps.competitions.selectors.competition_data import LoadedCompetition
from league.apps.competitions.selectors.competitions import build_format
from league.apps.competitions.selectors.result_texts import format_game_points
from ratings.contract.pairing_format import PairingRequest
from ratings.pairing_formats.swiss import Swiss, get_virtual
from ratings.tournaments.start_positions import build_start_position, draw_start_position


class StartPosition(NamedTuple):
    """A position of Chess960: its number from 0 to 959, and White's pieces from a to h."""

    number: int
    pieces: str


def find_start_position(competition: Competition, number: int) -> StartPosition | None:
    """Return the position that the games of a round begin from, drawn by lot; None if they are of classical chess."""
    if not competition.chess960:
        return None
    drawn = draw_start_position(competition.seed, number)
    return StartPosition(drawn, build_start_position(drawn))


def describe_round(loaded: LoadedCompetition, number: int) -> list[str]:
    """Return the sentences about a round that was made."""
    sentences = _describe_acceleration(loaded, number)
    if position := find_start_position(loaded.competition, number):
        template = _("Chess960: games begin from position {number}, {pieces} from a to h.")
        sentences.insert(0, template.format(number=position.number, pieces=position.pieces))
    return sentences


def _describe_acceleration(loaded: LoadedCompetition, number: int) -> list[str]:
    """Return who has how many points more for the pairing of a round that was made; nothing if nobody has."""
    swiss = build_format(loaded.competition)
    if not isinstance(swiss, Swiss) or swiss.acceleration == "none":
        return []
    request = PairingRequest(loaded.build_data(with_unpublished=True), number)
    by_points: defaultdict[Fraction, list[int]] = defaultdict(list)
    for entry, by_round in swiss.list_virtual_points(request).items():
        if points := get_virtual(by_round, number):
            by_points[points].append(entry)
    return [_describe_group(loaded, points, entries) for points, entries in sorted(by_points.items(), reverse=True)]


def _describe_group(loaded: LoadedCompetition, points: Fraction, entries: list[int]) -> str:
    """Return a sentence about entries; those whose numbers follow each other by the first and the last one."""
    between = [number for number in loaded.entries if entries[0] <= number <= entries[-1]]
    if between == entries and len(entries) > 1:
        template = _("For the pairing of this round, numbers {first} to {last} have {points} more.")
        names = {"first": str(entries[0]), "last": str(entries[-1])}
    else:
        template = _("For the pairing of this round, these have {points} more: {entries}.")
        names = {"entries": ", ".join(map(loaded.name, entries))}
    counted = ngettext("{points} point", "{points} points", 1 if points <= 1 else 2)
    return template.format(points=counted.format(points=format_game_points(points)), **names)
