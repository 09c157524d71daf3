"""The proposal of a season's draw: who plays in which division, or in which group of which stage.

It follows from the entries, the rule, the changes by hand and the closing edition of the season before, and from
nothing else. Its digest is that of all these, so that a draw from a list that has changed is refused.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext as _

from league.apps.competitions.models import Season, SeasonEntry
from league.apps.competitions.selectors.brought_ratings import load_ratings
from league.apps.competitions.selectors.season_standings import SeasonReader, StageTree, plays
from league.apps.competitions.selectors.seasons import find_last_season_edition
from league.core.errors import Refused
from league.core.log.chain import serialize_canonically
from league.models import Player
from ratings.contract.competition import parse_fraction
from ratings.seasons.borders import FinalDivision, FinalPlace, PlayOff
from ratings.seasons.divisions import (
    Applicant,
    Break,
    HandMove,
    Placement,
    find_breaks,
    find_open_play_offs,
    propose_divisions,
)
from ratings.seasons.letters import list_letters
from ratings.seasons.rules import PLAY_OFF, DivisionRule, StageRule
from ratings.seasons.stages import GroupPlace, deal_groups


@dataclass(frozen=True)
class ProposedGroup:
    """A group of a stage that can be drawn now, with its players in the order of the seeds.

    ``carried``: the id of a player -> the place that leads to the stage, and the points that go with it.
    """

    stage: StageRule
    letter: str
    players: tuple[Player, ...]
    carried: Mapping[int, tuple[GroupPlace, Fraction]]


@dataclass(frozen=True)
class SeasonProposal:
    """What a draw would make. ``people``: handle -> player."""

    season: Season
    digest: str
    placements: tuple[Placement, ...]
    groups: tuple[ProposedGroup, ...]
    breaks: tuple[Break, ...]
    people: dict[str, Player]


def build_proposal(season: Season) -> SeasonProposal:
    """Return the proposal of a season; raises Refused if the season before is not closed."""
    reader = SeasonReader(season)
    entered = [entry for entry in reader.by_player.values() if plays(entry)]
    entered.sort(key=lambda entry: entry.number)
    ratings = find_ratings(season, entered)
    people = {entry.survivor.handle: entry.survivor for entry in entered}
    placements: list[Placement] = []
    breaks: list[Break] = []
    lot = ""
    rule = reader.rule.divisions
    drawn = any(part.level is not None for part in reader.parts)
    if rule is not None and not drawn:
        divisions, lot, play_offs = read_closing_divisions(season)
        applicants = [
            Applicant(entry.survivor.handle, ratings.get(entry.survivor.pk), left)
            for entry, left in zip(entered, _find_left(season, rule, entered), strict=True)
        ]
        by_hand = {
            entry.survivor.handle: HandMove(entry.level, entry.letter, entry.reason)
            for entry in entered
            if entry.level is not None
        }
        placements = propose_divisions(rule, divisions, applicants, lot, by_hand, play_offs)
        breaks = [*find_breaks(rule, placements), *find_open_play_offs(play_offs, placements)]
    groups = _propose_groups(reader, entered, ratings)
    read = {
        "season": season.slug,
        "rule": season.rule,
        "before": lot,
        "placements": [[one.player, one.level, one.letter, one.why, one.values.get("reason")] for one in placements],
        "groups": [_describe_group(one) for one in groups],
        "entries": [[entry.number, entry.survivor.handle, ratings.get(entry.survivor.pk)] for entry in entered],
    }
    digest = hashlib.sha256(serialize_canonically(read).encode()).hexdigest()
    return SeasonProposal(season, digest, tuple(placements), tuple(groups), tuple(breaks), people)


def _describe_group(group: ProposedGroup) -> list[Any]:
    """Return a group as the digest reads it."""
    points = [str(group.carried[player.pk][1]) for player in group.players if player.pk in group.carried]
    return [group.stage.key, group.letter, [player.handle for player in group.players], *([points] if points else [])]


def find_ratings(season: Season, entries: Sequence[SeasonEntry]) -> dict[int, float]:
    """Return the id of each player -> the rating brought along, or that in the league, if there is one."""
    ratings = load_ratings(season.league_id, [entry.survivor.pk for entry in entries])
    return ratings | {entry.survivor.pk: float(entry.rating) for entry in entries if entry.rating is not None}


def read_closing_divisions(season: Season) -> tuple[list[FinalDivision], str, list[PlayOff]]:
    """Return the divisions in the last edition of the season before, the text from which lots are drawn, and play-offs.

    The text is the hash of the edition; with play-offs, the slug of that season (``R172``).

    Without a season before there are none. Raises Refused if it is not closed.
    """
    if season.previous is None:
        return [], "", []
    edition = find_last_season_edition(season.previous)
    if edition is None:
        template = _("The season {title} is not closed: close it first.")
        raise Refused(template.format(title=season.previous.title))
    entries = SeasonEntry.objects.filter(league=season.league_id, season=season.previous)
    handles = {entry.number: entry.survivor.handle for entry in entries.select_related("player__merged_into")}
    seen: set[str] = set()
    divisions = []
    document = json.loads(edition.document)
    for one in document["divisions"]:
        places = []
        for row in one["places"]:
            handle = handles[row["entry"]]
            # Of two entries of a merged player, the better place counts.
            if handle not in seen:
                places.append(
                    FinalPlace(
                        handle,
                        row["rank"],
                        parse_fraction(row["points"]),
                        row["played"],
                        row["withdrawn"],
                        tuple(None if value is None else parse_fraction(value) for value in row["tie_breaks"]),
                    )
                )
            seen.add(handle)
        divisions.append(FinalDivision(one["level"], one["letter"], tuple(places)))
    if "play_offs" not in document:
        return divisions, edition.sha256, []
    play_offs = [
        PlayOff(handles[one["upper"]], handles[one["lower"]], handles.get(one["winner"]))
        for one in document["play_offs"]
    ]
    return divisions, season.previous.slug, play_offs


def _find_left(season: Season, rule: DivisionRule, entries: Sequence[SeasonEntry]) -> list[tuple[int, int] | None]:
    """Return for each entry the level of an earlier season than the last, and how many seasons were missed."""
    found: dict[int, tuple[int, int]] = {}
    earlier = None if season.previous is None else season.previous.previous
    for missed in range(1, 1 + int(rule.returning["seasons"])):
        if earlier is None:
            break
        rows = SeasonEntry.objects.filter(league=season.league_id, season=earlier, level__isnull=False)
        for player, survivor, level in rows.values_list("player", "player__merged_into", "level"):
            found.setdefault(survivor or player, (level or 1, missed))
        earlier = earlier.previous
    return [found.get(entry.survivor.pk) for entry in entries]


def _propose_groups(
    reader: SeasonReader, entered: Sequence[SeasonEntry], ratings: dict[int, float]
) -> list[ProposedGroup]:
    """Return the groups of the stages that can be drawn now: those without sources, and those whose are known."""
    groups = []
    for tree in reader.read_stages():
        if tree.parts:
            continue
        players = _list_players(tree, entered, ratings)
        if not players:
            continue
        letters = list_letters(tree.rule.parallel)
        dealt = deal_groups(players, len(letters))
        carried = {
            seat.player.pk: (seat.source, seat.carried)
            for seat in tree.seats
            if seat.player is not None and seat.source is not None and seat.carried is not None
        }
        groups += [
            ProposedGroup(tree.rule, letter, tuple(people), carried)
            for letter, people in zip(letters, dealt, strict=True)
        ]
    return groups


def _list_players(tree: StageTree, entered: Sequence[SeasonEntry], ratings: dict[int, float]) -> list[Player]:
    """Return the players of a stage in the order of their seeds; none before all are known."""
    if tree.rule.sources or tree.rule.key == PLAY_OFF:
        known = [seat.player for seat in tree.seats if seat.player is not None]
        return known if tree.is_ready else []
    by_rating = sorted(entered, key=lambda entry: (-ratings.get(entry.survivor.pk, float("-inf")), entry.number))
    return [entry.survivor for entry in by_rating]
