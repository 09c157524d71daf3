"""Closes a season: its standings become an edition, which the next season's divisions follow."""

from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.apps.competitions.log_kinds import ChangeKind
from league.apps.competitions.models import POINTS, Competition, Fixture, Season, SeasonEdition, SeasonPart
from league.apps.competitions.selectors.competition_data import (
    FixtureState,
    LoadedCompetition,
    load_competition,
    load_competitions,
)
from league.apps.competitions.selectors.competitions import BRACKET_FORMATS
from league.apps.competitions.selectors.pairing_input import has_all_rounds, is_played, list_unplayed
from league.apps.competitions.selectors.season_document import build_season_document, differs_from_season_edition
from league.apps.competitions.selectors.season_standings import SeasonReader
from league.apps.competitions.selectors.seasons import (
    build_rule,
    find_last_season_edition,
    find_season,
    list_parts,
    refuse_ended_season,
)
from league.apps.competitions.services.competitions import cancel_competition, finish_competition
from league.apps.competitions.services.fixtures import change_fixture
from league.apps.competitions.services.publishing import publish_document
from league.apps.competitions.services.results import forfeit_fixture
from league.apps.competitions.services.season_log import append_season_change
from league.core.errors import Conflict, Invalid, Problem, Refused
from league.core.locking import get_write_time, locked
from league.core.reasons import check_reason, require_reason
from league.models import League
from ratings.seasons.rules import UNPLAYED

MAX_LISTED = 10
Status = Competition.Status


@locked
def close_season(
    league: League, now: datetime, slug: str, *, by: str, unplayed: str | None = None, reason: str = ""
) -> SeasonEdition:
    """Close a season: its running competitions are finished, its standings become an edition.

    ``unplayed``: what fixtures without a result count as (void, both_lose, half); None: as the rule of the divisions
    says. Raises Conflict if the season has ended or was not drawn, Refused with the open fixtures if neither says it.
    """
    season = find_season(league, slug, for_organisers=True)
    refuse_ended_season(season)
    reason = check_reason(reason)
    if unplayed is not None and unplayed not in UNPLAYED:
        message = _("Fixtures without a result are one of: {words}.").format(words=", ".join(UNPLAYED))
        raise Invalid.of([Problem("/unplayed", "invalid", message)])
    parts = [part for part in list_parts(season) if part.competition.status != Status.CANCELLED]
    if not parts:
        raise Conflict(_("The season has no competition yet; cancel it instead."))
    words = {part.pk: unplayed or _find_word(season, part) for part in parts}
    silent = [part for part in parts if words[part.pk] is None and part.competition.status == Status.RUNNING]
    _refuse_open([load_competition(part.competition, now) for part in silent])
    _refuse_unpaired(
        [load_competition(part.competition, now) for part in parts if part.competition.status == Status.RUNNING]
    )
    for part in parts:
        _end_competition(league, part, now, words[part.pk], by)
    league.refresh_from_db()
    season.league = league
    season.status = Season.Status.CLOSED
    season.save(update_fields=["status"])
    edition = _publish(season, get_write_time(league), by, reason)
    append_season_change(
        league,
        edition.published_at,
        by,
        ChangeKind.SEASON_CLOSED,
        season,
        settings=True,
        edition=edition,
        members={"reason": reason},
    )
    return edition


@locked
def finish_played(league: League, now: datetime, slug: str, *, by: str) -> int:
    """Finish the running competitions of a season that are played to the end; return how many.

    Raises Conflict if the season has ended, or none is played to the end.
    """
    season = find_season(league, slug, for_organisers=True)
    refuse_ended_season(season)
    running = [part.competition for part in list_parts(season) if part.competition.status == Status.RUNNING]
    played = [one for one in load_competitions(running) if is_played(one)]
    if not played:
        raise Conflict(_("No competition of the season is played to the end."))
    for loaded in played:
        finish_competition(league.pk, loaded.competition.slug, by=by, reason="")
    return len(played)


@locked
def revise_season(league: League, now: datetime, slug: str, *, by: str, reason: str) -> SeasonEdition:
    """Publish another edition of a closed season, after a correction.

    Raises Conflict if it is not closed, or its standings are as in the last edition; Invalid without a reason.
    """
    season = find_season(league, slug, for_organisers=True)
    reason = require_reason(reason)
    last = find_last_season_edition(season)
    if season.status != Season.Status.CLOSED or last is None:
        raise Conflict(_("The season is not closed."))
    if not differs_from_season_edition(SeasonReader(season), last):
        raise Conflict(_("The standings are the same as in edition {number}.").format(number=last.number))
    edition = _publish(season, now, by, reason)
    append_season_change(
        league, now, by, ChangeKind.SEASON_REVISED, season, edition=edition, members={"reason": reason}
    )
    return edition


def _find_word(season: Season, part: SeasonPart) -> str | None:
    """Return what the rule says of a division's fixtures without a result, None if it says nothing."""
    rule = build_rule(season).divisions
    word = rule.word_on_unplayed if rule is not None and part.level is not None else None
    return word if word in UNPLAYED else None


def _refuse_open(running: list[LoadedCompetition]) -> None:
    named = [
        f"{loaded.competition.title}: {loaded.join_names(fixture.entries)}"
        for loaded in running
        for fixture in list_unplayed(loaded)
    ]
    if not named:
        return
    template = ngettext(
        "{count} fixture has no result; say what it counts as: {names}",
        "{count} fixtures have no result; say what they count as: {names}",
        len(named),
    )
    names = "; ".join(named[:MAX_LISTED]) + (" …" if len(named) > MAX_LISTED else "")
    raise Refused.of([Problem("/unplayed", "unplayed", template.format(count=len(named), names=names))])


def _refuse_unpaired(running: list[LoadedCompetition]) -> None:
    """Raise Refused if a bracket still lacks rounds: nobody has won it."""
    for loaded in running:
        if loaded.competition.format in BRACKET_FORMATS and not has_all_rounds(loaded):
            template = _("{title} has no winner yet: pair its next round, or cancel it.")
            message = template.format(title=loaded.competition.title)
            raise Refused.of([Problem("/rounds", "unpublished", message)])


def _end_competition(league: League, part: SeasonPart, now: datetime, unplayed: str | None, by: str) -> None:
    """Finish a running competition; cancel one that never began."""
    competition = part.competition
    reason = _("The season was closed.")
    if competition.status in (Status.DRAFT, Status.OPEN):
        cancel_competition(league.pk, competition.slug, by=by, reason=reason)
        return
    if competition.status != Status.RUNNING:
        return
    for fixture in list_unplayed(load_competition(competition, now)):
        if unplayed == "void":
            change_fixture(league.pk, fixture.number, {"cancelled": True}, by=by, reason=reason)
        elif unplayed == "both_lose":
            forfeit_fixture(league.pk, fixture.number, fixture.entries, Fixture.Reason.OTHER.value, by=by)
        else:
            _give_half(league, competition, fixture, by)
    finish_competition(league.pk, competition.slug, by=by, reason=reason)


def _give_half(league: League, competition: Competition, fixture: FixtureState, by: str) -> None:
    """Give each the points of a draw for a fixture that was not played: a forfeit of both, with awarded points."""
    forfeit_fixture(league.pk, fixture.number, fixture.entries, Fixture.Reason.OTHER.value, by=by)
    points = [competition.points.get("draw", POINTS["draw"])] * len(fixture.entries)
    change_fixture(league.pk, fixture.number, {"points": points}, by=by, reason=_("The season was closed."))


def _publish(season: Season, now: datetime, by: str, reason: str) -> SeasonEdition:
    document = build_season_document(SeasonReader(season), season.editions.count() + 1)
    return publish_document(SeasonEdition, season, document, at=now, by=by, reason=reason)
