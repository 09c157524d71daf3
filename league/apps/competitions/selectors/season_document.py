"""The document of a season's closing standings. It names entries by number only, so that erasing does not change it."""

import json
from typing import Any

from league.apps.competitions.models import Season, SeasonEdition
from league.apps.competitions.selectors.final_standings import serialize_fraction
from league.apps.competitions.selectors.season_play_offs import read_play_offs
from league.apps.competitions.selectors.season_standings import DivisionTable, SeasonReader


def build_season_document(reader: SeasonReader, number: int) -> dict[str, Any]:
    """Return the document of an edition."""
    season = reader.season
    return {
        "league": season.league.slug,
        "season": season.slug,
        "title": season.title,
        "edition": number,
        "rule": season.rule,
        **build_season_results(reader),
    }


def build_season_results(reader: SeasonReader) -> dict[str, Any]:
    """Return what a correction can change: divisions, series and stages."""
    rows, _parts, _people = reader.read_series()
    rule = reader.rule.divisions
    play_offs = {"play_offs": _serialize_play_offs(reader)} if rule and rule.play_off else {}
    numbers = {str(pk): entry.number for pk, entry in reader.by_player.items()}
    return {
        "divisions": [_serialize_division(reader, table) for table in reader.read_divisions()],
        "series": [
            {
                "rank": row.rank,
                "entry": numbers.get(row.player),
                "points": serialize_fraction(row.points),
                "events": [[one.event, one.place, serialize_fraction(one.points), one.counted] for one in row.events],
            }
            for row in rows
        ],
        "stages": [
            {"stage": tree.rule.key, "competitions": [part.competition.slug for part in tree.parts]}
            for tree in reader.read_stages()
        ],
        **play_offs,
    }


def _serialize_play_offs(reader: SeasonReader) -> list[dict[str, Any]]:
    numbers = {entry.survivor.handle: entry.number for entry in reader.by_player.values()}
    return [
        {
            "upper": numbers[one.upper],
            "lower": numbers[one.lower],
            "winner": None if one.winner is None else numbers[one.winner],
        }
        for one in read_play_offs(reader)
        # Whoever was added to a competition by hand has no entry in the season.
        if {one.upper, one.lower} <= numbers.keys()
    ]


def differs_from_season_edition(reader: SeasonReader, edition: SeasonEdition) -> bool:
    """Return whether the results are other than in an edition, because of a correction."""
    stored = json.loads(edition.document)
    computed = json.loads(json.dumps(build_season_results(reader)))
    return any(stored[name] != value for name, value in computed.items())


def season_differs(season: Season, edition: SeasonEdition) -> bool:
    """Return whether a closed season's results are other than in an edition."""
    return differs_from_season_edition(SeasonReader(season), edition)


def _serialize_division(reader: SeasonReader, table: DivisionTable) -> dict[str, Any]:
    return {
        "level": table.part.level,
        "letter": table.part.letter,
        "competition": table.part.competition.slug,
        "places": [
            {
                "entry": reader.by_player[line.player.pk].number,
                "rank": line.place.rank,
                "points": serialize_fraction(line.place.points),
                "played": line.place.played,
                "withdrawn": line.place.withdrawn,
                "tie_breaks": [serialize_fraction(value) for value in line.place.values],
            }
            for line in table.lines
            # Whoever was added to a competition by hand has no entry in the season.
            if line.player.pk in reader.by_player
        ],
    }
