"""Rows of tables of pages as data, for ``league.web.public.files``."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from league.core.ladders.selectors.ladders import PublishedPeriod
from league.core.ladders.selectors.race import Race
from league.core.leaderboard.selectors.compared import RankMove
from league.core.players.selectors.versus import Meeting, MeetingSide
from league.web.public.charts.curves import Curve
from league.web.public.selectors.pages import RecentNewcomer, UnlistedPlayer

Record = dict[str, Any]


def serialize_newcomer(row: RecentNewcomer) -> Record:
    """Return a player with too few games for the board."""
    record = {"rank": None, "name": row.name, "score": row.score, "games": row.games, "player": row.handle}
    return {**record, "last_game": row.last_at, "provisional": True}


def serialize_unlisted_player(row: UnlistedPlayer) -> Record:
    """Return a player who is not on the board, with the reason."""
    player, rating = row.player, row.rating
    record = {"rank": None, "name": player.name, "score": rating.score, "rating": rating.rating, "games": rating.games}
    return {**record, "player": player.handle, "last_game": rating.last_at, "why_not": row.why}


def serialize_move(move: RankMove) -> Record:
    """Return a player who entered or left the board or changed rank."""
    return {name: value for name, value in move._asdict().items() if name != "player"} | {"handle": move.handle}


def serialize_meeting(row: Meeting, handles: Sequence[str]) -> Record:
    """Return a meeting of two players, with each player's values under their handle."""
    sides = {handle: _serialize_side(side) for handle, side in zip(handles, row.sides, strict=True)}
    return {"game": row.number, "played_at": row.at, "outcome": row.outcome, "expected": row.expected, **sides}


def _serialize_side(side: MeetingSide) -> Record:
    """Return one of the two players in a meeting."""
    line = side.line
    rating_values = (None, None) if line is None else (line.change, line.after)
    return {
        "seat": side.seat,
        "score": side.score,
        "place": side.place,
        "change": rating_values[0],
        "rating_after": rating_values[1],
    }


def score_records(race: Race | None) -> Iterator[Record]:
    """Yield the evenings of a race with the players' scores after each."""
    runner_scores = [(runner.handle, dict(runner.scores)) for runner in race.runners] if race else []
    for index, evening in enumerate(race.evenings if race else ()):
        yield {"evening": evening.day, **{handle: values.get(index) for handle, values in runner_scores}}


#: Fields of a row of a ranking in the order of the API; an edition sorts them alphabetically.
STANDING = ("rank", "player", "name", "score", "games", "columns", "qualified", "why_not", "decided_by")


def serialize_standing(row: Mapping[str, Any]) -> Record:
    """Return a row of a ranking."""
    return {key: row[key] for key in STANDING if key in row}


def serialize_period(row: PublishedPeriod) -> Record:
    """Return a closed period with its winners."""
    edition, winners = row.edition, row.edition.winners
    record = {"period": edition.key, "edition": edition.number, "winners": [winner["player"] for winner in winners]}
    names = [winner["name"] for winner in winners]
    return {**record, "names": names, "score": winners[0]["score"] if winners else None}


def serialize_leading(ladder: str, period: str, rows: Sequence[Mapping[str, Any]]) -> Record:
    """Return a ladder with the leaders of a period; without any if no player is ranked."""
    leaders = [row for row in rows if row["rank"] == 1]
    behind = next((row["score"] for row in rows if row["rank"] and row["rank"] > 1), None)
    score = leaders[0]["score"] if leaders else None
    return {
        "ladder": ladder,
        "period": period,
        "leaders": [row["player"] for row in leaders],
        "names": [row["name"] for row in leaders],
        "score": score,
        "next_score": behind,
    }


#: The tables of a game's calculation.
STEPS = ("states", "parts", "figures", "pairs")


def build_curve_tables(curve: Curve | None) -> dict[str, Callable[[], list[Record]]]:
    """Return the table of a method's factor by number of games, if it has one."""
    points = curve.figures if curve else []
    return {"curve": lambda: [{"games": games, "factor": factor} for games, factor in points]}


def _index_values_by_key(values: Iterable[Mapping[str, Any]]) -> Record:
    """Return intermediate values or parts by key."""
    return {value["key"]: value["value"] for value in values}


def step_tables(explanation: Mapping[str, Any]) -> dict[str, list[Record]]:
    """Return the tables of a game's calculation."""
    seats = [({"player": seat["handle"], "name": seat["name"]}, seat) for seat in explanation["seats"]]
    return {
        "states": [
            {**player_fields, "before": seat["before"], "after": seat["after"]} for player_fields, seat in seats
        ],
        "parts": [
            {**player_fields, "before": seat["rating_before"], **_index_values_by_key(seat["parts"])}
            for player_fields, seat in seats
        ],
        "figures": [{**player_fields, **_index_values_by_key(seat["figures"])} for player_fields, seat in seats],
        "pairs": [_serialize_pair(pair) for pair in explanation["pairs"]],
    }


def _serialize_pair(pair: Mapping[str, Any]) -> Record:
    """Return the values of a pair of players."""
    points = {"points": pair["points"]} if pair.get("points") is not None else {}
    return {"first": pair["names"][0], "second": pair["names"][1], **_index_values_by_key(pair["figures"]), **points}


def build_example_tables(description: Mapping[str, Any]) -> dict[str, list[Record]]:
    """Return the tables of a system's worked examples and checks."""
    tables: dict[str, list[Record]] = {"checks": [dict(check) for check in description["checks"]]}
    for number, example in enumerate(description["examples"], start=1):
        tables[f"example-{number}"] = [
            _serialize_example_player(name, seat) for name, seat, _expected in example["seats"]
        ]
        tables[f"example-{number}-figures"] = [
            {"name": name, **_index_values_by_key(seat["figures"])} for name, seat, _expected in example["seats"]
        ]
        tables[f"example-{number}-pairs"] = [_serialize_pair(pair) for pair in example["pairs"]]
    return tables


def _serialize_example_player(name: str, seat: Mapping[str, Any]) -> Record:
    """Return a player of a worked example."""
    record = {key: seat[key] for key in ("score", "place", "before", "change", "after")}
    return {"name": name, **record, **_index_values_by_key(seat["parts"])}


def serialize_parameters(rows: Iterable[Mapping[str, Any]]) -> list[Record]:
    """Return the parameters of a system or method."""
    return [{key: row[key] for key in ("name", "value", "default")} for row in rows]
