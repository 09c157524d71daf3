"""The document of final standings. It names entries by number only, so that erasing a person does not change it."""

import json
from fractions import Fraction
from typing import Any

from league.apps.competitions.models import Competition, FinalStandings
from league.apps.competitions.selectors.competition_data import LoadedCompetition, load_competition
from league.apps.competitions.selectors.prizes import build_prize_document
from league.apps.competitions.selectors.standings import compute_standings
from ratings.standings.prizes import Award, Awards
from ratings.standings.ranking import Standings

#: The settings in a document.
RULES = ("format", "parameters", "points", "tie_breaks", "tie_break_rules", "rated")
Number = int | float | str | None


def serialize_fraction(value: Fraction | None) -> Number:
    """Return a number as JSON: exact if it is a binary fraction, else as text such as 2/3."""
    if value is None or value.denominator == 1:
        return None if value is None else value.numerator
    return float(value) if value.denominator & (value.denominator - 1) == 0 else str(value)


def build_results(loaded: LoadedCompetition, standings: Standings | None = None) -> list[dict[str, Any]]:
    """Return the standings as rows of a document, best first."""
    return [
        {
            "rank": row.rank,
            "entry": row.entry,
            "points": serialize_fraction(row.points),
            "tie_breaks": {code: serialize_fraction(value) for code, value in row.values.items()},
            "decided_by": row.decided_by or None,
            **({"left_out": row.left_out} if row.left_out else {}),
        }
        for row in (standings or compute_standings(loaded)).rows
    ]


def build_document(loaded: LoadedCompetition, number: int) -> dict[str, Any]:
    """Return the document of an edition of the standings."""
    competition, standings = loaded.competition, compute_standings(loaded)
    last = find_last_edition(competition) if competition.prizes else None
    prizes = build_prize_document(loaded, standings, None if last is None else read_members(last))
    return {
        "league": competition.league.slug,
        "competition": competition.slug,
        "title": competition.title,
        "edition": number,
        "rules": {name: getattr(competition, name) for name in RULES} | ({"lots": True} if competition.lots else {}),
        "rounds": len(loaded.rounds),
        "entries": [{"entry": entry.number, "rating": entry.rating} for entry in loaded.entries.values()],
        "results": build_results(loaded, standings),
        **({"prizes": prizes} if prizes else {}),
    }


def find_last_edition(competition: Competition) -> FinalStandings | None:
    """Return the last edition of the standings, None if there is none."""
    return competition.editions.order_by("-number").first()


def differs_from_edition(loaded: LoadedCompetition, edition: FinalStandings) -> bool:
    """Return whether the standings are other than in an edition, because of a correction."""
    document, standings = json.loads(edition.document), compute_standings(loaded)
    stored, computed = (
        [{name: row[name] for name in ("rank", "entry", "points", "tie_breaks")} for row in rows]
        for rows in (document["results"], build_results(loaded, standings))
    )
    prizes = build_prize_document(loaded, standings, read_members(edition))
    return stored != computed or document.get("prizes", {}) != prizes


def read_members(edition: FinalStandings) -> dict[str, list[int]]:
    """Return category -> numbers of its entries, as an edition has them."""
    prizes = json.loads(edition.document).get("prizes", {})
    return {one["key"]: one["members"] for one in prizes.get("categories", ())}


def read_awards(edition: FinalStandings) -> Awards:
    """Return who wins which prizes, as an edition has them."""
    prizes = json.loads(edition.document).get("prizes", {})
    awards = [
        Award(**{**one, "amount": int(one["amount"].replace(".", ""))})  # cents
        for one in prizes.get("awards", ())
    ]
    unwon = [(one["category"], one["place"], one["reason"]) for one in prizes.get("unwon", ())]
    return Awards(tuple(awards), tuple(unwon))


def standings_differ(competition: Competition) -> bool:
    """Return whether a finished competition's standings are other than in its last edition."""
    edition = find_last_edition(competition)
    return edition is not None and differs_from_edition(load_competition(competition), edition)
