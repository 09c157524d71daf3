"""The public pages of a league's experiments and their results."""

from datetime import date
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from league.apps.laboratory.example import build_example
from league.apps.laboratory.experiment_plots import draw_calibration, draw_level, draw_newcomers
from league.apps.laboratory.findings import MEASURES, FindingRow, ReportFindings, build_findings
from league.apps.laboratory.selectors.experiments import find_experiment, list_experiments
from league.apps.laboratory.services.questions import ExperimentQuestion
from league.apps.laboratory.verdict import name_systems
from league.core.jobs.selectors import compute_progress, may_cancel
from league.core.leagues.typed_parameters import format_parameters
from league.core.text.display_formats import format_day, format_number, format_percentage
from league.models import Job, League
from league.web.public.files import Rows, answer
from league.web.public.user_actions import PageAction, build_rule_url
from league.web.public.views.base import build_league_context, public_page
from league.web.sign_in.sessions import viewer_of
from ratings.contract.system import RatingSystem
from ratings.registry import load_systems

ROWS = settings.RUNGS_PAGE_SIZES["experiments"]


@public_page
def laboratory(request: HttpRequest, slug: str) -> HttpResponse:
    """List the experiments of a league with their results, newest first."""
    league, system, context = build_league_context(request, slug, "how", below=True)
    pages = Paginator(list_experiments(league).defer(None), ROWS).get_page(request.GET.get("page"))
    lines = [_build_line(job, system) for job in pages.object_list]
    example = None if lines else build_example()
    actions = _list_actions(league) if viewer_of(request).may("organise", league) and context["rules"] else []
    return render(
        request,
        "apps/laboratory/laboratory.html",
        {**context, "lines": lines, "pages": pages, "example": example, "acts": actions},
    )


def _list_actions(league: League) -> list[PageAction]:
    return [
        PageAction(_("New experiment"), reverse("desk:laboratory", args=[league.slug])),
        PageAction(_("League health check"), reverse("pages:health", args=[league.slug])),
    ]


@public_page
def experiment(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Show the results of an experiment, or its progress; the script loads only the part that changes."""
    league, system, context = build_league_context(request, slug, "how", below=True)
    job = find_experiment(league, name)
    line = _build_line(job, system)
    findings: ReportFindings | None = line["found"]
    viewer = viewer_of(request)
    details: dict[str, Any] = {
        "line": line,
        "asked": _list_settings(job),
        "found": findings,
        "cancels": job.ended_at is None and not job.cancelled_by and may_cancel(viewer, job),
        "acts": [],
    }
    if findings:
        details |= _draw_plots(findings)
        organises = viewer.may("organise", league)
        details["entrants"] = [
            {
                "row": row,
                "level": draw_level(league, row),
                "acts": _list_row_actions(league, system, findings, row) if organises else [],
                "own": system is not None and _identify_row(row) == (system.key, system.to_json()),
            }
            for row in findings.rows
            if not row.baseline
        ]
    template = "apps/laboratory/experiment_part.html" if "part" in request.GET else "apps/laboratory/experiment.html"
    return answer(request, template, {**context, **details}, _build_tables(findings) if findings else {})


def _identify_row(row: FindingRow) -> tuple[str, Any]:
    return row.data["key"], row.data["parameters"]


def _list_row_actions(
    league: League, system: RatingSystem | None, findings: ReportFindings, row: FindingRow
) -> list[PageAction]:
    """Return links that use a tested system: a filled-in form for a rule, which previews it first, or a second board.

    The current rule has none, and fitted parameters whose gain does not hold on later games cannot be adopted.
    """
    key, parameters = _identify_row(row)
    if key not in load_systems():
        return []
    actions = []
    unproven = [fit.parameters for fit in findings.fits if not fit.holds]
    if system is not None and (key, parameters) != (system.key, system.to_json()) and parameters not in unproven:
        label = _("Preview as the league's rule") if key == system.key else _("Adopt from …")
        actions.append(PageAction(label, build_rule_url(league, key, parameters)))
    if system is None or key != system.key:
        query = urlencode({"system": key, "parameters": format_parameters(key, parameters)})
        address = f"{reverse('desk:second_board', args=[league.slug])}?{query}"
        actions.append(PageAction(_("Show as a second board"), address))
    return actions


def _build_line(job: Job, system: RatingSystem | None) -> dict[str, Any]:
    question = ExperimentQuestion.from_json(job.arguments["question"])
    own = None if system is None else (system.key, system.to_json())
    findings = None if job.result is None else build_findings(job.result, own=own)
    if findings:
        names = [row.name for row in findings.rows if not row.baseline] + [name for name, _why in findings.refused]
    else:
        names = list(name_systems([(candidate.label, candidate.system) for candidate in question.candidates]).values())
    return {
        "job": job,
        "names": names,
        "labels": [candidate.label_with_fit for candidate in question.candidates],
        "percent": round(100 * compute_progress(job)),
        "found": findings,
    }


def _list_settings(job: Job) -> list[tuple[str, str]]:
    data = job.arguments["question"]
    games, share = data["warm_up_games"], data["warm_up_share"]
    question = ExperimentQuestion.from_json(data)
    fitted = []
    if question.fits_parameters:
        until = question.until
        label = (
            _("games before {day}").format(day=format_day(until))
            if isinstance(until, date)
            else format_percentage(until)
        )
        fitted = [(_("Games used for fitting"), label)]
    return [
        (_("Games from"), format_day(question.first) if question.first else _("the first game")),
        (_("Games before"), format_day(question.before) if question.before else _("the time of the experiment")),
        (_("Warm-up"), format_percentage(share) if games is None else format_number(games)),
        (_("Resamples for the intervals"), format_number(question.draws)),
        *fitted,
    ]


def _draw_plots(findings: ReportFindings) -> dict[str, Any]:
    return {
        "calibration": draw_calibration(findings.rows),
        "promising": [row for row in findings.rows if row.data["calibration"] and not row.baseline],
        "newcomers": draw_newcomers(findings.rows),
        "entering": [row for row in findings.rows if row.data["newcomers"] and not row.baseline],
    }


def _build_tables(findings: ReportFindings) -> dict[str, Rows]:
    columns = [
        (f"{measure.key}{suffix}", measure.key, end)
        for measure in MEASURES
        for suffix, end in (("", "value"), ("_low", "low"), ("_high", "high"))
    ]

    def measures() -> list[dict[str, Any]]:
        return [
            {"label": row.data["label"], **{column: row.data[key][end] for column, key, end in columns}}
            for row in findings.rows
        ]

    def lines(name: str) -> list[dict[str, Any]]:
        return [{"label": row.data["label"], **line} for row in findings.rows for line in row.data[name]]

    return {"measures": measures, **{name: partial(lines, name) for name in ("calibration", "inflation", "newcomers")}}
