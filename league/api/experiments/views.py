"""Experiments: several rating systems on a league's own games, beside its books."""

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from league.api.core.base import Endpoint, paged, query
from league.api.core.idempotency import PARAMETER, once
from league.api.core.schemas import page_of
from league.api.experiments.inputs import ExperimentInput
from league.api.experiments.render import address_of, render_experiment, render_report
from league.api.experiments.schemas import ExperimentReportShape, ExperimentShape
from league.api.jobs.render import render_job
from league.api.jobs.schemas import JobShape
from league.api.openapi.examples import PAGED, READ, WRITE, request_example
from league.selectors.experiments import experiments_of, find_experiment
from league.services.jobs.cancelling import cancel_job
from league.services.laboratory.asking import ask_experiment

ASKED = {
    "candidates": [{"system": "elo"}, {"system": "elo", "parameters": {"k": 40}}, {"system": "glicko2"}],
    "from": "2015-01-01",
    "warm_up_share": 0.2,
}
FITTED = {"candidates": [{"system": "elo", "fit": ["k"]}, {"system": "glicko2"}], "until_share": 0.5}


class Experiments(Endpoint):
    """The experiments of a league."""

    @extend_schema(
        operation_id="list_experiments",
        parameters=PAGED,
        responses={200: page_of(ExperimentShape, "Experiment"), **READ},
    )
    def get(self, request: Request, league: str) -> Response:
        """List the experiments of a league without their reports, the newest first."""
        the_league = self.league(league)
        found, following = paged(request, experiments_of(the_league))
        for job in found:
            job.league = the_league
        return Response({"results": [render_experiment(request, job) for job in found], "next": following})

    @extend_schema(
        operation_id="ask_experiment",
        request=ExperimentInput,
        parameters=[PARAMETER],
        responses={202: JobShape, **WRITE},
        examples=[request_example("Three systems", ASKED), request_example("Fitting", FITTED)],
    )
    def post(self, request: Request, league: str) -> HttpResponse:
        """Have a worker try systems on the league's rated games; nothing of the league changes.

        Parameters that a candidate names in `fit` are sought on the earlier games; all are judged on the later ones.
        The job is answered; Location is where the experiment with its report is read. At most three of a league are
        under way at once.
        """
        the_league = self.league(league, "organise")
        query(request, {})
        question = ExperimentInput.question(self.body(ExperimentInput))

        def work() -> Response:
            job = ask_experiment(the_league, question, by=self.viewer.name)
            return Response(render_job(request, job), status=202, headers={"Location": address_of(request, job)})

        return once(request, work)


class OneExperiment(Endpoint):
    """An experiment."""

    @extend_schema(
        operation_id="get_experiment",
        parameters=[OpenApiParameter("experiment", OpenApiTypes.UUID, OpenApiParameter.PATH)],
        responses={200: ExperimentReportShape, **READ},
    )
    def get(self, request: Request, league: str, experiment: str) -> Response:
        """Tell how far an experiment is, and its report once it is done; for whoever may see the league."""
        the_league = self.league(league)
        query(request, {})
        job = find_experiment(the_league, experiment)
        headers = {} if job.ended_at else {"Retry-After": "1"}
        return Response(render_report(request, job), headers=headers)


class CancelExperiment(Endpoint):
    """Having an experiment stop."""

    @extend_schema(
        operation_id="cancel_experiment",
        parameters=[OpenApiParameter("experiment", OpenApiTypes.UUID, OpenApiParameter.PATH)],
        request=None,
        responses={200: ExperimentShape, **WRITE},
    )
    def post(self, request: Request, league: str, experiment: str) -> Response:
        """Have an experiment stop: one that waits ends at once, one that runs at its next step; it leaves no report."""
        the_league = self.league(league, "organise")
        query(request, {})
        job = find_experiment(the_league, experiment)
        cancel_job(job, by=self.viewer.name)
        return Response(render_experiment(request, find_experiment(the_league, experiment)))
