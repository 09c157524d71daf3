"""Swiss pairings by other engines, from the same competition."""

from collections.abc import Mapping, Sequence

from py4swiss.engines.dutch.engine import Engine
from py4swiss.trf import ParsedTrf
from py4swiss.trf.codes import PlayerCode
from py4swiss.trf.results import ColorToken, ResultToken, RoundResult
from py4swiss.trf.sections import PlayerSection, XSection
from py4swiss.trf.sections.x_section import XSectionConfiguration

from ratings.contract.competition import FixtureData
from ratings.contract.pairing_format import PairingRequest
from ratings.contract.result_table import compute_fixture_points

#: The kind of a bye -> its code in a TRF file.
BYES = {"pairing_bye": "U", "full_bye": "F", "half_bye": "H", "zero_bye": "Z"}


def list_results(fixture: FixtureData) -> list[tuple[int, int, str, str]]:
    """Return entry, opponent, colour and TRF code of each seat of a fixture."""
    if len(fixture.seats) == 1:
        return [(fixture.seats[0].entry, 0, "-", BYES[fixture.kind])]
    first, second = fixture.seats
    lines = []
    for own, other, colour in ((first, second, "w"), (second, first, "b")):
        if fixture.kind == "forfeit":
            code = "+" if own.place == 1 else "-"
        else:
            code = "=" if own.place == other.place else "1" if own.place < other.place else "0"
        lines.append((own.entry, other.entry, colour, code))
    return lines


def pair_with_py4swiss(
    request: PairingRequest, first_colour: str, accelerations: Mapping[int, Sequence[int]] | None = None
) -> list[tuple[int, int]]:
    """Return (white, black) of each game by py4swiss, black 0 for the bye; its edition is that before 2026.

    ``accelerations``: entry -> tenths of points by round.
    """
    competition = request.competition
    results: dict[int, list[RoundResult]] = {entry.number: [] for entry in competition.entries}
    points = dict.fromkeys(results, 0)
    for one_round in competition.rounds:
        seen = set()
        for fixture in one_round.fixtures:
            for (entry, opponent, colour, code), gained in zip(
                list_results(fixture), compute_fixture_points(competition, fixture), strict=True
            ):
                results[entry].append(RoundResult(id=opponent, color=ColorToken(colour), result=ResultToken(code)))
                points[entry] += int(gained * 10)
                seen.add(entry)
        for entry in results.keys() - seen:
            results[entry].append(RoundResult(id=0, color=ColorToken("-"), result=ResultToken("Z")))
    present = set(request.list_present())
    for entry in results.keys() - present:  # What it asked for does not matter: nobody sees this round's points.
        results[entry].append(RoundResult(id=0, color=ColorToken("-"), result=ResultToken("Z")))
    sections = [
        PlayerSection(
            code=PlayerCode.PLAYER,
            starting_number=entry.number,
            name=f"Player{entry.number}",
            fide_rating=entry.rating,
            points_times_ten=points[entry.number],
            rank=entry.number,
            results=results[entry.number],
        )
        for entry in competition.entries
    ]
    section = XSection(
        number_of_rounds=max(competition.planned_rounds, request.number),
        configuration=XSectionConfiguration(first_round_color=first_colour == "w"),
        accelerations={entry: list(tenths) for entry, tenths in (accelerations or {}).items()},
        forbidden_pairs={tuple(sorted(pair)) for pair in request.not_against},
    )
    return [
        (pair.white, pair.black)
        for pair in Engine.generate_pairings(ParsedTrf(player_sections=sections, x_section=section))
    ]
