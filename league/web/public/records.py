"""Rows of the tables of pages, as data: what the files of ``league.web.public.files`` hold."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from league.core.ladders.selectors.race import Race
from league.core.ladders.selectors.standings import PublishedPeriod
from league.core.leaderboard.selectors.compared import RankMove
from league.core.players.selectors.versus import Meeting, MeetingSide
from league.web.public.charts.curves import Curve
from league.web.public.selectors.pages import RecentNewcomer, UnlistedPlayer

Record = dict[str, Any]


def newcomer(row: RecentNewcomer) -> Record:
    """Return a player with too few games for the board."""
    said = {"rank": None, "name": row.name, "score": row.score, "games": row.games, "player": row.handle}
    return {**said, "last_game": row.last_at, "provisional": True}


def unlisted(one: UnlistedPlayer) -> Record:
    """Return a player who is not on the board, and why."""
    who, rating = one.player, one.rating
    said = {"rank": None, "name": who.name, "score": rating.score, "rating": rating.rating, "games": rating.games}
    return {**said, "player": who.handle, "last_game": rating.last_at, "why_not": one.why}


def serialize_move(move: RankMove) -> Record:
    """Return who entered, left, climbed or fell."""
    return {name: value for name, value in move._asdict().items() if name != "player"} | {"handle": move.handle}


def meeting(one: Meeting, names: Sequence[str]) -> Record:
    """Return a meeting of two players, what is each one's below their handle."""
    sides = {handle: side_of(side) for handle, side in zip(names, one.sides, strict=True)}
    return {"game": one.number, "played_at": one.at, "outcome": one.outcome, "expected": one.expected, **sides}


def side_of(side: MeetingSide) -> Record:
    """Return one of both in a meeting."""
    line = side.line
    after = (None, None) if line is None else (line.change, line.after)
    return {"seat": side.seat, "score": side.score, "place": side.place, "change": after[0], "rating_after": after[1]}


def scores(race: Race | None) -> Iterator[Record]:
    """Yield the evenings of a race with what its players had after each."""
    figures = [(one.handle, dict(one.scores)) for one in race.runners] if race else []
    for index, evening in enumerate(race.evenings if race else ()):
        yield {"evening": evening.day, **{handle: found.get(index) for handle, found in figures}}


#: What a line of a ranking says, in the order of the API: an edition keeps it by the alphabet.
STANDING = ("rank", "player", "name", "score", "games", "columns", "qualified", "why_not", "decided_by")


def standing(row: Mapping[str, Any]) -> Record:
    """Return a line of a ranking."""
    return {key: row[key] for key in STANDING if key in row}


def held_by(one: PublishedPeriod) -> Record:
    """Return a closed period with who won it."""
    winners = one.edition.winners
    said = {"period": one.edition.key, "edition": one.edition.number, "winners": [who["player"] for who in winners]}
    return {**said, "names": [who["name"] for who in winners], "score": winners[0]["score"] if winners else None}


#: The tables of every step of a game's sum.
STEPS = ("states", "parts", "figures", "pairs")


def curve_tables(curve: Curve | None) -> dict[str, Callable[[], list[Record]]]:
    """Return the table of a method's factor of games, if it has one."""
    figures = curve.figures if curve else []
    return {"curve": lambda: [{"games": games, "factor": factor} for games, factor in figures]}


def keyed(values: Iterable[Mapping[str, Any]]) -> Record:
    """Return the figures or parts of a sum by their keys."""
    return {one["key"]: one["value"] for one in values}


def steps(explanation: Mapping[str, Any]) -> dict[str, list[Record]]:
    """Return the tables of every step of a game's sum."""
    seats = [({"player": seat["handle"], "name": seat["name"]}, seat) for seat in explanation["seats"]]
    return {
        "states": [{**who, "before": seat["before"], "after": seat["after"]} for who, seat in seats],
        "parts": [{**who, "before": seat["rating_before"], **keyed(seat["parts"])} for who, seat in seats],
        "figures": [{**who, **keyed(seat["figures"])} for who, seat in seats],
        "pairs": [pair(one) for one in explanation["pairs"]],
    }


def pair(one: Mapping[str, Any]) -> Record:
    """Return the figures of two players of a game."""
    points = {"points": one["points"]} if one.get("points") is not None else {}
    return {"first": one["names"][0], "second": one["names"][1], **keyed(one["figures"]), **points}


def examples(description: Mapping[str, Any]) -> dict[str, list[Record]]:
    """Return the tables of a system's worked examples, and of its single figures."""
    tables: dict[str, list[Record]] = {"checks": [dict(check) for check in description["checks"]]}
    for number, example in enumerate(description["examples"], start=1):
        tables[f"example-{number}"] = [worked(name, seat) for name, seat in example["seats"]]
        tables[f"example-{number}-figures"] = [
            {"name": name, **keyed(seat["figures"])} for name, seat in example["seats"]
        ]
        tables[f"example-{number}-pairs"] = [pair(one) for one in example["pairs"]]
    return tables


def worked(name: str, seat: Mapping[str, Any]) -> Record:
    """Return a player of a worked example."""
    said = {key: seat[key] for key in ("score", "place", "before", "change", "after")}
    return {"name": name, **said, **keyed(seat["parts"])}


def parameters(given: Iterable[Mapping[str, Any]]) -> list[Record]:
    """Return the parameters of a system or a method."""
    return [{key: one[key] for key in ("name", "value", "default")} for one in given]
