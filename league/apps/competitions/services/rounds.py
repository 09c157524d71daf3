"""Makes, publishes and undoes the rounds of a competition."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

from django.db.models import Max
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.apps.competitions.files.fixture_plan import PLANNED_TIMES, FixturePlan, read_plan
from league.apps.competitions.log_kinds import ChangeKind
from league.apps.competitions.models import MAX_ROUNDS, MEETINGS, Competition, Fixture, FixtureSeat, Round
from league.apps.competitions.records import FIXTURE_LOG
from league.apps.competitions.selectors.competition_data import FixtureState, LoadedCompetition, load_competition
from league.apps.competitions.selectors.competitions import (
    BRACKET_FORMATS,
    build_format,
    check_running,
    find_competition,
    get_zone,
)
from league.apps.competitions.selectors.pairing_input import build_pairing_request
from league.apps.competitions.selectors.trail import list_adjourned_with
from league.apps.competitions.services.adjourning import mark_adjourned
from league.apps.competitions.services.log_rows import append_change
from league.apps.competitions.services.pairing import (
    PairingBasis,
    ProposalNeeded,
    RoundProposal,
    check_number,
    is_current,
    read_proposal,
    run_with_proposal,
)
from league.apps.competitions.services.pairing_warnings import (
    list_breaches_of,
    refuse_unconfirmed_pairings,
)
from league.apps.competitions.services.regulations import Confirmed
from league.apps.competitions.services.settings import describe_unrateable_size
from league.core.errors import Conflict, NotFound, Problem, Refused
from league.core.locking import locked
from league.core.records import Values
from league.models import League
from ratings.contract.pairing_format import PairingReason

#: Formats in which an entry may have several fixtures in a round.
MANY_GAMES_A_ROUND = (*BRACKET_FORMATS, "free")
#: Fewest and most entries at a table.
TABLE_SIZES = 2, 7


@dataclass(frozen=True)
class NewFixture(FixturePlan):
    """A fixture to add: the numbers of its entries in seat order, and where and when they meet.

    ``match``, ``board``, ``members``: of a board of teams, which is ``adjourned`` with its match.
    """

    entries: Sequence[int]
    round: int | None = None
    kind: str = "game"
    match: int | None = None
    board: int | None = None
    members: Sequence[int | None] = ()
    adjourned: bool = False


@dataclass(frozen=True)
class RoundDates:
    """How rounds are dated: days between the starts of two (0: only the first has a date), and days without rounds."""

    interval_days: int = 0
    blocked: frozenset[date] = frozenset()


SAME_DAY = RoundDates()


@dataclass(frozen=True)
class NewRound:
    """A round to make: by whom, when it is played, the number that it is expected to have, and confirmed warnings."""

    by: str
    starts_at: datetime | None = None
    deadline: datetime | None = None
    number: int | None = None
    confirmed: Confirmed = ()


def make_round(
    league_id: int,
    slug: str,
    *,
    by: str,
    starts_at: datetime | None = None,
    deadline: datetime | None = None,
    number: int | None = None,
    confirmed: Confirmed = (),
) -> Round:
    """Make the next round as proposed; only organisers see it until it is published.

    ``number``: the round that is expected. Raises Conflict if it is another one, and like ``propose_round``.
    """
    new = NewRound(by, starts_at, deadline, number, confirmed)
    return run_with_proposal(
        league_id, slug, lambda proposal: make_proposed_round(league_id, slug, proposal, new), confirmed=confirmed
    )


@locked
def make_proposed_round(
    league: League, now: datetime, slug: str, proposal: RoundProposal | None, new: NewRound
) -> Round:
    """Make the next round of a proposal; raises ProposalNeeded if there is none, or if it follows from other data."""
    competition = find_competition(league, slug, for_organisers=True)
    check_number(new.number, competition.round_rows.aggregate(last=Max("number"))["last"] or 0)
    check_running(competition)
    if proposal is None or not is_current(proposal, league, competition, now, new.confirmed):
        raise ProposalNeeded
    return write_proposed_round(league, now, competition, proposal, new)


def write_proposed_round(
    league: League, now: datetime, competition: Competition, proposal: RoundProposal, new: NewRound
) -> Round:
    """Write the next round in a locked league; only organisers see it until it is published.

    Games without a result, of which that was confirmed, are adjourned with it.
    """
    mark_adjourned(league, now, new.by, competition, proposal.basis.adjourned, proposal.number)
    made, fixtures = _write_round(competition, proposal, now, new, published_at=None)
    cancelled = _cancel_fixtures(competition, proposal.basis.needless, now)
    append_change(
        league, now, new.by, ChangeKind.ROUND_MADE, competition, rounds=[made],
        fixtures=[*cancelled, *fixtures], members={"round": made.number},
    )  # fmt: skip
    return made


def list_round_starts(competition: Competition, count: int, dates: RoundDates) -> list[datetime | None]:
    """Return when each round begins: at the same time of the day in the competition's zone, on days not blocked.

    A round that would begin on a blocked day begins an interval later, and so do those after it.
    """
    if competition.starts_at is None or not dates.interval_days:
        return [competition.starts_at, *[None] * (count - 1)]
    first = competition.starts_at.astimezone(get_zone(competition))
    days = (first + timedelta(days=dates.interval_days * step) for step in itertools.count())
    free = (day for day in days if day.date() not in dates.blocked)
    return [day.astimezone(UTC) for day in itertools.islice(free, count)]


def make_all_rounds(
    league: League, now: datetime, competition: Competition, by: str, dates: RoundDates = SAME_DAY
) -> list[Round]:
    """Make and publish all rounds of a predetermined format in a locked league; none if the organiser enters fixtures.

    Games have to be played by the end of the competition.
    """
    loaded = load_competition(competition, now)
    pairing_format = build_format(competition)
    if not pairing_format.predetermined or pairing_format.count_rounds(len(loaded.entries)) is None:
        return []
    made_rounds = []
    starts = list_round_starts(competition, loaded.planned_rounds, dates)
    for number, starts_at in enumerate(starts, 1):
        # Such pairings follow from a table; they take no time under the lock.
        basis = PairingBasis(pairing_format, build_pairing_request(loaded, number), frozenset(), ())
        paired = pairing_format.pair(basis.request)
        proposal = RoundProposal(basis, paired.fixtures, paired.reasons)
        new = NewRound(by, starts_at, competition.ends_at)
        made, fixtures = _write_round(competition, proposal, now, new, published_at=now)
        append_change(
            league, now, by, ChangeKind.ROUND_PUBLISHED, competition, rounds=[made], fixtures=fixtures,
            members={"round": number},
        )  # fmt: skip
        made_rounds.append(made)
    return made_rounds


def _write_round(
    competition: Competition, proposal: RoundProposal, now: datetime, new: NewRound, *, published_at: datetime | None
) -> tuple[Round, list[Values]]:
    """Write a round with its fixtures; return it with the rows of the log."""
    made = _build_round(competition, proposal, now, new)
    made.published_at = published_at
    made.save(force_insert=True)
    return made, [row for _, row in write_fixtures(competition, {made.number: made}, _plan_fixtures(made, proposal))]


def _build_round(competition: Competition, proposal: RoundProposal, now: datetime, new: NewRound) -> Round:
    return Round(
        league_id=competition.league_id,
        competition=competition,
        number=proposal.number,
        starts_at=new.starts_at,
        deadline=new.deadline,
        reasons=[serialize_reason(reason) for reason in proposal.reasons],
        basis=proposal.digest,
        made_at=now,
        made_by=new.by,
    )


def _plan_fixtures(made: Round, proposal: RoundProposal) -> list[NewFixture]:
    """Return the fixtures of a proposed round with their tables."""
    tables: dict[frozenset[int], int] = {}
    planned = []
    for fixture in proposal.fixtures:
        numbers = [seat.entry for seat in fixture.seats]
        is_game = fixture.kind == "planned"
        # The games of a match are at one table.
        table = tables.setdefault(frozenset(numbers), len(tables) + 1) if is_game else None
        kind = get_meeting_kind(made.competition) if is_game else fixture.kind
        times: dict[str, Any] = {name: getattr(made, name) for name in PLANNED_TIMES} if is_game else {}
        planned.append(NewFixture(numbers, proposal.number, kind, table=table, **times))
    return planned


def preview_round(league_id: int, slug: str, new: NewRound) -> tuple[LoadedCompetition, int]:
    """Return a competition as it would be with its next round, and the round's number; nothing is locked or written.

    Raises like ``make_round``.
    """
    loaded, proposal = read_proposal(league_id, slug, new.number, confirmed=new.confirmed)
    made = _build_round(loaded.competition, proposal, loaded.now, new)
    first = find_next_fixture_number(league_id)
    states = [
        FixtureState(
            pk=0,
            number=number,
            round=made.number,
            kind=one.kind,
            **read_plan(one),
            status="planned" if data.kind == "planned" else "bye",
            data=data,
        )
        for number, (one, data) in enumerate(
            zip(_plan_fixtures(made, proposal), proposal.fixtures, strict=True), start=first
        )
    ]
    with_round = replace(loaded, rounds={**loaded.rounds, made.number: made}, fixtures=[*loaded.fixtures, *states])
    return with_round, made.number


def find_next_fixture_number(league_id: int) -> int:
    """Return the number of a league's next fixture."""
    return 1 + (Fixture.objects.filter(league=league_id).aggregate(last=Max("number"))["last"] or 0)


def serialize_reason(reason: PairingReason) -> dict[str, Any]:
    """Return a reason as JSON, its text in English."""
    return {"entries": list(reason.entries), "text": str.__str__(reason.text), "values": dict(reason.values)}


def write_fixtures(
    competition: Competition, rounds: Mapping[int, Round], new: Sequence[NewFixture]
) -> list[tuple[Fixture, Values]]:
    """Write checked fixtures in a locked league, numbered onwards; return each with its row of the log."""
    league_id = competition.league_id
    first = find_next_fixture_number(league_id)
    fixtures = [
        Fixture(
            league_id=league_id,
            competition=competition,
            number=number,
            round=None if one.round is None else rounds[one.round],
            kind=get_meeting_kind(competition) if one.kind == Fixture.Kind.GAME and one.match is None else one.kind,
            match=one.match,
            board=one.board,
            adjourned=one.adjourned,
            **read_plan(one),
        )
        for number, one in enumerate(new, start=first)
    ]
    Fixture.objects.bulk_create(fixtures)
    keys = dict(competition.entries.values_list("number", "pk"))
    FixtureSeat.objects.bulk_create(
        FixtureSeat(league_id=league_id, fixture=fixture, seat=seat, entry_id=keys[entry], member=member)
        for fixture, one in zip(fixtures, new, strict=True)
        for seat, (entry, member) in enumerate(list_seats(one), start=1)
    )
    return [
        (
            fixture,
            FIXTURE_LOG.build_payload(
                fixture,
                competition=competition.slug,
                seats=[
                    {"entry": entry, "points": ""}
                    if member is None
                    else {"entry": entry, "points": "", "member": member}
                    for entry, member in list_seats(one)
                ],
            ),
        )
        for fixture, one in zip(fixtures, new, strict=True)
    ]


def list_seats(one: NewFixture) -> list[tuple[int, int | None]]:
    """Return the entries of a fixture to add, each with the place in its squad of who sits there."""
    return list(itertools.zip_longest(one.entries, one.members[: len(one.entries)]))


def _cancel_fixtures(competition: Competition, numbers: Sequence[int], now: datetime) -> list[Values]:
    """Cancel the games that a decided match does not need; return their rows of the log."""
    if not numbers:
        return []
    fixtures = list(competition.fixtures.filter(number__in=numbers).select_related("round", "game"))
    for fixture in fixtures:
        fixture.cancelled_at, fixture.entered = now, []
    Fixture.objects.bulk_update(fixtures, ["cancelled_at", "entered"])
    return FIXTURE_LOG.build_payloads(fixtures, competition=competition.slug)


@locked
def publish_round(league: League, now: datetime, slug: str, number: int, *, by: str) -> Round:
    """Publish a round. Raises NotFound, and Conflict if it is published already."""
    competition = find_competition(league, slug, for_organisers=True)
    check_running(competition)
    found = find_round(competition, number)
    if found.published_at is not None:
        raise Conflict(_("Round {round} is already published.").format(round=number))
    found.published_at = now
    found.save(update_fields=["published_at"])
    fixtures = competition.fixtures.filter(round=found).select_related("round", "game").order_by("number")
    append_change(
        league, now, by, ChangeKind.ROUND_PUBLISHED, competition, rounds=[found],
        fixtures=FIXTURE_LOG.build_payloads(fixtures, competition=competition.slug), members={"round": number},
    )  # fmt: skip
    return found


@locked
def undo_round(league: League, now: datetime, slug: str, number: int, *, by: str) -> None:
    """Remove the last round. Raises NotFound, Conflict if there is a later one, Refused if a game of it was played.

    Games that it made adjourned are no longer.
    """
    competition = find_competition(league, slug, for_organisers=True)
    check_running(competition)
    found = find_round(competition, number)
    loaded = load_competition(competition, now)
    if number != max(loaded.rounds):
        template = _("Round {round} is not the last one: undo round {last} first.")
        raise Conflict(template.format(round=number, last=max(loaded.rounds)))
    fixtures = loaded.list_fixtures(number)
    if played := next((fixture for fixture in fixtures if is_played(fixture)), None):
        template = _("Round {round} has results: {entries}. Void game {game} first.")
        games = [one.game.number for one in (played, *played.boards) if one.game]
        game = games[0] if games else 0
        raise Refused(
            template.format(round=number, entries=loaded.join_names(played.entries), game=game),
            members={"game": game},
        )
    mark_adjourned(league, now, by, competition, list_adjourned_with(found), number, adjourned=False)
    rows = [one.number for fixture in fixtures for one in (fixture, *fixture.boards)]
    removed = {"fixtures": sorted(rows), "rounds": [number]}
    found.delete()
    append_change(league, now, by, ChangeKind.ROUND_UNDONE, competition, removed=removed, members={"round": number})


def is_played(fixture: FixtureState) -> bool:
    """Return whether a fixture has a result that was entered, not one that its deadline gave."""
    if fixture.boards:
        return any(map(is_played, fixture.boards))
    return fixture.game is not None and fixture.status in ("played", "forfeited")


def get_meeting_kind(competition: Competition) -> str:
    """Return the kind of the fixtures in which the entries of a competition meet."""
    return str(Fixture.Kind.MATCH if competition.teams else Fixture.Kind.GAME)


def find_round(competition: Competition, number: int) -> Round:
    """Return a round; raises NotFound."""
    found = competition.round_rows.filter(number=number).first()
    if found is None:
        template = _("The competition {competition} has no round {round}.")
        raise NotFound(template.format(competition=competition.title, round=number))
    found.competition = competition
    return found


@locked
def add_fixtures(
    league: League, now: datetime, slug: str, new: Sequence[NewFixture], *, by: str, confirmed: Confirmed = ()
) -> list[Fixture]:
    """Add fixtures by hand, all or none; free fixtures may open rounds.

    Raises Refused with all problems, and ConfirmationNeeded for what the regulations warn of.
    """
    competition = find_competition(league, slug, for_organisers=True)
    check_running(competition)
    loaded = load_competition(competition, now)
    problems = [problem for index, one in enumerate(new) for problem in _check_new_fixture(loaded, index, one, new)]
    if problems:
        raise Refused.of(problems)
    opened = [
        Round.objects.create(
            league_id=league.pk, competition=competition, number=number, made_at=now, made_by=by, published_at=now
        )
        for number in sorted({one.round for one in new if one.round is not None} - loaded.rounds.keys())
    ]
    rounds = {one.round for one in new if one.round is not None}
    before = list_breaches_of(loaded, rounds) if competition.regulations else []
    written = write_fixtures(competition, {**loaded.rounds, **{one.number: one for one in opened}}, new)
    if competition.regulations:
        refuse_unconfirmed_pairings(before, load_competition(competition, now), rounds, confirmed)
    append_change(
        league,
        now,
        by,
        ChangeKind.FIXTURE_ADDED,
        competition,
        rounds=opened,
        fixtures=[row for _, row in written],
    )
    return [fixture for fixture, _ in written]


def _check_new_fixture(
    loaded: LoadedCompetition, index: int, one: NewFixture, others: Sequence[NewFixture]
) -> Iterator[Problem]:
    """Yield what is wrong with a fixture to add."""
    pointer = f"/fixtures/{index}"
    if one.kind not in Fixture.Kind.values:
        message = _("A fixture is one of: {kinds}.").format(kinds=", ".join(Fixture.Kind.values))
        yield Problem(f"{pointer}/kind", "unknown_kind", message)
        return
    low, high = list_fixture_sizes(loaded.competition, one.kind)
    if not low <= len(one.entries) <= high:
        template = (
            ngettext("A fixture of this kind has {low} entry.", "A fixture of this kind has {low} entries.", low)
            if low == high
            else _("A fixture of this kind has {low} to {high} entries.")
        )
        yield Problem(f"{pointer}/entries", "count", template.format(low=low, high=high))
    elif one.kind == Fixture.Kind.GAME and (reason := describe_unrateable_size(loaded.competition, [len(one.entries)])):
        yield Problem(f"{pointer}/entries", "players", reason)
    yield from check_entries(loaded, one.entries, f"{pointer}/entries")
    if one.round is None:
        if one.kind not in MEETINGS:
            yield Problem(f"{pointer}/round", "missing", _("A bye needs a round."))
        return
    may_open = loaded.competition.format == "free" and 1 <= one.round <= MAX_ROUNDS
    if one.round not in loaded.rounds and not may_open:
        message = _("The competition has no round {round}.").format(round=one.round)
        yield Problem(f"{pointer}/round", "unknown_round", message)
    if loaded.competition.format not in MANY_GAMES_A_ROUND:
        busy = {entry for fixture in loaded.list_fixtures(one.round) if fixture.status != "cancelled"
                for entry in fixture.entries}  # fmt: skip
        busy |= {entry for other in others[:index] if other.round == one.round for entry in other.entries}
        for entry in one.entries:
            if entry in busy:
                template = _("{entry} already has a fixture in round {round}.")
                message = template.format(entry=loaded.name(entry), round=one.round)
                yield Problem(f"{pointer}/entries", "twice", message)


def list_fixture_sizes(competition: Competition, kind: str) -> tuple[int, int]:
    """Return the fewest and most entries of a fixture."""
    if kind not in MEETINGS:
        return 1, 1
    return (2, 2) if competition.teams else TABLE_SIZES if competition.format in ("tables", "free") else (2, 2)


def check_entries(loaded: LoadedCompetition, entries: Sequence[int], pointer: str) -> Iterator[Problem]:
    """Yield what is wrong with the numbers of entries who are to meet."""
    for seat, number in enumerate(entries):
        if number not in loaded.entries:
            message = _("The competition has no entry {number}.").format(number=number)
            yield Problem(f"{pointer}/{seat}", "unknown_entry", message)
        elif number in entries[:seat]:
            message = _("{entry} is in this fixture twice.").format(entry=loaded.name(number))
            yield Problem(f"{pointer}/{seat}", "twice", message)
        elif any(_share_players(loaded, number, other) for other in entries[:seat] if other in loaded.entries):
            message = _("{entry} is in another entry of this fixture.").format(entry=loaded.name(number))
            yield Problem(f"{pointer}/{seat}", "twice", message)


def _share_players(loaded: LoadedCompetition, first: int, second: int) -> bool:
    """Return whether two entries have a player in common, after a merge."""
    return not set(loaded.entries[first].survivors).isdisjoint(loaded.entries[second].survivors)
