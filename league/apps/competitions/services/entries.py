"""Adds entries to a competition, changes them, withdraws them, and checks them in."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from datetime import datetime
from itertools import islice
from typing import Any

from django.utils.translation import gettext as _

from league.apps.competitions.log_kinds import ChangeKind
from league.apps.competitions.models import (
    DETAILS,
    FORBIDDEN,
    MARKS,
    MAX_ENTRIES,
    MAX_NUMBER,
    Competition,
    Entry,
    EntryPlayer,
    Fixture,
)
from league.apps.competitions.records import ENTRY_LOG, ENTRY_RECORD
from league.apps.competitions.selectors.competitions import find_competition, takes_part
from league.apps.competitions.services.bye_warnings import list_bye_warnings
from league.apps.competitions.services.category_checks import find_about_problems, normalize_about
from league.apps.competitions.services.entry_checks import (
    find_added_points_problems,
    find_apart_problems,
    find_bye_problems,
    find_detail_problems,
    find_entry,
    find_later_problems,
    find_mark_problems,
    find_official_problems,
    find_opponent_problems,
    find_point_problems,
    has_started,
    normalize_added_points,
    normalize_apart,
    normalize_byes,
    normalize_later,
    refuse_ended,
    refuse_late_entries,
    refuse_late_separation,
)
from league.apps.competitions.services.entry_players import (
    build_lines,
    find_sides,
    list_squad_sizes,
    refuse_double_entries,
)
from league.apps.competitions.services.entry_status import change_status, find_last_round
from league.apps.competitions.services.log_rows import append_change
from league.apps.competitions.services.regulations import Confirmed, refuse_unconfirmed
from league.apps.competitions.services.results import forfeit_in
from league.apps.competitions.services.rounds import NewFixture, write_fixtures
from league.apps.competitions.services.seeding import load_players, place_late_entries, rate_entries
from league.apps.competitions.services.team_matches import forfeit_match
from league.apps.competitions.services.waiting_list import admit_waiting_entries, count_free_places
from league.core.errors import Invalid, Problem, Refused
from league.core.locking import locked
from league.core.permissions import Viewer
from league.core.players.services.add_players import log_added_players
from league.core.records import Values
from league.models import League, Player

#: Sees the entry under the lock, before anything is written, and may raise.
Expectation = Callable[[League, Entry], None]
Kind = ChangeKind
Status = Entry.Status
#: What ``change_entry`` changes: all but the numbers, and what the server notes.
CHANGES = {*ENTRY_RECORD.names} - {"entry", "checked_in_at", "entered_at", "entered_by"}
CHANGES -= {"pairing_number", "virtual_points"}


class NewEntry:
    """An entry to be added. ``players``: handles, names or aliases. ``not_against``: numbers of entries.

    ``row``: as it will be stored, with the given ``details``, named as in ``DETAILS``.
    """

    def __init__(
        self,
        players: Sequence[str],
        *,
        byes: Sequence[Mapping[str, Any]] = (),
        not_against: Sequence[int] = (),
        **details: Any,
    ) -> None:
        self.players, self.byes, self.not_against = players, byes, not_against
        self.row = Entry(**details)


@locked
def add_entries(
    league: League,
    now: datetime,
    slug: str,
    new: Sequence[NewEntry],
    *,
    by: str,
    viewer: Viewer | None = None,
    create_players: bool = False,
    names: Mapping[str, str] | None = None,
    confirmed: Confirmed = (),
) -> list[Entry]:
    """Add entries, all or none; those above the limit are on the waiting list.

    A late entry may have byes from before it entered; no pairing changes, but pairing numbers may (see
    ``place_late_entries``). Raises Conflict if the competition has ended, Invalid or Refused with a pointer below
    ``/entries/0`` for each problem: unknown players, players in two entries, entries after the start that the format
    does not take. Raises ConfirmationNeeded for byes that the regulations warn of.
    """
    competition = find_competition(league, slug, for_organisers=True)
    refuse_ended(competition)
    last_round = find_last_round(competition)
    refuse_late_entries(competition, last_round)
    numbers = _choose_numbers(competition, len(new))
    _check_new(competition, new, numbers, last_round)
    refuse_unconfirmed(competition, [one for entry in new for one in list_bye_warnings(entry.byes)], confirmed)
    prefixes = [f"/entries/{index}" for index in range(len(new))]
    added: list[str] = []
    sides = find_sides(
        league,
        list_squad_sizes(competition),
        [entry.players for entry in new],
        prefixes,
        viewer=viewer,
        create_players=create_players,
        names=names or {},
        added=added,
    )
    removed = _remove_returning(competition, sides)
    refuse_double_entries(competition, sides, prefixes, numbers)
    entries = _write_new(competition, new, sides, numbers, now, by)
    partners = _make_mutual(competition, entries)
    moved = _place_if_late(competition, entries)
    log_added_players(league, now, by, added)
    rows = ENTRY_LOG.build_payloads([*entries, *partners], competition=competition.slug)
    append_change(
        league, now, by, Kind.ENTRY_ADDED, competition, changed_entries=rows,
        removed={"entries": removed} if removed else None,
    )  # fmt: skip
    _log_moved_numbers(competition, moved, now, by)
    if fixtures := _write_missed_rounds(competition, entries):
        append_change(league, now, by, Kind.FIXTURE_ADDED, competition, fixtures=fixtures)
    return entries


def _place_if_late(competition: Competition, entries: Iterable[Entry]) -> list[Entry]:
    """Place entries that take part since the start; return the others whose numbers moved."""
    late = [entry for entry in entries if entry.status == Status.ENTERED] if has_started(competition) else []
    return place_late_entries(competition, late, find_last_round(competition)) if late else []


def _log_moved_numbers(competition: Competition, moved: Sequence[Entry], now: datetime, by: str) -> None:
    """Log the entries that late ones moved, apart from what was done with those."""
    if moved:
        rows = ENTRY_LOG.build_payloads(moved, competition=competition.slug)
        append_change(competition.league, now, by, Kind.ENTRY_CHANGED, competition, changed_entries=rows)


def _write_missed_rounds(competition: Competition, entries: Sequence[Entry]) -> list[Values]:
    """Write the byes that late entries have in rounds that were made; return their rows of the log."""
    rounds = {one.number: one for one in competition.round_rows.all()}
    missed = [
        NewFixture([entry.number], bye["round"], bye["kind"])
        for entry in entries
        for bye in entry.byes
        if bye["round"] in rounds and entry.status == Status.ENTERED
    ]
    return [row for _fixture, row in write_fixtures(competition, rounds, missed)] if missed else []


def _choose_numbers(competition: Competition, count: int) -> list[int]:
    """Return the numbers of new entries: after the last one, else, if that is the highest, in the gaps."""
    taken = set(competition.entries.values_list("number", flat=True))
    last = max(taken, default=0)
    if count == 0:
        raise Invalid.of([Problem("/entries", "missing", _("There is no entry to add."))])
    if len(taken) + count > MAX_ENTRIES:
        template = _("A competition has at most {limit} entries.")
        raise Refused.of([Problem("/entries", "too_many", template.format(limit=MAX_ENTRIES))])
    free = (number for number in (*range(last + 1, MAX_NUMBER + 1), *range(1, last)) if number not in taken)
    return list(islice(free, count))


def _check_new(competition: Competition, new: Sequence[NewEntry], numbers: Sequence[int], last_round: int) -> None:
    """Raise Invalid with the problems of all new entries, apart from their players."""
    known = {*competition.entries.values_list("number", flat=True), *numbers}
    problems: list[Problem] = []
    for index, (entry, number) in enumerate(zip(new, numbers, strict=True)):
        prefix = f"/entries/{index}"
        problems += find_detail_problems(prefix, {name: getattr(entry.row, name) for name in DETAILS})
        problems += find_bye_problems(prefix, competition, entry.byes, last_round, None)
        problems += find_point_problems(prefix, entry.byes, may_have_none=entry.row.no_byes)
        problems += find_opponent_problems(prefix, number, entry.not_against, known)
        problems += find_about_problems(prefix, entry.row.about)
        problems += find_official_problems(prefix, entry.row.official_ratings)
        problems += find_later_problems(prefix, entry.row.later_ratings, is_long=competition.long)
    if problems:
        raise Invalid.of(problems)
    refuse_late_separation(
        competition, [f"/entries/{index}/not_against" for index, entry in enumerate(new) if entry.not_against]
    )


def _remove_returning(competition: Competition, sides: Iterable[Sequence[Player]]) -> list[int]:
    """Remove the entries of these players that withdrew before the start; return their numbers."""
    if has_started(competition):
        return []
    players = {player.merged_into or player for side in sides for player in side}
    lines = EntryPlayer.objects.filter(
        league=competition.league_id, competition=competition, entry__status=Status.WITHDRAWN
    ).select_related("entry", "player__merged_into")
    entries = {line.entry for line in lines if line.survivor in players}
    for entry in entries:
        entry.delete()
    return sorted(entry.number for entry in entries)


def _write_new(
    competition: Competition,
    new: Sequence[NewEntry],
    sides: Sequence[Sequence[Player]],
    numbers: Sequence[int],
    now: datetime,
    by: str,
) -> list[Entry]:
    places = count_free_places(competition)
    # Another try after a database error starts from rows that were not stored.
    entries = [copy(one.row) for one in new]
    for index, (one, entry, number) in enumerate(zip(new, entries, numbers, strict=True)):
        entry.league, entry.competition, entry.number = competition.league, competition, number
        entry.status = Status.ENTERED if places is None or index < places else Status.WAITING
        entry.byes = normalize_byes(one.byes)
        entry.not_against = sorted(set(one.not_against))
        entry.later_ratings = normalize_later(entry.later_ratings)
        entry.about = normalize_about(entry.about)
        entry.entered_at, entry.entered_by = now, by
    Entry.objects.bulk_create(entries)
    lines = [line for entry, side in zip(entries, sides, strict=True) for line in build_lines(entry, side)]
    EntryPlayer.objects.bulk_create(lines)
    load_players(entries)
    if has_started(competition):
        rate_entries(competition.league, entries)
        Entry.objects.bulk_update(entries, ["rating", "rating_from"])
    return entries


def _make_mutual(competition: Competition, changed: Sequence[Entry]) -> list[Entry]:
    """Let the lists of those who must not meet agree with those of the changed entries; return the other entries."""
    listed = {entry.number: set(entry.not_against) for entry in changed}
    apart = [(entry.number, one) for entry in changed for one in entry.apart]
    own = {entry.number: entry for entry in changed}
    partners = []
    for entry in [own.get(row.number, row) for row in competition.entries.order_by("number")]:
        numbers = set(entry.not_against) if entry.number in own else set(entry.not_against) - own.keys()
        numbers |= {number for number, others in listed.items() if entry.number in others}
        kept = [one for one in entry.apart if entry.number in own or one["entry"] not in own]
        kept += [{**one, "entry": number} for number, one in apart if one["entry"] == entry.number]
        lists = {"not_against": sorted(numbers), "apart": normalize_apart(kept)}
        if lists != {name: getattr(entry, name) for name in lists}:
            for name, value in lists.items():
                setattr(entry, name, value)
            entry.save(update_fields=[*lists])
            partners += [entry] if entry.number not in own else []
    load_players(partners)
    return partners


@locked
def change_entry(
    league: League,
    now: datetime,
    slug: str,
    number: int,
    changes: Mapping[str, Any],
    *,
    by: str,
    viewer: Viewer | None = None,
    precondition: Expectation | None = None,
    confirmed: Confirmed = (),
) -> Entry:
    """Change details of an entry, its byes, or its status: entered again, or withdrawn.

    Players and seed can be changed before the start only. An expelled entry withdraws. Raises NotFound, Conflict,
    Invalid, Refused, and ConfirmationNeeded for byes that the regulations warn of.
    """
    competition = find_competition(league, slug, for_organisers=True)
    entry = find_entry(competition, number)
    if precondition is not None:
        precondition(league, entry)
    if "byes" in changes:
        _check_changes(competition, entry, changes)
        refuse_unconfirmed(competition, list_bye_warnings(changes["byes"], entry.byes), confirmed)
    return _apply_changes(competition, entry, now, changes, by, viewer)


@locked
def withdraw_entry(
    league: League, now: datetime, slug: str, number: int, *, by: str, after_round: int | None = None
) -> Entry:
    """Withdraw an entry after a round (None: now).

    Before the start it leaves the list, and the first of the waiting list moves up. In a Swiss system and at tables it
    is not paired any more. In other formats its opponents win its open fixtures by forfeit.
    """
    competition = find_competition(league, slug, for_organisers=True)
    changes = {"status": Status.WITHDRAWN, "withdrawn_after": after_round}
    return _apply_changes(competition, find_entry(competition, number), now, changes, by)


@locked
def check_in(
    league: League, now: datetime, slug: str, numbers: Sequence[int], *, by: str, present: bool
) -> list[Entry]:
    """Note that entries have come, or have not; raises NotFound."""
    competition = find_competition(league, slug, for_organisers=True)
    refuse_ended(competition)
    entries = [find_entry(competition, number) for number in dict.fromkeys(numbers)]
    changed = [entry for entry in entries if (entry.checked_in_at is not None) != present]
    for entry in changed:
        entry.checked_in_at = now if present else None
    Entry.objects.bulk_update(changed, ["checked_in_at"])
    load_players(entries)
    if changed:
        rows = ENTRY_LOG.build_payloads(changed, competition=competition.slug)
        append_change(league, now, by, Kind.ENTRY_CHANGED, competition, changed_entries=rows)
    return entries


def _apply_changes(
    competition: Competition,
    entry: Entry,
    now: datetime,
    changes: Mapping[str, Any],
    by: str,
    viewer: Viewer | None = None,
) -> Entry:
    # The prizes of a finished competition can still be put right.
    if changes.keys() != {"about"} or competition.status != Competition.Status.FINISHED:
        refuse_ended(competition)
    _check_changes(competition, entry, changes)
    load_players([entry])
    before = ENTRY_LOG.build_payloads([entry], competition=competition.slug)
    if changes.get("rating", entry.rating) != entry.rating:
        # A rating that somebody types is not that of the list before.
        changes = {"rating_from": "", **changes}
    if changes.get("expelled") and entry.status != Status.WITHDRAWN:
        # At once, also if it would have played on for some rounds.
        changes = {**changes, "status": Status.WITHDRAWN, "withdrawn_after": None}
    for name in (*DETAILS, *MARKS, "official_ratings"):
        setattr(entry, name, changes.get(name, getattr(entry, name)))
    entry.byes = normalize_byes(changes.get("byes", entry.byes))
    entry.not_against = sorted(set(changes.get("not_against", entry.not_against)))
    entry.apart = normalize_apart(changes.get("apart", entry.apart))
    entry.added_points = normalize_added_points(changes.get("added_points", entry.added_points))
    entry.about = normalize_about(changes.get("about", entry.about))
    entry.later_ratings = normalize_later(changes.get("later_ratings", entry.later_ratings))
    if "players" in changes:
        _replace_players(competition, entry, changes["players"], viewer)
        entry.refresh_from_db(fields=["players"])  # forgets the former ones
        load_players([entry])
    took_part = takes_part(entry)
    lost = change_status(competition, entry, now, changes)
    entry.save()
    admitted = admit_waiting_entries(competition)
    partners = _make_mutual(competition, [entry]) if changes.keys() & {"not_against", "apart"} else []
    moved = [] if took_part else _place_if_late(competition, [entry])
    rows = ENTRY_LOG.build_payloads([entry, *partners, *admitted], competition=competition.slug)
    if rows != before:
        append_change(competition.league, now, by, Kind.ENTRY_CHANGED, competition, changed_entries=rows)
    _log_moved_numbers(competition, moved, now, by)
    for fixture in lost:
        if competition.teams:
            forfeit_match(competition.league, now, fixture, entry.number, by)
        else:
            forfeit_in(competition.league, now, fixture, [entry.number], Fixture.Reason.RETIRED, by)
    return entry


def _check_changes(competition: Competition, entry: Entry, changes: Mapping[str, Any]) -> None:
    """Raise Invalid or Refused with the problems of changes, apart from those of players."""
    problems = [
        Problem(f"/{name}", "unknown_field", _("An entry has no field “{name}” that can be changed.").format(name=name))
        for name in changes
        if name not in CHANGES
    ]
    problems += find_detail_problems("", changes)
    last = find_last_round(competition)
    problems += find_mark_problems(changes)
    if not problems and changes.keys() & {"byes", "no_byes"}:
        byes, kept = changes.get("byes", entry.byes), [bye for bye in entry.byes if bye["round"] <= last]
        mark = changes.get("no_byes", entry.no_byes)
        problems += find_point_problems("", byes, kept, may_have_none=mark)
    if "byes" in changes:
        last_round = last
        problems += find_bye_problems("", competition, changes["byes"], last_round, entry.byes)
    if "not_against" in changes:
        numbers = set(competition.entries.values_list("number", flat=True))
        problems += find_opponent_problems("", entry.number, changes["not_against"], numbers)
    if "apart" in changes:
        numbers = set(competition.entries.values_list("number", flat=True))
        problems += find_apart_problems("", entry.number, changes["apart"], numbers)
    if "about" in changes:
        problems += find_about_problems("", changes["about"])
    problems += find_official_problems("", changes.get("official_ratings", []))
    problems += find_later_problems("", changes.get("later_ratings", []), is_long=competition.long)
    if "added_points" in changes:
        problems += find_added_points_problems(changes["added_points"])
    if problems:
        raise Invalid.of(problems)
    if has_started(competition):
        problems = [
            Problem(f"/{name}", "started", _("This can be changed only before the start."))
            for name in ("players", "seed")
            if name in changes
        ]
    if problems:
        raise Refused.of(problems)
    changed = [name for name in FORBIDDEN if name in changes and changes[name] != getattr(entry, name)]
    refuse_late_separation(competition, [f"/{name}" for name in changed])


def _replace_players(competition: Competition, entry: Entry, players: Sequence[str], viewer: Viewer | None) -> None:
    sides = find_sides(
        competition.league, list_squad_sizes(competition), [players], [""],
        viewer=viewer, create_players=False, names={}, added=[],
    )  # fmt: skip
    refuse_double_entries(competition, sides, [""], [entry.number])
    EntryPlayer.objects.filter(league=entry.league_id, entry=entry).delete()
    EntryPlayer.objects.bulk_create(build_lines(entry, sides[0]))
