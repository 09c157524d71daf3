"""The rules of a season: divisions that rise and fall, a series of events, stages that lead to others.

Each is a set of parameters; numbers and choices are declared as those of formats are, and documents by ``document``.
Sources: the rules that squash, tennis and table-tennis clubs print, and motor sport's tables of points.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ratings.contract.declarations import Ruling
from ratings.contract.parameters import ParameterError, ParameterSet, choice, document, is_number, number
from ratings.seasons.quotas import (
    MAX_DIVISION,
    PLAY_OFF_SCHEMA,
    QUOTA_SCHEMA,
    check_play_off,
    check_quota,
    count_quota,
    is_whole,
)
from ratings.seasons.rulings import (
    CARRIED,
    CROSSED,
    DIVIDED,
    EXCHANGE,
    GONE,
    PLAY_OFFS,
    SERIES_PLACES,
    SHARED_PLACES,
    SIZES,
)
from ratings.texts import N_, say

MAX_LETTERS, MAX_EVENTS, MAX_STAGES = 26, 100, 10
MAX_SEASON_POINTS = 1_000_000
STAGE_KEY = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
#: The key of the stage that the play-offs of divisions are.
PLAY_OFF = "play_off"
BONUSES = ("played", "won")
TIES = ("firsts", "last_event")
POINTS_BY = ("n_plus_1_minus_place", "share_of_field", "competition_points")


def _check_returning(value: Any) -> str | None:
    if isinstance(value, Mapping) and [*value] == ["seasons"] and is_whole(value["seasons"], 0, 100):
        return None
    return say('Say for how many seasons a place is kept: {"seasons": 2}.')


def _check_preset(value: Any) -> str | None:
    return None if value in (None, "boxes") else say('The only preset is "boxes".')


def _check_settings(value: Any) -> str | None:
    return None if isinstance(value, Mapping) else say("Settings are an object of names and values.")


SETTINGS_HELP = N_("Settings of the competitions that are made, such as the format, the points and the tie-breaks.")
#: What a fixture without a result can count as.
UNPLAYED = {
    "void": N_("it does not count"),
    "both_lose": N_("both lose"),
    "half": N_("it is a draw without play"),
}


@dataclass(frozen=True)
class DivisionRule(ParameterSet):
    """Divisions, from the first level down, between which people rise and fall from season to season."""

    title: ClassVar[str] = N_("Divisions")
    rulings: ClassVar[tuple[Ruling, ...]] = (EXCHANGE, SIZES, DIVIDED, PLAY_OFFS, SHARED_PLACES)

    target_size: float = number(6, label=N_("Players of a division"), low=2, high=MAX_DIVISION, whole=True)
    smallest: float = number(
        2, label=N_("Smallest division"), low=1, high=MAX_DIVISION, whole=True, help=N_("None is smaller.")
    )
    parallel: float = number(
        1,
        label=N_("Divisions of a level"),
        low=1,
        high=MAX_LETTERS,
        whole=True,
        help=N_("Below the first level, which is one division. They are called A, B and so on."),
    )
    up: Mapping[str, Any] | None = document(
        None,
        label=N_("Who rise"),
        check=check_quota,
        json=QUOTA_SCHEMA,
        help=N_("A number, or a share of the division that is rounded up. Left out: as many as fall."),
    )
    down: Mapping[str, Any] | None = document(
        None,
        label=N_("Who fall"),
        check=check_quota,
        json=QUOTA_SCHEMA,
        help=N_("A number, or a share of the division that is rounded up. Left out: as many as rise."),
    )
    play_off: Mapping[str, int] | None = document(
        None,
        label=N_("Play-offs"),
        check=check_play_off,
        json=PLAY_OFF_SCHEMA,
        help=N_("How many below those who rise play off against as many above those who fall. Left out: nobody."),
    )
    min_played: float = number(
        0, label=N_("Games to rise"), low=0, high=1000, whole=True, help=N_("Who played fewer does not rise.")
    )
    unplayed: str = choice(
        "ask",
        {
            "ask": N_("the organiser says it when the season is closed"),
            **UNPLAYED,
        },
        label=N_("A fixture without a result at the end"),
    )
    returning: Mapping[str, int] = document(
        {"seasons": 2},
        label=N_("Who return"),
        check=_check_returning,
        json={
            "type": "object",
            "additionalProperties": False,
            "required": ["seasons"],
            "properties": {"seasons": {"type": "integer", "minimum": 0, "maximum": 100}},
        },
        help=N_("Who returns within so many seasons comes back to the level that they left, if it has room."),
    )
    newcomers: str = choice(
        "bottom",
        {"bottom": N_("the last level"), "by_rating": N_("by their rating")},
        label=N_("Where newcomers begin"),
    )
    preset: str | None = document(
        None,
        label=N_("Preset"),
        check=_check_preset,
        json={"enum": ["boxes", None]},
        help=N_("Boxes renew themselves."),
    )
    competition: Mapping[str, Any] = document(
        {}, label=N_("Settings"), check=_check_settings, json={"type": "object"}, help=SETTINGS_HELP
    )

    @property
    def word_on_unplayed(self) -> str:
        """What a fixture without a result counts as at the end: in boxes, if nothing is said, both lose."""
        return "both_lose" if self.unplayed == "ask" and self.preset == "boxes" else self.unplayed

    @property
    def play_off_number(self) -> int:
        """How many of each side play off at a border."""
        return int(self.play_off["number"]) if self.play_off else 0

    def count_up(self, size: int) -> int:
        """Return how many rise from a division of some size, by the rule alone."""
        return count_quota(self.up or self.down or {"number": 0}, size)

    def count_down(self, size: int) -> int:
        """Return how many fall from a division of some size, by the rule alone."""
        return count_quota(self.down or self.up or {"number": 0}, size)

    def find_contradictions(self) -> Iterator[tuple[str, str]]:
        """Yield the parameters that contradict others, with what is wrong."""
        size = int(self.target_size)
        if self.smallest > size:
            yield "smallest", say("The smallest division must not be larger than the target of {size}.", size=size)
        if self.count_up(size) + self.count_down(size) > size:
            yield (
                "up",
                say(
                    "{up} rise and {down} fall, but a division has {size} members.",
                    up=self.count_up(size),
                    down=self.count_down(size),
                    size=size,
                ),
            )
        if self.preset == "boxes" and not 4 <= size <= 7:
            yield "target_size", say("A box has 4 to 7 players.")


def _check_points(value: Any) -> str | None:
    if isinstance(value, Mapping) and len(value) == 1:
        table = value.get("table")
        if isinstance(table, list) and 1 <= len(table) <= MAX_DIVISION and all(map(_is_points, table)):
            return None
        if value.get("by") in POINTS_BY:
            return None
    return say(
        'Say what a place gives: {{"table": [25, 18, 15]}}, or {{"by": "{words}"}}.', words='" / "'.join(POINTS_BY)
    )


def _is_points(value: object) -> bool:
    return is_number(value) and 0 <= value <= MAX_SEASON_POINTS


def _check_bonus(value: Any) -> str | None:
    if isinstance(value, list) and len(value) <= len(BONUSES):
        words = [one.get("what") if isinstance(one, Mapping) and len(one) == 2 else None for one in value]
        known = all(word in BONUSES for word in words) and len({*words}) == len(words)
        if known and all(_is_points(one.get("points")) for one in value):
            return None
    return say(
        'A bonus is a list such as [{{"what": "played", "points": 1}}]; what: {words}.', words=", ".join(BONUSES)
    )


def _check_ties(value: Any) -> str | None:
    if isinstance(value, list) and len({*map(str, value)}) == len(value) and all(one in TIES for one in value):
        return None
    return say("Ties are decided by a list of these words: {words}.", words=", ".join(TIES))


def _check_best(value: Any) -> str | None:
    if value is None or is_whole(value, 1, MAX_EVENTS):
        return None
    return say("This must be a whole number from {low} to {high}.", low=1, high=MAX_EVENTS)


@dataclass(frozen=True)
class SeriesRule(ParameterSet):
    """Events whose places give points, of which the best count."""

    title: ClassVar[str] = N_("Series")
    rulings: ClassVar[tuple[Ruling, ...]] = (SERIES_PLACES,)

    points: Mapping[str, Any] = document(
        {"table": [25, 18, 15, 12, 10, 8, 6, 4, 2, 1]},
        label=N_("Points of a place"),
        check=_check_points,
        json={
            "type": "object",
            "additionalProperties": False,
            "minProperties": 1,
            "maxProperties": 1,
            "properties": {
                "table": {"type": "array", "items": {"type": "number", "minimum": 0}, "maxItems": MAX_DIVISION},
                "by": {"enum": list(POINTS_BY)},
            },
        },
        help=N_("From the first place on; places below the table give nothing."),
    )
    best: int | None = document(
        None,
        label=N_("Events that count"),
        check=_check_best,
        json={"type": ["integer", "null"], "minimum": 1, "maximum": MAX_EVENTS},
        help=N_("The best so many of a player. Left out: all."),
    )
    of: float = number(12, label=N_("Events"), low=1, high=MAX_EVENTS, whole=True)
    bonus: Sequence[Mapping[str, Any]] = document(
        [],
        label=N_("Bonus"),
        check=_check_bonus,
        json={
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["what", "points"],
                "properties": {"what": {"enum": list(BONUSES)}, "points": {"type": "number", "minimum": 0}},
            },
        },
        help=N_("Points for everyone who played in an event, or who won it."),
    )
    final_weight: float = number(1, label=N_("Weight of the last event"), low=0, high=100)
    ties: Sequence[str] = document(
        list(TIES),
        label=N_("Ties"),
        check=_check_ties,
        json={"type": "array", "items": {"enum": list(TIES)}, "uniqueItems": True},
        help=N_("The number of first places; then who was better in the last event. Then the rank is shared."),
    )
    guests: str = choice(
        "counted",
        {"counted": N_("their places count"), "passed_over": N_("places are counted without them")},
        label=N_("Guests"),
        help=N_("Those who play in an event without an entry in the season."),
    )

    @property
    def counting(self) -> int:
        """The number of events that count for a player."""
        return int(self.of if self.best is None else self.best)

    def find_contradictions(self) -> Iterator[tuple[str, str]]:
        """Yield the parameters that contradict others, with what is wrong."""
        if self.counting > self.of:
            yield (
                "best",
                say("The best {best} events cannot count: there are only {of}.", best=self.counting, of=int(self.of)),
            )


def _check_key(value: Any) -> str | None:
    if isinstance(value, str) and STAGE_KEY.fullmatch(value):
        return None
    return say("The key of a stage has small letters, digits, - and _, at most 40.")


def _check_format(value: Any) -> str | None:
    return None if isinstance(value, str) else say("This must be the key of a format.")


def _check_sources(value: Any) -> str | None:
    usual = {"stage", "places", "seeding", "carried"}
    if isinstance(value, list) and all(
        isinstance(one, Mapping)
        and {"stage", "places"} <= {*one} <= usual
        and isinstance(one["stage"], str)
        and isinstance(one["places"], list)
        and one["places"]
        and all(is_whole(place, 1, MAX_DIVISION) for place in one["places"])
        and len({*one["places"]}) == len(one["places"])
        and one.get("seeding", "crossed") in ("crossed", "in_order")
        and isinstance(one.get("carried", False), bool)
        for one in value
    ):
        return None
    return say('A stage gets places of others: [{"stage": "groups", "places": [1, 2], "seeding": "crossed"}].')


@dataclass(frozen=True)
class StageRule(ParameterSet):
    """A stage: parallel competitions of a format, filled from the entries of the season or from places of stages."""

    title: ClassVar[str] = N_("Stage")
    rulings: ClassVar[tuple[Ruling, ...]] = (CROSSED, GONE, CARRIED)

    key: str = document(
        "", label=N_("Key"), check=_check_key, json={"type": "string", "pattern": f"^{STAGE_KEY.pattern}$"}
    )
    name: str = document("", label=N_("Title"), check=_check_format, json={"type": "string"})
    format: str = document("round_robin", label=N_("Format"), check=_check_format, json={"type": "string"})
    parallel: float = number(1, label=N_("Groups"), low=1, high=MAX_LETTERS, whole=True)
    sources: Sequence[Mapping[str, Any]] = document(
        [],
        label=N_("From"),
        check=_check_sources,
        json={"type": "array", "items": {"type": "object"}},
        help=N_(
            "The places of earlier stages that get a seat. Empty: all entries of the season. "
            "carried: their points go with them."
        ),
    )
    competition: Mapping[str, Any] = document(
        {}, label=N_("Settings"), check=_check_settings, json={"type": "object"}, help=SETTINGS_HELP
    )

    @property
    def heading(self) -> str:
        """The title that was given, else one made of the key."""
        return self.name or self.key.replace("_", " ").replace("-", " ").capitalize()


@dataclass(frozen=True)
class SeasonRule:
    """The rule of a season; a part that it does not have is None or empty."""

    divisions: DivisionRule | None = None
    series: SeriesRule | None = None
    stages: tuple[StageRule, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the rule with all its parameters, as the API writes it."""
        rule: dict[str, Any] = {}
        if self.divisions:
            rule["divisions"] = self.divisions.to_json()
        if self.series:
            rule["series"] = self.series.to_json()
        if self.stages:
            rule["stages"] = [_rename(stage.to_json(), OUTSIDE) for stage in self.stages]
        return rule


#: Names of a stage's parameters in JSON, where they are words of Python or of parameter sets.
OUTSIDE = {"name": "title", "sources": "from"}
INSIDE = {outside: name for name, outside in OUTSIDE.items()}


def _rename(values: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {names.get(name, name): value for name, value in values.items()}


class BadRule(ValueError):
    """A rule is invalid; ``problems``: the path of each wrong value, and what is wrong with it."""

    def __init__(self, problems: Sequence[tuple[tuple[str | int, ...], str]]) -> None:
        super().__init__(" ".join(text for _, text in problems))
        self.problems = tuple(problems)


def read_rule(given: Any, formats: Collection[str]) -> SeasonRule:
    """Return the rule of a JSON object; ``formats``: the keys of pairing formats. Raises BadRule."""
    parts = ("divisions", "series", "stages")
    if not isinstance(given, Mapping):
        raise BadRule([((), say("The rule of a season is an object with {parts}.", parts=", ".join(parts)))])
    problems: list[tuple[tuple[str | int, ...], str]] = [
        ((name,), say("A rule has no part “{name}”; its parts are: {parts}.", name=name, parts=", ".join(parts)))
        for name in given
        if name not in parts
    ]
    divisions = _read_part(DivisionRule, given.get("divisions"), ("divisions",), problems)
    series = _read_part(SeriesRule, given.get("series"), ("series",), problems)
    stages = tuple(_read_stages(given.get("stages") or [], formats, problems))
    if divisions and divisions.play_off and any(stage.key == PLAY_OFF for stage in stages):
        problems.append((("stages",), say("The stage “{key}” is that of the divisions.", key=PLAY_OFF)))
    if not problems and not (divisions or series or stages):
        problems.append(((), say("A season has divisions, a series or stages; say at least one.")))
    if problems:
        raise BadRule(problems)
    return SeasonRule(divisions, series, stages)


def _read_part(kind: Any, given: Any, path: tuple[str | int, ...], problems: list[Any]) -> Any:
    """Return a part of the rule, None if it is not given or wrong; its problems are added."""
    if given is None:
        return None
    if not isinstance(given, Mapping):
        problems.append((path, say("This must be an object of names and values.")))
        return None
    try:
        part = kind.from_json(given)
    except ParameterError as error:
        problems += [((*path, OUTSIDE.get(name, name)), text) for name, text in error.problems.items()]
        return None
    contradictions = list(part.find_contradictions()) if hasattr(part, "find_contradictions") else []
    problems += [((*path, name), text) for name, text in contradictions]
    return None if contradictions else part


def _read_stages(given: Any, formats: Collection[str], problems: list[Any]) -> Iterator[StageRule]:
    if not isinstance(given, list) or len(given) > MAX_STAGES:
        problems.append((("stages",), say("Stages are a list of at most {limit}.", limit=MAX_STAGES)))
        return
    known: dict[str, StageRule] = {}
    for position, one in enumerate(given):
        path = ("stages", position)
        renamed = _rename(one, INSIDE) if isinstance(one, Mapping) else one
        stage: StageRule | None = _read_part(StageRule, renamed, path, problems)
        if stage is None:
            continue
        before = len(problems)
        problems += [((*path, name), text) for name, text in _find_stage_problems(stage, known, formats)]
        known[stage.key] = stage
        if len(problems) == before:
            yield stage


def _find_stage_problems(
    stage: StageRule, known: Mapping[str, StageRule], formats: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with a stage; ``known``: the stages before it, which alone may feed it."""
    if not STAGE_KEY.fullmatch(stage.key):
        yield "key", say("The key of a stage has small letters, digits, - and _, at most 40.")
    if stage.key in known:
        yield "key", say("There are two stages “{key}”.", key=stage.key)
    if stage.format not in formats:
        yield "format", say("There is no format “{key}”.", key=stage.format)
    taken: set[tuple[str, int]] = set()
    for source in stage.sources:
        if source["stage"] not in known:
            yield (
                "from",
                say("A stage gets places of stages before it; “{key}” is none of them.", key=source["stage"]),
            )
        both = {(source["stage"], int(place)) for place in source["places"]}
        if both & taken:
            yield "from", say("The same place leads to this stage twice.")
        taken |= both


def build_rule_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a rule, with defaults, bounds and help."""
    stage = StageRule.json_schema()
    stage["properties"] = _rename(stage["properties"], OUTSIDE)
    return {
        "type": "object",
        "additionalProperties": False,
        "minProperties": 1,
        "properties": {
            "divisions": DivisionRule.json_schema(),
            "series": SeriesRule.json_schema(),
            "stages": {"type": "array", "maxItems": MAX_STAGES, "items": {**stage, "required": ["key"]}},
        },
    }


RULE_SCHEMA = build_rule_schema()
