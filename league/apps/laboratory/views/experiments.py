"""The laboratory of a league: its experiments, and what each of them found."""

from datetime import date
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.dateparse import parse_date
from django.utils.translation import gettext as _

from league.apps.laboratory.experiment_plots import calibration_of, levels_of, newcomers_of
from league.apps.laboratory.findings import ReportFindings, findings_of
from league.apps.laboratory.selectors.experiments import experiments_of, find_experiment
from league.apps.laboratory.services.questions import ExperimentQuestion
from league.core.jobs.selectors import may_cancel, progress_of
from league.core.leagues.typed_parameters import format_parameters
from league.core.text.numbers import number, percentage
from league.core.text.timestamps import day_of
from league.models import Job, League
from league.web.public.files import Rows, answer
from league.web.public.user_actions import PageAction, rule_address
from league.web.public.views.base import frame, page
from league.web.viewer import viewer_of
from ratings.contract.system import RatingSystem
from ratings.registry import all_systems

ROWS = settings.RUNGS_PAGE_SIZES["experiments"]


@page
def laboratory(request: HttpRequest, slug: str) -> HttpResponse:
    """List the experiments of a league, the newest first."""
    league, _system, context = frame(request, slug, "how", below=True)
    pages = Paginator(experiments_of(league), ROWS).get_page(request.GET.get("page"))
    lines = [line_of(job) for job in pages.object_list]
    acts = asking(league) if viewer_of(request).may("organise", league) and context["rules"] else []
    return render(request, "apps/laboratory/laboratory.html", {**context, "lines": lines, "pages": pages, "acts": acts})


def asking(league: League) -> list[PageAction]:
    """Return what an organiser may ask of the laboratory."""
    return [
        PageAction(_("New experiment"), reverse("desk:laboratory", args=[league.slug])),
        PageAction(_("League health check"), reverse("pages:health", args=[league.slug])),
    ]


@page
def experiment(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Show what an experiment found, or how far it is; for the script only what moves."""
    league, system, context = frame(request, slug, "how", below=True)
    job = find_experiment(league, name)
    found = None if job.result is None else findings_of(job.result)
    viewer = viewer_of(request)
    told: dict[str, Any] = {
        "line": line_of(job),
        "asked": asked_of(job),
        "found": found,
        "cancels": job.ended_at is None and not job.cancelled_by and may_cancel(viewer, job),
        "acts": adopting(league, system, found) if found and viewer.may("organise", league) else [],
        **(drawn(league, found) if found else {}),
    }
    template = "apps/laboratory/experiment_part.html" if "part" in request.GET else "apps/laboratory/experiment.html"
    return answer(request, template, {**context, **told}, tables_of(found) if found else {})


def adopting(league: League, system: RatingSystem | None, found: ReportFindings) -> list[PageAction]:
    """Return what leads from an experiment to a rule: the rules' page with the parameters that were tried filled in.

    Only where they are others than those in force; what was fitted only where its gain holds on later games. What such
    a rule would do is shown there before anything is written.
    """
    now = None if system is None else (system.key, system.to_json())
    unproven = [one.parameters for one in found.fits if not one.holds]
    acts = []
    for row in found.rows:
        key, tried = row.data["key"], row.data["parameters"]
        if now is not None and key in all_systems() and (key, tried) != now and tried not in unproven:
            label = _("Preview {system} as the league's rule") if key == now[0] else _("Adopt {system} from …")
            acts.append(PageAction(label.format(system=row.label), rule_address(league, key, tried)))
    return acts + beside_own(league, system, found)


def beside_own(league: League, system: RatingSystem | None, found: ReportFindings) -> list[PageAction]:
    """Return what leads from an experiment to the second board, by what was tried of other systems."""
    acts = []
    for row in found.rows:
        key, tried = row.data["key"], row.data["parameters"]
        if key in all_systems() and (system is None or key != system.key):
            query = urlencode({"system": key, "parameters": format_parameters(key, tried)})
            address = f"{reverse('desk:second_board', args=[league.slug])}?{query}"
            acts.append(PageAction(_("Show {system} as a second board").format(system=row.label), address))
    return acts


def line_of(job: Job) -> dict[str, Any]:
    """Return an experiment as a line: what it compares, and how far it is in per cent."""
    question = ExperimentQuestion.of_json(job.arguments["question"])
    return {"job": job, "labels": [one.asked for one in question.candidates], "percent": round(100 * progress_of(job))}


def asked_of(job: Job) -> list[tuple[str, str]]:
    """Return over which games an experiment was made, in words."""
    kept = job.arguments["question"]
    first, before = (parse_date(kept[name]) if kept[name] else None for name in ("from", "to"))
    games, share = kept["warm_up_games"], kept["warm_up_share"]
    question = ExperimentQuestion.of_json(kept)
    fitted = []
    if question.fits:
        until = question.until
        words = _("games before {day}").format(day=day_of(until)) if isinstance(until, date) else percentage(until)
        fitted = [(_("Games used for fitting"), words)]
    return [
        (_("Games from"), day_of(first) if first else _("the first game")),
        (_("Games before"), day_of(before) if before else _("the time of the experiment")),
        (_("Warm-up"), percentage(share) if games is None else number(games)),
        (_("Resamples for the intervals"), number(kept["draws"])),
        *fitted,
    ]


def drawn(league: League, found: ReportFindings) -> dict[str, Any]:
    """Return what is drawn of a report."""
    newcomers = newcomers_of(found.rows)
    return {
        "calibration": calibration_of(found.rows),
        "promising": [row for row in found.rows if row.data["calibration"] and not row.baseline],
        "newcomers": newcomers,
        "entering": [row for row in found.rows if row.data["newcomers"] and not row.baseline],
        "levels": levels_of(league, found.rows),
    }


def tables_of(found: ReportFindings) -> dict[str, Rows]:
    """Return the tables of a report as files have them: whole figures, names of programs."""
    plain = ("order_accuracy", "log_loss", "brier", "score_error")

    def measures() -> list[dict[str, Any]]:
        return [
            {
                "label": row.data["label"],
                **{
                    f"{name}{'' if part == 'value' else '_' + part}": row.data[name][part]
                    for name in plain
                    for part in ("value", "low", "high")
                },
            }
            for row in found.rows
        ]

    def lines(name: str) -> list[dict[str, Any]]:
        return [{"label": row.data["label"], **one} for row in found.rows for one in row.data[name]]

    return {"measures": measures, **{name: partial(lines, name) for name in ("calibration", "inflation", "newcomers")}}
