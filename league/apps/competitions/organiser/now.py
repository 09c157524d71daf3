"""The page "Now": the state of a competition, its one next step, and the results of the round in play."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from types import MappingProxyType
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _

from league.apps.competitions.models import Competition, Entry
from league.apps.competitions.organiser.confirmations import ask_confirmation, list_confirmed
from league.apps.competitions.organiser.fixture_rows import (
    build_fixture_rows,
    find_level_matches,
    list_quick_results,
)
from league.apps.competitions.organiser.next_step import (
    describe_shown_round,
    find_current_round,
    find_next_step,
    list_shown_fixtures,
    list_undecided_fixtures,
)
from league.apps.competitions.public.lists import load_seasons
from league.apps.competitions.public.standings_table import TieBreakColumn, list_columns
from league.apps.competitions.selectors.brought_ratings import list_brought_ratings
from league.apps.competitions.selectors.competition_data import (
    FixtureState,
    LoadedCompetition,
    build_entry_name,
    load_competition,
)
from league.apps.competitions.selectors.competitions import (
    FORMATS_WITH_BYES,
    describe_rating_tie_breaks,
    find_competition,
    list_competitions,
)
from league.apps.competitions.selectors.final_standings import standings_differ
from league.apps.competitions.selectors.game_points import list_colours_of, takes_quick_results
from league.apps.competitions.selectors.halls import list_evenings_now, list_halls
from league.apps.competitions.selectors.monthly_reports import list_months
from league.apps.competitions.selectors.pairing_checks import (
    compare_with_rules,
    describe_breaches,
    describe_difference,
    list_outdated_pairings,
    list_unpaired,
)
from league.apps.competitions.selectors.pairing_input import list_reasons
from league.apps.competitions.selectors.result_texts import count_decimals, format_in_column
from league.apps.competitions.selectors.round_notes import describe_round
from league.apps.competitions.selectors.seasons import find_part
from league.apps.competitions.selectors.standings import compute_standings
from league.apps.competitions.selectors.summaries import count_missing_results, find_current_rounds
from league.apps.competitions.services.competitions import (
    cancel_competition,
    change_competition,
    finish_competition,
    revise_standings,
    start_competition,
)
from league.apps.competitions.services.listed_entries import find_rating_differences
from league.apps.competitions.services.manual_pairing import make_round_by_hand, publish_checked_round
from league.apps.competitions.services.pairing import RoundProposal, run_with_proposal
from league.apps.competitions.services.pairing_jobs import is_paired_by_worker, request_pairing
from league.apps.competitions.services.regulations import (
    ConfirmationNeeded,
    find_last_fixed_round,
    leave_regulations,
)
from league.apps.competitions.services.rounds import (
    NewRound,
    find_round,
    is_played,
    make_proposed_round,
    undo_round,
)
from league.core.errors import Refused, RungsError
from league.core.game_words import knows_draws, may_have_chess
from league.core.players.listed_people import RATING_OF_LEAGUE, list_rating_lists
from league.core.rules.selectors.rules import load_system_in_force
from league.models import League
from league.web.organiser.forms import FormOutcome, get_form_key, get_request_username, parse_whole_number, run_once
from league.web.organiser.panels import AttachedNote, load_attached_notes
from league.web.organiser.previewed_actions import pop_undo
from league.web.organiser.site import add_error_message, organiser_page, show
from league.web.sign_in.sessions import viewer_of
from ratings.registry import get_pairing_format
from ratings.standings.ranking import StandingsRow, find_deciding_codes

#: An action: of the request, the league's id, the slug and the number of a round; it returns a message.
Action = Callable[[HttpRequest, int, str, int], str]
#: Rows of the standings on the page; the public page has all.
MAX_STANDINGS = 64


@organiser_page("record")
def list_all(request: HttpRequest, league: League) -> HttpResponse:
    """List the competitions of a league; those of a season are on its page."""
    arbitrates = viewer_of(request).may("arbitrate", league)
    found = list_competitions(league, for_organisers=arbitrates).filter(season_parts__isnull=True)
    competitions = list(find_current_rounds(found))
    groups = [
        (label, [one for one in competitions if one.status in statuses])
        for label, statuses in (
            (_("Running"), (Competition.Status.RUNNING,)),
            (_("Before the start"), (Competition.Status.DRAFT, Competition.Status.OPEN)),
            (_("Past"), (Competition.Status.FINISHED, Competition.Status.CANCELLED)),
        )
    ]
    running, *others = groups
    return show(
        request,
        league,
        "apps/competitions/organiser/competitions.html",
        "competitions",
        running=[running] if running[1] else [],
        others=[(label, rows) for label, rows in others if rows],
        formats={one.format: get_pairing_format(one.format).title for one in competitions},
        missing=count_missing_results(league),
        seasons=load_seasons(league, for_organisers=arbitrates),
        halls=list_halls(league) if arbitrates else (),
        arbitrates=arbitrates,
    )


def load_for_viewer(request: HttpRequest, league: League, slug: str) -> LoadedCompetition:
    """Return a competition as the user may see it; raises NotFound. Drafts and proposals are for arbiters only."""
    arbitrates = viewer_of(request).may("arbitrate", league)
    loaded = load_competition(find_competition(league, slug, for_organisers=arbitrates))
    return loaded if arbitrates else loaded.hide_unpublished()


@organiser_page("record")
def show_now(request: HttpRequest, league: League, competition: str) -> HttpResponse:
    """Show the state and the next step, or carry out a step."""
    loaded = load_for_viewer(request, league, competition)
    found = loaded.competition
    if request.method == "POST":
        return _carry_out(request, league, found)
    number = parse_whole_number(request.GET.get("round", ""), 3)
    current = find_current_round(loaded)
    number = number if number in loaded.rounds else current
    step = find_next_step(loaded)
    context = {
        **build_frame(request, loaded),
        "season": part.season if (part := find_part(found)) else None,
        "step": step,
        "state_of_round": describe_shown_round(loaded, number, step),
        "shown_round": loaded.rounds.get(number or 0),
        "current_round": current,
        "rounds": list(loaded.rounds),
        "outdated": _describe_outdated_pairings(loaded),
        "overdue": build_fixture_rows(loaded, list_undecided_fixtures(loaded)),
        "is_revisable": found.status == Competition.Status.FINISHED and standings_differ(found),
        "undoable": _find_undoable_round(loaded),
        "standings": _build_standings(loaded),
        "entrants": [] if loaded.fixtures else [build_entry_name(entry) for entry in loaded.entries.values()],
        "once": get_form_key(request, new=True),
        "undo": pop_undo(request, league),
        "halls": list_evenings_now(found) if viewer_of(request).may("arbitrate", league) else (),
        "brought": _count_brought_ratings(request, loaded),
        "rating_differences": _count_rating_differences(request, loaded),
        "months": list_months(loaded),
        "rating_advice": describe_rating_tie_breaks(found),
        **build_round_context(
            loaded,
            number,
            for_organisers=viewer_of(request).may("arbitrate", league),
            reported=load_attached_notes(request, league),
        ),
    }
    return show(request, league, "apps/competitions/organiser/now.html", "competitions", **context)


def build_frame(request: HttpRequest, loaded: LoadedCompetition) -> dict[str, Any]:
    """Return the context of the heading of a competition's pages."""
    competition = loaded.competition
    return {
        "competition": competition,
        "loaded": loaded,
        "format_title": get_pairing_format(competition.format).title,
        "arbitrates": viewer_of(request).may("arbitrate", competition.league),
        "colours": list_colours_of(competition),
        "is_paired_by_rounds": competition.format in FORMATS_WITH_BYES,
        "is_before_start": competition.status in (Competition.Status.DRAFT, Competition.Status.OPEN),
        "withdrawn": sum(entry.status == Entry.Status.WITHDRAWN for entry in loaded.entries.values()),
    }


def build_round_context(
    loaded: LoadedCompetition,
    number: int | None,
    *,
    for_organisers: bool,
    reported: Mapping[int, AttachedNote] = MappingProxyType({}),
) -> dict[str, Any]:
    """Return the context of a round's fixtures; each open one has the key of its form."""
    competition = loaded.competition
    one_round = loaded.rounds.get(number or 0)
    reasons = list_reasons(one_round) if one_round else []
    breaches = describe_breaches(loaded, number, for_organisers=for_organisers) if number else []
    rows = build_fixture_rows(
        loaded,
        list_shown_fixtures(loaded, number),
        reasons=reasons,
        breaches=[(breach.fixtures, breach.sentence) for breach in breaches],
        round_number=number,
        reported=reported,
    )
    is_proposal = one_round is not None and one_round.published_at is None
    if not is_proposal:
        # What is still to be entered comes first.
        rows.sort(key=lambda row: not row.is_open)
    loose = build_fixture_rows(loaded, list_shown_fixtures(loaded, None), reported=reported) if number else []
    with_draw = knows_draws(competition.league)
    return {
        "fixtures": [(row, uuid4().hex, list_quick_results(row, with_draw=with_draw)) for row in rows],
        "loose": [(row, uuid4().hex, list_quick_results(row, with_draw=with_draw)) for row in loose],
        "round_breaches": [
            *(reason.explain() for reason in reasons if not reason.entries),
            *(breach.sentence for breach in breaches if not breach.fixtures),
        ],
        "round_notes": describe_round(loaded, number) if number else [],
        "is_proposal": is_proposal,
        "unpaired": list_unpaired(loaded, number) if is_proposal and number else [],
        # What all games of a round share is said once.
        "shared_start": _find_shared([row.state.starts_at for row in rows if row.is_meeting]),
        "shared_deadline": _find_shared(
            [row.state.deadline for row in rows if row.is_open and not row.state.is_overdue]
        ),
        "level": find_level_matches(loaded, loaded.list_fixtures(number)) if number else set(),
        "is_quick": takes_quick_results(load_system_in_force(competition.league), competition.players_of_seat),
        "is_fixed": number is not None and number <= find_last_fixed_round(competition),
    }


def _find_shared(times: Sequence[datetime | None]) -> datetime | None:
    """Return the time that two games or more have in common, or None."""
    return times[0] if len(times) > 1 and len(set(times)) == 1 else None


def _describe_outdated_pairings(loaded: LoadedCompetition) -> list[tuple[str, int | None]]:
    """Return a sentence for each round that no longer follows from the results before it; of drawn ones the number."""
    template = _("Round {number} stands as it was published. Results before it were corrected since.")
    return [
        (describe_difference(loaded, one), None)
        if one.stands or one.follows
        else (template.format(number=one.round), one.round)
        for one in list_outdated_pairings(loaded)
    ]


def _compare(competition: Competition, number: int) -> str:
    """Return how a round differs from what the rules would pair now, without a lock or a transaction."""
    find_round(competition, number)
    if is_paired_by_worker(competition):
        raise Refused(_("Rounds of so many entries are not paired again to compare them."))
    loaded = load_competition(competition)
    difference = compare_with_rules(loaded, number)
    if difference is None:
        return _("By the rules, round {number} would be paired as it stands.").format(number=number)
    return describe_difference(loaded, difference)


def _find_undoable_round(loaded: LoadedCompetition) -> int | None:
    """Return the last round if nothing of it was played and it was paired from results."""
    number = max(loaded.rounds, default=None)
    if number is None or loaded.data.predetermined or any(map(is_played, loaded.list_fixtures(number))):
        return None
    return number


def _count_brought_ratings(request: HttpRequest, loaded: LoadedCompetition) -> int:
    """Return how many ratings that were brought along an organiser can make initial ratings at the start."""
    status, competition = Competition.Status, loaded.competition
    if competition.status not in (status.DRAFT, status.OPEN) or not viewer_of(request).may(
        "organise", competition.league
    ):
        return 0
    return len(list_brought_ratings(competition))


def _count_rating_differences(request: HttpRequest, loaded: LoadedCompetition) -> int:
    """Return how many ratings differ from the lists, which an arbiter wants to know until the end.

    Lists are of chess, and whoever plays with the league's ratings is not asked about others.
    """
    competition, status = loaded.competition, Competition.Status
    ended = competition.status in (status.FINISHED, status.CANCELLED)
    if ended or not competition.rating_checks or not viewer_of(request).may("arbitrate", competition.league):
        return 0
    if not may_have_chess(competition.league) or not list_rating_lists():
        return 0
    return sum(one.rating_from != RATING_OF_LEAGUE for one in find_rating_differences(loaded))


def _build_standings(loaded: LoadedCompetition) -> dict[str, Any] | None:
    if not any(state.status in ("played", "forfeited") for state in loaded.fixtures):
        return None
    standings = compute_standings(loaded)
    decimals = count_decimals(row.points for row in standings.rows)
    deciding = find_deciding_codes(standings)
    # As the public table has them.
    columns = {column.code: column for column in list_columns(standings)}
    return {
        "rows": [
            (
                row,
                loaded.name(row.entry),
                format_in_column(row.points, decimals),
                _describe_values(row, deciding.get(row.entry, ()), columns),
            )
            for row in standings.rows[:MAX_STANDINGS]
        ],
        "more": max(len(standings.rows) - MAX_STANDINGS, 0),
        "legend": [
            column
            for code, column in columns.items()
            if not column.is_named and any(code in codes for codes in deciding.values())
        ],
    }


def _describe_values(row: StandingsRow, codes: Sequence[str], columns: Mapping[str, TieBreakColumn]) -> str:
    """Return the values of some tie-breaks as their columns have them: BH 7.5 · SB 6.0."""
    values = ((columns[code], row.values[code]) for code in codes if code in columns)
    return " · ".join(
        f"{column.head} {format_in_column(value, column.decimals)}" for column, value in values if value is not None
    )


def _carry_out(request: HttpRequest, league: League, competition: Competition) -> HttpResponse:
    """Carry out the step of the pressed button, and show the page again."""
    if not viewer_of(request).may("arbitrate", league):
        raise PermissionDenied
    name, number = request.POST.get("step", ""), parse_whole_number(request.POST.get("round", ""), 3) or 0
    try:
        if name not in ACTIONS and name not in ("pair", "compare"):
            raise Refused(_("Nothing was done; press a button of this page."))
        if name == "compare":
            messages.info(request, _compare(competition, number))
            return HttpResponseRedirect(build_now_address(league, competition.slug))
        if name == "pair" and is_paired_by_worker(competition):
            outcome = run_once(request, lambda: {"job": _request_pairing(request, league.pk, competition.slug, number)})
            return HttpResponseRedirect(reverse("desk:job", args=[league.slug, outcome.answer["job"]]))

        def act(proposal: RoundProposal | None) -> FormOutcome:
            action = partial(_pair, proposal) if name == "pair" else ACTIONS[name]
            return run_once(request, lambda: {"message": action(request, league.pk, competition.slug, number)})

        outcome = run_with_proposal(league.pk, competition.slug, act, confirmed=list_confirmed(request))
        messages.success(request, str(outcome.answer["message"]))
    except ConfirmationNeeded as needed:
        return ask_confirmation(request, competition, needed)
    except RungsError as error:
        add_error_message(request, error)
        if any(one.pointer == "/reason" for one in error.problems):
            # The settings have the field.
            address = reverse("desk:competition_settings", args=[league.slug, competition.slug])
            return HttpResponseRedirect(f"{address}?{urlencode({'unreasoned': name})}")
    return HttpResponseRedirect(build_now_address(league, competition.slug))


def build_now_address(league: League, slug: str, state: FixtureState | None = None) -> str:
    """Return the address of the page of a competition, there of a fixture in its round."""
    address = reverse("desk:competition", args=[league.slug, slug])
    if state is None:
        return address
    return f"{address}?round={state.round}#f{state.number}" if state.round else f"{address}#f{state.number}"


def _start(request: HttpRequest, league_id: int, slug: str, number: int) -> str:
    use_ratings = "use_ratings" in request.POST
    if use_ratings and not viewer_of(request).may("organise", League.objects.get(pk=league_id)):
        raise PermissionDenied
    start_competition(league_id, slug, by=get_request_username(request), use_ratings=use_ratings)
    return _("The competition has started.")


def _pair(proposal: RoundProposal | None, request: HttpRequest, league_id: int, slug: str, number: int) -> str:
    made = make_proposed_round(league_id, slug, proposal, _build_new_round(request, number))
    return _("Round {number} is paired. Look at it, then publish it.").format(number=made.number)


def _build_new_round(request: HttpRequest, number: int) -> NewRound:
    return NewRound(get_request_username(request), number=number or None, confirmed=list_confirmed(request))


def _request_pairing(request: HttpRequest, league_id: int, slug: str, number: int) -> str:
    job = request_pairing(league_id, slug, _build_new_round(request, number))
    return str(job.pk)


def _publish(request: HttpRequest, league_id: int, slug: str, number: int) -> str:
    by, confirmed = get_request_username(request), list_confirmed(request)
    publish_checked_round(league_id, slug, number, by=by, confirmed=confirmed)
    return _("Round {number} is published.").format(number=number)


def _make_by_hand(request: HttpRequest, league_id: int, slug: str, number: int) -> str:
    made = make_round_by_hand(league_id, slug, _build_new_round(request, number))
    return _("Round {number} is yours to pair: add who meets whom, then publish it.").format(number=made.number)


def _undo_round(request: HttpRequest, league_id: int, slug: str, number: int) -> str:
    undo_round(league_id, slug, number, by=get_request_username(request))
    return _("Round {number} was undone.").format(number=number)


def _finish(request: HttpRequest, league_id: int, slug: str, number: int) -> str:
    finish_competition(league_id, slug, by=get_request_username(request))
    return _("The competition is finished; its final standings are published.")


def _cancel(request: HttpRequest, league_id: int, slug: str, number: int) -> str:
    cancel_competition(league_id, slug, by=get_request_username(request), reason=request.POST.get("reason", ""))
    return _("The competition is cancelled. Its recorded games stay.")


def _revise(request: HttpRequest, league_id: int, slug: str, number: int) -> str:
    edition = revise_standings(league_id, slug, by=get_request_username(request), reason=request.POST.get("reason", ""))
    return _("Edition {number} of the final standings is published.").format(number=edition.number)


def _leave(request: HttpRequest, league_id: int, slug: str, number: int) -> str:
    leave_regulations(
        league_id,
        slug,
        by=get_request_username(request),
        reason=request.POST.get("reason", ""),
        confirmed=list_confirmed(request),
    )
    return _("The competition is no longer held to the regulations.")


def _open(request: HttpRequest, league_id: int, slug: str, number: int) -> str:
    change_competition(league_id, slug, {"status": "open"}, by=get_request_username(request))
    return _("The competition is public, and entries are open.")


def _close(request: HttpRequest, league_id: int, slug: str, number: int) -> str:
    change_competition(league_id, slug, {"status": "draft"}, by=get_request_username(request))
    return _("The competition is a draft again; only arbiters see it.")


ACTIONS: dict[str, Action] = {
    "start": _start,
    "publish": _publish,
    "by_hand": _make_by_hand,
    "undo": _undo_round,
    "finish": _finish,
    "cancel": _cancel,
    "revise": _revise,
    "leave": _leave,
    "open": _open,
    "close": _close,
}
