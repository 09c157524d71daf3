"""Creates, changes, starts, finishes and cancels competitions."""

import secrets
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from django.conf import settings as site
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.apps.competitions.log_kinds import ChangeKind
from league.apps.competitions.models import GIVEN_SETTINGS, MAX_SEED, Competition, FinalStandings
from league.apps.competitions.records import ENTRY_LOG, FIXTURE_LOG
from league.apps.competitions.selectors.brought_ratings import list_brought_ratings
from league.apps.competitions.selectors.competition_data import LoadedCompetition, load_competition
from league.apps.competitions.selectors.competitions import build_format, check_running, find_competition
from league.apps.competitions.selectors.final_standings import (
    build_document,
    differs_from_edition,
    find_last_edition,
)
from league.apps.competitions.selectors.pairing_input import list_unplayed
from league.apps.competitions.selectors.rating_order import get_lists
from league.apps.competitions.services.entered import forget_entered
from league.apps.competitions.services.log_rows import append_change
from league.apps.competitions.services.publishing import publish_document
from league.apps.competitions.services.rounds import SAME_DAY, RoundDates, make_all_rounds
from league.apps.competitions.services.seeding import number_entries
from league.apps.competitions.services.settings import (
    apply_settings,
    check_rounds,
    refuse_unrateable_sizes,
)
from league.apps.competitions.services.slugs import check_slug, choose_slug
from league.apps.competitions.services.waiting_list import admit_waiting_entries
from league.core.errors import Conflict, Problem, Refused
from league.core.locking import get_write_time, locked
from league.core.players.services.players import set_initial_rating
from league.core.reasons import check_reason, require_reason
from league.models import League

#: Sees the competition under the lock, before anything is written, and may raise.
Expectation = Callable[[League, Competition], None]
MAX_LISTED = 10
Kind = ChangeKind
Status = Competition.Status


@locked
def create_competition(
    league: League,
    now: datetime,
    slug: str,
    settings: Mapping[str, Any],
    *,
    by: str,
    seed: int | None = None,
    from_file: bool = False,
) -> Competition:
    """Create a competition; an empty slug is derived from the title. ``seed``: what lots are drawn from.

    ``from_file``: it was played elsewhere, by whatever rules.
    Raises Invalid with a pointer per field, Conflict if the slug is taken, Refused if the league has too many.
    """
    limit = site.RUNGS_LIMITS["competitions"]
    if Competition.objects.filter(league=league).count() >= limit:
        raise Refused(_("A league has at most {limit} competitions.").format(limit=limit))
    title = settings.get("title") or ""
    competition = Competition(
        league=league,
        slug=slug or choose_slug(Competition, league, title),
        seed=draw_seed() if seed is None else seed,
        created_at=now,
        created_by=by,
    )
    apply_settings(competition, settings, from_file=from_file)
    check_slug(competition)
    competition.save()
    append_change(league, now, by, Kind.COMPETITION_CREATED, competition, settings=True)
    return competition


def draw_seed() -> int:
    """Return what lots are drawn from."""
    return secrets.randbelow(MAX_SEED + 1)


@locked
def change_competition(
    league: League,
    now: datetime,
    slug: str,
    settings: Mapping[str, Any],
    *,
    by: str,
    precondition: Expectation | None = None,
) -> Competition:
    """Change settings of a competition; raises Invalid with a pointer per field, or Refused if it is too late."""
    competition = find_competition(league, slug, for_organisers=True)
    if precondition is not None:
        precondition(league, competition)
    before, entries = _list_settings(competition), competition.result_entries
    apply_settings(competition, settings)
    if _list_settings(competition) == before:
        return competition
    competition.save(update_fields=[*GIVEN_SETTINGS, "status"])
    admitted = admit_waiting_entries(competition)
    forgotten = [] if competition.result_entries == entries else forget_entered(competition)
    fixtures = competition.fixtures.filter(number__in=forgotten).select_related("round", "game").order_by("number")
    append_change(
        league, now, by, Kind.COMPETITION_CHANGED, competition, settings=True,
        changed_entries=ENTRY_LOG.build_payloads(admitted, competition=competition.slug),
        fixtures=FIXTURE_LOG.build_payloads(fixtures, competition=competition.slug) if forgotten else (),
    )  # fmt: skip
    return competition


def _list_settings(competition: Competition) -> list[Any]:
    return [getattr(competition, name) for name in (*GIVEN_SETTINGS, "status")]


@locked
def start_competition(
    league: League, now: datetime, slug: str, *, by: str, use_ratings: bool = False, dates: RoundDates = SAME_DAY
) -> Competition:
    """Start a competition: entries get their numbers and ratings. A round robin gets all its rounds at once.

    ``use_ratings``: those that entries brought along become initial ratings of players who have none.
    Raises Conflict if it has been started, Refused if its entries do not fit the format or the number of rounds.
    """
    competition = find_competition(league, slug, for_organisers=True)
    if competition.status not in (Status.DRAFT, Status.OPEN):
        raise Conflict(_("The competition has been started already."))
    pairing_format = build_format(competition)
    count = competition.entries.entered().count()
    refusal = pairing_format.check_size(count)
    if refusal:
        raise Refused.of([Problem("/entries", "entries", refusal)])
    check_rounds(competition, pairing_format, count)
    refuse_unrateable_sizes(competition, pairing_format.list_sizes(count))
    if use_ratings:
        now = _set_initial_ratings(league, competition, by)
    numbered = number_entries(competition)
    competition.status = Status.RUNNING
    competition.rounds = competition.rounds or pairing_format.count_rounds(count)
    competition.rating_lists = get_lists(competition)
    competition.save(update_fields=["status", "rounds", "rating_lists"])
    refresh_mark(league)
    append_change(
        league,
        now,
        by,
        Kind.COMPETITION_STARTED,
        competition,
        settings=True,
        changed_entries=ENTRY_LOG.build_payloads(numbered.entries, competition=competition.slug),
        removed={"entries": numbered.removed} if numbered.removed else None,
    )
    make_all_rounds(league, now, competition, by, dates)
    return competition


def _set_initial_ratings(league: League, competition: Competition, by: str) -> datetime:
    """Make the ratings brought along initial ratings; return the time of what follows in the log."""
    for entry, player, rating in list_brought_ratings(competition):
        try:
            set_initial_rating(league.pk, player, float(rating), username=by)
        except Refused as error:
            pointer = f"/entries/{entry}/rating"
            message = f"{player.name}: {error.detail}"
            raise Refused.of([Problem(pointer, one.code, message) for one in error.problems]) from error
    # The other service locked the league again: the log goes on after what it wrote.
    league.refresh_from_db()
    competition.league = league
    return get_write_time(league)


@locked
def finish_competition(league: League, now: datetime, slug: str, *, by: str, reason: str = "") -> FinalStandings:
    """Finish a competition: its standings become an edition. Raises Conflict or Refused, naming the open fixtures."""
    competition = find_competition(league, slug, for_organisers=True)
    check_running(competition)
    loaded = load_competition(competition, now)
    _refuse_open(loaded)
    competition.status = Status.FINISHED
    competition.save(update_fields=["status"])
    refresh_mark(league)
    edition = _publish_edition(loaded, by, check_reason(reason))
    append_change(
        league, now, by, Kind.COMPETITION_FINISHED, competition, settings=True, standings=edition, reason=edition.reason
    )
    return edition


@locked
def cancel_competition(league: League, now: datetime, slug: str, *, by: str, reason: str = "") -> Competition:
    """Cancel a competition. Its games stay; open fixtures are no longer offered. Raises Conflict if it has ended."""
    competition = find_competition(league, slug, for_organisers=True)
    if competition.status in (Status.FINISHED, Status.CANCELLED):
        raise Conflict(_("The competition has ended already."))
    reason = check_reason(reason)
    competition.status = Status.CANCELLED
    competition.save(update_fields=["status"])
    refresh_mark(league)
    append_change(league, now, by, Kind.COMPETITION_CANCELLED, competition, settings=True, reason=reason)
    return competition


@locked
def revise_standings(league: League, now: datetime, slug: str, *, by: str, reason: str) -> FinalStandings:
    """Publish another edition of a finished competition's standings, after a correction.

    Raises Conflict if it is not finished, or the standings are as in the last edition; Invalid without a reason.
    """
    competition = find_competition(league, slug, for_organisers=True)
    reason = require_reason(reason, _("Give a reason for the new edition."))
    last = find_last_edition(competition)
    if competition.status != Status.FINISHED or last is None:
        raise Conflict(_("The competition is not finished."))
    loaded = load_competition(competition, now)
    if not differs_from_edition(loaded, last):
        raise Conflict(_("The standings are the same as in edition {number}.").format(number=last.number))
    edition = _publish_edition(loaded, by, reason)
    append_change(league, now, by, Kind.COMPETITION_REVISED, competition, standings=edition, reason=reason)
    return edition


def refresh_mark(league: League) -> None:
    """Store whether a competition of the league is running, and whether one ever was.

    Recording a game need not look for fixtures without the one, and pages need not look for them without the other.
    """
    statuses = set(Competition.objects.filter(league=league).order_by().values_list("status", flat=True).distinct())
    running = Status.RUNNING in statuses
    attached = league.has_attached_games or not statuses <= {Status.DRAFT, Status.OPEN}
    if (league.attaches_games, league.has_attached_games) != (running, attached):
        league.attaches_games, league.has_attached_games = running, attached
        league.save(update_fields=["attaches_games", "has_attached_games"])


def _refuse_open(loaded: LoadedCompetition) -> None:
    """Raise Refused if a round is not published or a fixture has no result."""
    for one_round in loaded.rounds.values():
        if one_round.published_at is None:
            template = _("Round {number} is not published; publish it or undo it first.")
            raise Refused.of([Problem("/rounds", "unpublished", template.format(number=one_round.number))])
    if not loaded.fixtures:
        raise Refused(_("Nothing has been played; cancel the competition instead."))
    unplayed = list_unplayed(loaded)
    if not unplayed:
        return
    names = "; ".join(" – ".join(loaded.name(entry) for entry in fixture.entries) for fixture in unplayed[:MAX_LISTED])
    more = " …" if len(unplayed) > MAX_LISTED else ""
    template = ngettext(
        "{count} fixture has no result: {names}", "{count} fixtures have no result: {names}", len(unplayed)
    )
    raise Refused.of([Problem("/fixtures", "unplayed", template.format(count=len(unplayed), names=names + more))])


def _publish_edition(loaded: LoadedCompetition, by: str, reason: str) -> FinalStandings:
    competition = loaded.competition
    document = build_document(loaded, competition.editions.count() + 1)
    return publish_document(FinalStandings, competition, document, at=loaded.now, by=by, reason=reason)
