"""What a season says: the standings of its divisions with zones, the table of its series, the seats of its stages.

Points, ranks and tie-breaks are those of the competitions. The places of a competition that is finished are read from
its last edition, which is quicker than computing them again, and which nothing changes.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from django.utils.translation import gettext as _

from league.apps.competitions.models import (
    Competition,
    EntryPlayer,
    FinalStandings,
    Season,
    SeasonEntry,
    SeasonPart,
)
from league.apps.competitions.selectors.competition_data import FixtureState, LoadedCompetition, load_competitions
from league.apps.competitions.selectors.season_outlook import Reach, build_race, find_borders, find_reach
from league.apps.competitions.selectors.seasons import build_rule, find_last_season_edition, list_entries, list_parts
from league.apps.competitions.selectors.standings import compute_possible_ranks, compute_standings
from league.models import Player
from ratings.contract.competition import parse_fraction
from ratings.seasons.borders import (
    FinalDivision,
    FinalPlace,
    PlayOff,
    Zone,
    draw_lot,
    find_moves,
    find_play_offs,
    find_zones,
)
from ratings.seasons.letters import find_group
from ratings.seasons.rules import PLAY_OFF, StageRule
from ratings.seasons.series import EventLine, SeriesEvent, SeriesRow, tabulate_series
from ratings.seasons.stages import GroupPlace, deal_groups, seed_crossed, seed_in_order
from ratings.standings.possible_ranks import PossibleRanks
from ratings.standings.ranking import Standings

FINISHED = Competition.Status.FINISHED


@dataclass(frozen=True)
class DivisionLine:
    """A player's line of a division. ``certain``: whether the player ends in this zone whatever happens.

    ``reach``: the zones that are still possible; None if the borders can still move, or nothing is open. ``drawn``: the
    zones between which a lot decides, one for each of those who share its place; () if they are all the same.
    """

    place: FinalPlace
    player: Player
    entry: int
    zone: Zone
    certain: bool
    possible: PossibleRanks
    reach: Reach | None = None
    drawn: tuple[Zone, ...] = ()


@dataclass(frozen=True)
class DivisionTable:
    """The standings of a division, best first; ``standings`` has a row for each line."""

    part: SeasonPart
    name: str
    lines: tuple[DivisionLine, ...]
    loaded: LoadedCompetition
    standings: Standings

    @property
    def upcoming(self) -> list[FixtureState]:
        """The fixtures without a result, in the order in which they are due; none of a competition that has ended."""
        if self.part.competition.status == FINISHED:
            return []
        times = {one.number: one.starts_at or one.deadline for one in self.loaded.fixtures if one.status == "planned"}
        waiting = [one for one in self.loaded.fixtures if one.number in times]

        def find_due(one: FixtureState) -> tuple[bool, float, int]:
            due = times[one.number]
            return due is None, due.timestamp() if due else 0.0, one.number

        return sorted(waiting, key=find_due)


@dataclass(frozen=True)
class StageSeat:
    """A seat of a stage and the place that leads to it; ``player``: None before it is known.

    ``carried``: the points that go with the player, None if the rule carries none (``R174``).
    """

    source: GroupPlace | None
    player: Player | None
    carried: Fraction | None = None


@dataclass(frozen=True)
class StageTree:
    """A stage with its competitions by letter, and its seats in the order of the seeds if it gets places of others.

    ``is_ready``: all stages that lead to it are finished. A place that a small group does not have gives no player.
    ``is_outdated``: a later correction of these gives seats to others than those who play.
    """

    rule: StageRule
    parts: tuple[SeasonPart, ...]
    seats: tuple[StageSeat, ...]
    is_ready: bool = False
    is_outdated: bool = False

    @property
    def is_finished(self) -> bool:
        """Whether all its competitions have ended."""
        return bool(self.parts) and all(part.competition.status == FINISHED for part in self.parts)


@dataclass(frozen=True)
class PartPlace:
    """A line of the final standings of a competition, with the player (of a side, the first)."""

    rank: int
    player: int
    points: Fraction
    lot: str


class SeasonReader:
    """Reads a season once: entries, competitions and what these say."""

    def __init__(self, season: Season) -> None:
        self.season, self.rule = season, build_rule(season)
        self.entries = list_entries(season)
        self.parts = list_parts(season)
        #: Id of each surviving player with an entry -> the entry; of a merged player's two, the one that still plays.
        self.by_player = {entry.survivor.pk: entry for entry in sorted(self.entries, key=plays)}

    @property
    def division_parts(self) -> list[SeasonPart]:
        """The competitions that are divisions, from the first down."""
        return [part for part in self.parts if part.level is not None]

    @cached_property
    def _loaded_divisions(self) -> tuple[list[LoadedCompetition], list[Standings], list[FinalDivision]]:
        loaded = load_competitions([part.competition for part in self.division_parts])
        standings = [compute_standings(one) for one in loaded]
        divisions = [
            self._read_places(part, one, rows)
            for part, one, rows in zip(self.division_parts, loaded, standings, strict=True)
        ]
        return loaded, standings, divisions

    def _find_lot(self) -> str:
        """Return the lot between parallel divisions; "" if it is not drawn yet.

        It is that of the closing edition, from which the next season is proposed; with play-offs, the slug (``R172``).
        """
        if self.rule.divisions and self.rule.divisions.play_off:
            return self.season.slug
        is_closed = self.season.status == Season.Status.CLOSED
        edition = find_last_season_edition(self.season) if is_closed else None
        return edition.sha256 if edition else ""

    def list_play_offs(self) -> list[PlayOff]:
        """Return who plays off across the borders, without the winners; none before all divisions are finished."""
        rule = self.rule.divisions
        finished = all(part.competition.status == FINISHED for part in self.division_parts)
        if rule is None or not rule.play_off or not finished:
            return []
        divisions, lot = self._loaded_divisions[2], self._find_lot()
        return find_play_offs(rule, divisions, find_moves(rule, divisions, lot), lot)

    def read_divisions(self, only_for: int | None = None) -> list[DivisionTable]:
        """Return the standings of the divisions, from the first down.

        ``only_for``: what is still possible is computed only in the division of this player.
        """
        rule, parts = self.rule.divisions, self.division_parts
        if rule is None or not parts:
            return []
        loaded, standings, divisions = self._loaded_divisions
        lot = self._find_lot()
        zones, moves = find_zones(rule, divisions, lot), find_moves(rule, divisions, lot)
        ended = all(part.competition.status == FINISHED for part in parts)
        ended = ended and (bool(lot) or not any(part.letter for part in parts))
        # Without a lot, those who share a place cannot be told apart.
        shared: defaultdict[tuple[int, int], list[Zone]] = defaultdict(list)
        for part, division in zip(parts, divisions, strict=True):
            for place in division.places:
                shared[part.pk, place.rank].append(zones[place.player])
        tables = []
        for part, one, rows, division in zip(parts, loaded, standings, divisions, strict=True):
            # A season may be closed before all is played.
            wanted = only_for is None or only_for in one.people
            ranks = (
                compute_possible_ranks(one, rows, unplayed=True)
                if wanted and part.competition.status != FINISHED
                else {}
            )
            borders = find_borders(rule, division, moves, zones) if wanted and not ended else None
            race = build_race(one, rows) if borders else None
            lines = []
            for place, row in zip(division.places, rows.rows, strict=True):
                possible = ranks.get(row.entry, PossibleRanks(place.rank, place.rank, exact=True))
                sharing = shared[part.pk, place.rank]
                spread = replace(possible, worst=max(possible.worst, place.rank + len(sharing) - 1))
                reach = find_reach(borders, race, row.entry, spread) if borders else None
                certain, drawn = reach is not None and reach.best == reach.worst, len({*sharing}) > 1 and tuple(sharing)
                if ended:
                    certain = bool(lot) or not drawn
                player, zone = self.find_player(one, row.entry), zones[place.player]
                lines.append(DivisionLine(place, player, row.entry, zone, certain, possible, reach, drawn or ()))
            tables.append(DivisionTable(part, division.name, tuple(lines), one, rows))
        return tables

    def _read_places(self, part: SeasonPart, loaded: LoadedCompetition, standings: Any) -> FinalDivision:
        # Who leaves after the draw of the play-offs plays them, and may lose them.
        gone = self.find_gone([PLAY_OFF])
        played: defaultdict[int, int] = defaultdict(int)
        for fixture in loaded.fixtures:
            if fixture.status == "played":
                for entry in fixture.entries:
                    played[entry] += 1
        places = []
        for row in standings.rows:
            player = self.find_player(loaded, row.entry)
            withdrawn = loaded.entries[row.entry].status == "withdrawn" or player.pk in gone
            places.append(
                FinalPlace(
                    player.handle, row.rank, row.points, played[row.entry], withdrawn, tuple(row.values.values())[1:]
                )
            )
        assert part.level is not None
        return FinalDivision(part.level, part.letter, tuple(places))

    def find_player(self, loaded: LoadedCompetition, entry: int) -> Any:
        """Return the player of an entry of a competition, or the first of a side."""
        return loaded.entries[entry].survivors[0]

    def read_series(self) -> tuple[list[SeriesRow], Mapping[int, SeasonPart], Mapping[str, Any]]:
        """Return the table of the series, the competition of each event, and player's key -> player."""
        rule = self.rule.series
        parts = {part.event: part for part in self.parts if part.event is not None}
        if rule is None:
            return [], {}, {}
        finished = [part for part in parts.values() if part.competition.status == FINISHED]
        places = read_final_places([part.competition for part in finished])
        people = load_people({line.player for lines in places.values() for line in lines})
        people |= {pk: entry.survivor for pk, entry in self.by_player.items()}
        events = [
            SeriesEvent(
                int(part.event or 0),
                tuple(EventLine(str(line.player), line.rank, line.points) for line in places[part.competition_id]),
            )
            for part in finished
        ]
        members = [str(pk) for pk, entry in self.by_player.items() if entry.status == SeasonEntry.Status.ENTERED]
        guests = [str(pk) for pk in people if str(pk) not in {*members}] if members else []
        rows = tabulate_series(rule, events, members, guests, is_over=self.season.status == Season.Status.CLOSED)
        return rows, parts, {str(pk): player for pk, player in people.items()}

    def read_stages(self) -> list[StageTree]:
        """Return the stages in their order, with the seats that are known."""
        trees: dict[str, StageTree] = {}
        for stage in self.rule.stages:
            parts = tuple(part for part in self.parts if part.stage == stage.key)
            ready = all(trees[source["stage"]].is_finished for source in stage.sources)
            seats = self._read_seats(stage, trees)
            outdated = bool(parts and seats) and ready and self._differ(parts, seats)
            trees[stage.key] = StageTree(stage, parts, seats, ready, outdated)
        return [*self._read_play_off_stage(), *trees.values()]

    def _read_play_off_stage(self) -> Iterator[StageTree]:
        """Yield the stage of the play-offs: the seats are the pairs, those of the upper divisions first."""
        if self.rule.divisions is None or not self.rule.divisions.play_off:
            return
        parts = tuple(part for part in self.parts if part.stage == PLAY_OFF)
        pairs = self.list_play_offs()
        loaded = self._loaded_divisions[0] if pairs else []
        people = {self.find_player(one, number).handle: (one, number) for one in loaded for number in one.entries}
        known = [self.find_player(*people[player]) for one in pairs for player in (one.upper, one.lower)]
        seats = tuple(StageSeat(None, player) for player in known)
        outdated = bool(parts) and self._differ(parts, seats)
        rule = StageRule(key=PLAY_OFF, name=str(_("Play-offs")), format="free")
        yield StageTree(rule, parts, seats, bool(pairs), outdated)

    def _differ(self, parts: Sequence[SeasonPart], seats: Sequence[StageSeat]) -> bool:
        """Return whether others play in a drawn stage, or with other seeds, than those whose places lead to it now."""
        dealt: list[list[int]] = deal_groups([seat.player.pk for seat in seats if seat.player is not None], len(parts))
        if [self._playing[part.competition_id] for part in parts] != dealt:
            return True
        carried = {seat.player.pk: seat.carried for seat in seats if seat.player and seat.carried is not None}
        return bool(carried) and carried != self._load_carried(parts, carried)

    def _load_carried(self, parts: Sequence[SeasonPart], players: Collection[int]) -> dict[int, Fraction]:
        """Return the points that players of a drawn stage have from before its first round."""
        lines = EntryPlayer.objects.filter(
            league=self.season.league_id, competition__in=[part.competition_id for part in parts]
        )
        found = {}
        for player, survivor, added in lines.values_list("player", "player__merged_into", "entry__added_points"):
            points = [parse_fraction(one["points"]) for one in added if one["round"] == 0]
            found[survivor or player] = sum(points, Fraction(0))
        return {player: points for player, points in found.items() if player in players}

    @cached_property
    def _playing(self) -> Mapping[int, list[int]]:
        """The players of each competition of a stage, in the order of the entries."""
        competitions = [part.competition_id for part in self.parts if part.stage]
        lines = EntryPlayer.objects.filter(league=self.season.league_id, competition__in=competitions)
        playing: defaultdict[int, list[int]] = defaultdict(list)
        for competition, player, survivor in lines.order_by("entry__number", "position").values_list(
            "competition", "player", "player__merged_into"
        ):
            playing[competition].append(survivor or player)
        return playing

    def find_gone(self, stages: Collection[str]) -> set[int]:
        """Return who has left the season and plays in none of these stages: they get no place there (``R180``)."""
        gone = {pk for pk, entry in self.by_player.items() if not plays(entry)}
        if gone:
            gone -= {pk for part in self.parts if part.stage in stages for pk in self._playing[part.competition_id]}
        return gone

    def list_targets(self, stage: str) -> dict[int, StageRule]:
        """Return place -> the stage that the place of a stage leads to."""
        return {
            int(place): one
            for one in self.rule.stages
            for source in one.sources
            if source["stage"] == stage
            for place in source["places"]
        }

    def _read_seats(self, stage: StageRule, trees: Mapping[str, StageTree]) -> tuple[StageSeat, ...]:
        """Return the seats of a stage: seeds 1, 2, 3 … of each source in turn."""
        seats: list[StageSeat] = []
        for source in stage.sources:
            tree = trees[source["stage"]]
            seed = seed_in_order if source.get("seeding") == "in_order" else seed_crossed
            groups = max(int(tree.rule.parallel), 1)
            found = self._find_places(tree)
            for place in seed(tree.rule.key, groups, [int(one) for one in source["places"]]):
                player, points = found.get((place.group, place.place), (None, Fraction(0)))
                carried = points if source.get("carried") and player is not None else None
                seats.append(StageSeat(place, player, carried))
        return tuple(seats)

    def _find_places(self, tree: StageTree) -> dict[tuple[int, int], tuple[Any, Fraction]]:
        """Return group and place -> player and points, of the groups that are finished."""
        finished = [part for part in tree.parts if part.competition.status == FINISHED]
        places = read_final_places([part.competition for part in finished])
        gone = self.find_gone({stage.key for stage in self.list_targets(tree.rule.key).values()})
        people = load_people({line.player for lines in places.values() for line in lines})
        found = {}
        for part in finished:
            staying = [line for line in places[part.competition_id] if line.player not in gone]
            for position, line in enumerate(staying, 1):
                found[find_group(part.letter), position] = people[line.player], line.points
        return found


def read_final_places(competitions: Sequence[Competition]) -> dict[int, list[PartPlace]]:
    """Return the id of each finished competition -> the lines of its last edition, best first.

    Those who share a place are in the order of their lots, which follow from the hash of the edition and the number of
    the entry. Players are surviving ones. One query for the documents, and one for the entries.
    """
    pks = [competition.pk for competition in competitions]
    if not pks:
        return {}
    league = competitions[0].league_id
    documents: dict[int, tuple[str, str]] = {}
    editions = FinalStandings.objects.filter(league=league, competition__in=pks).order_by("number")
    for competition, document, digest in editions.values_list("competition", "document", "sha256"):
        documents[competition] = document, digest
    lines = EntryPlayer.objects.filter(league=league, competition__in=pks, position=1)
    players: defaultdict[int, dict[int, int]] = defaultdict(dict)
    for competition, number, player, survivor in lines.values_list(
        "competition", "entry__number", "player", "player__merged_into"
    ):
        players[competition][number] = survivor or player
    found = {}
    for competition, (document, digest) in documents.items():
        places = []
        for row in json.loads(document)["results"]:
            player, lot = players[competition][row["entry"]], draw_lot(digest, str(row["entry"]))
            places.append(PartPlace(row["rank"], player, parse_fraction(row["points"]), lot))
        found[competition] = sorted(places, key=lambda place: (place.rank, place.lot))
    return found


def load_people(pks: Iterable[int]) -> dict[int, Any]:
    """Return players by id."""
    return Player.objects.only("handle", "name").in_bulk(list(pks))


def plays(entry: SeasonEntry) -> bool:
    """Return whether an entry takes part."""
    return entry.status == SeasonEntry.Status.ENTERED
