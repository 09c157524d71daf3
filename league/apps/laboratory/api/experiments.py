"""Experiments: several rating systems on a league's own games, beside its books."""

from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.fields import empty
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from league.apps.laboratory.selectors.experiments import experiments_of, find_experiment
from league.apps.laboratory.services.questions import (
    DRAWS,
    MAX_CANDIDATES,
    MAX_DRAWS,
    MAX_EARLIER_SHARE,
    MAX_FITTED_PARAMETERS,
    MAX_GAMES,
    MAX_SHARE,
    MIN_DRAWS,
    MIN_EARLIER_SHARE,
    SHARE,
    UNTIL,
    ExperimentQuestion,
    checked_question,
)
from league.apps.laboratory.services.request_experiments import ask_experiment
from league.core.jobs.selectors import progress_of
from league.core.jobs.services.cancel import cancel_job
from league.models import Job
from league.web.api.core.base import Endpoint
from league.web.api.core.idempotency import keyed
from league.web.api.core.inputs import (
    Figures,
    JsonNumberField,
    JsonTextField,
    StrictSerializer,
    TextListField,
    WholeNumberField,
)
from league.web.api.core.schemas import ProblemShape, Shape
from league.web.api.jobs import JobShape, render_job, render_problem
from league.web.api.openapi.examples import READ, lists, request_example, writes


class CandidateInput(StrictSerializer):
    """A rating system with parameters; those left out are as declared."""

    system = JsonTextField(max_length=40)
    parameters = Figures(required=False, default=dict)
    fit = TextListField(
        most=MAX_FITTED_PARAMETERS,
        required=False,
        default=list,
        help_text="Names of parameters that are sought on the earlier games; the system then counts twice.",
    )


class ExperimentInput(StrictSerializer):
    """What to compare, over which games."""

    candidates = CandidateInput(
        many=True,
        allow_empty=False,
        help_text=f"1 to {MAX_CANDIDATES} systems; the first is what others are compared with.",
    )
    from_ = s.DateField(
        required=False, allow_null=True, default=None, help_text="Games from this day of the league on; null: all."
    )
    to = s.DateField(
        required=False, allow_null=True, default=None, help_text="Games before this day of the league; null: all."
    )
    warm_up_games = WholeNumberField(
        min_value=0,
        max_value=MAX_GAMES,
        required=False,
        allow_null=True,
        default=None,
        help_text="Number of first games in which ratings settle; they are not evaluated.",
    )
    warm_up_share = JsonNumberField(
        min_value=0,
        max_value=MAX_SHARE,
        required=False,
        allow_null=True,
        default=None,
        help_text=f"The same as a share of the games; where neither is said, {SHARE}.",
    )
    draws = WholeNumberField(
        min_value=MIN_DRAWS,
        max_value=MAX_DRAWS,
        required=False,
        default=DRAWS,
        help_text="Number of random resamples of the days of play for the intervals.",
    )

    until = s.DateField(
        required=False,
        allow_null=True,
        default=None,
        help_text="Where anything is fitted: the games before this day are the earlier ones, on which it is sought.",
    )
    until_share = JsonNumberField(
        min_value=MIN_EARLIER_SHARE,
        max_value=MAX_EARLIER_SHARE,
        required=False,
        allow_null=True,
        default=None,
        help_text=f"The same as a share of the games; where neither is said, {UNTIL}. The warm-up is then theirs.",
    )

    def run_validation(self, data: Any = empty) -> Any:
        """Look at how many candidates there are before looking into each."""
        given = data.get("candidates") if isinstance(data, dict) else None
        if isinstance(given, list) and len(given) > MAX_CANDIDATES:
            sentence = f"1 to {MAX_CANDIDATES} systems make an experiment; these are {len(given):,}."
            raise s.ValidationError({"candidates": [s.ErrorDetail(sentence, "too_many")]})
        return super().run_validation(data)

    @staticmethod
    def question(data: dict[str, Any]) -> ExperimentQuestion:
        """Return the question as the service takes it; raises Invalid."""
        names = ("warm_up_games", "warm_up_share", "draws", "until", "until_share")
        return checked_question(
            data["candidates"], first=data["from"], before=data["to"], **{name: data[name] for name in names}
        )


def limit_candidates(document: dict[str, Any]) -> None:
    """Add to the OpenAPI document how many candidates an experiment takes."""
    question = document["components"]["schemas"]["ExperimentInputRequest"]
    question["properties"]["candidates"] |= {"minItems": 1, "maxItems": MAX_CANDIDATES}


class CandidateShape(Shape):
    """A rating system with all of its parameters."""

    label_ = s.CharField(help_text="The system's title, with the parameters that are not as declared.")
    system = s.CharField()
    parameters = s.DictField()
    fit = s.ListField(child=s.CharField(), help_text="Parameters that are sought on the earlier games.")


class ExperimentShape(Shape):
    """An experiment: what it compares over which games, and how far it is (``progress`` from 0 to 1)."""

    id = s.UUIDField(help_text="Of its job, too.")
    url = s.URLField()
    league = s.CharField()
    state = s.ChoiceField(choices=Job.State.choices)
    phase = s.CharField()
    progress = s.FloatField()
    candidates = CandidateShape(many=True)
    to = s.DateField(allow_null=True, help_text="Games before this day; null: up to when it was made.")
    warm_up_games = s.IntegerField(allow_null=True)
    warm_up_share = s.FloatField(allow_null=True)
    draws = s.IntegerField()
    until = s.DateField(allow_null=True, help_text="Where anything is fitted: the earlier games are before this day.")
    until_share = s.FloatField(allow_null=True, help_text="Or the share of the games that is earlier.")
    asked_at = s.DateTimeField()
    started_at = s.DateTimeField(allow_null=True)
    ended_at = s.DateTimeField(allow_null=True)
    problem = ProblemShape(allow_null=True, help_text="Why it failed.")
    from_ = s.DateField(allow_null=True, help_text="Games from this day on; null: from the first one.")


class ExperimentReportShape(ExperimentShape):
    """An experiment with its report, once it is done."""

    report = s.DictField(
        allow_null=True,
        help_text="Predictions of each system, and fitted values (fits); see docs/organisers/laboratory-measures.md.",
    )


def address_of(request: Request, job: Job) -> str:
    """Return where an experiment is read."""
    return reverse("api:experiment", [job.league.slug, job.pk], request=request)


def render_experiment(request: Request, job: Job) -> dict[str, Any]:
    """Return an experiment as it stands, without its report."""
    question = ExperimentQuestion.of_json(job.arguments["question"])
    candidates = [
        {"label": one.label, "system": one.system, "parameters": one.parameters, "fit": list(one.fit)}
        for one in question.candidates
    ]
    return {
        "id": str(job.pk),
        "url": address_of(request, job),
        "league": job.league.slug,
        "state": job.state,
        "phase": job.phase,
        "progress": progress_of(job),
        **question.to_json(),
        "candidates": candidates,
        "asked_at": job.asked_at,
        "started_at": job.started_at,
        "ended_at": job.ended_at,
        "problem": None if job.problem is None else render_problem(job.problem),
    }


ASKED = {
    "candidates": [{"system": "elo"}, {"system": "elo", "parameters": {"k": 40}}, {"system": "glicko2"}],
    "from": "2015-01-01",
    "warm_up_share": 0.2,
}
FITTED = {"candidates": [{"system": "elo", "fit": ["k"]}, {"system": "glicko2"}], "until_share": 0.5}


class Experiments(Endpoint):
    """The experiments of a league."""

    @lists("list_experiments", ExperimentShape, "Experiment")
    def get(self, request: Request, league: str) -> Response:
        """List the experiments of a league without their reports, newest first."""
        the_league = self.league(league)
        found = experiments_of(the_league).select_related("league")
        return self.listed(found, lambda job: render_experiment(request, job))

    @writes(
        "ask_experiment",
        ExperimentInput,
        {202: JobShape},
        request_example("Three systems", ASKED),
        request_example("Fitting", FITTED),
    )
    @keyed()
    def post(self, request: Request, league: str) -> HttpResponse:
        """Test systems on the league's rated games in the background; the league is not changed.

        Parameters that a candidate names in `fit` are sought on the earlier games; all are judged on the later ones.
        The job is answered; Location is where the experiment with its report is read. At most three of a league are
        under way at once.
        """
        the_league = self.bare_league(league, "organise")
        question = ExperimentInput.question(self.body(ExperimentInput))

        job = ask_experiment(the_league, question, by=self.viewer.name)
        return Response(render_job(request, job), status=202, headers={"Location": address_of(request, job)})


class OneExperiment(Endpoint):
    """An experiment."""

    @extend_schema(operation_id="get_experiment", responses={200: ExperimentReportShape, **READ})
    def get(self, request: Request, league: str, experiment: str) -> Response:
        """Read the progress of an experiment, and its report once done; for anyone who can see the league."""
        the_league = self.bare_league(league)
        job = find_experiment(the_league, experiment)
        headers = {} if job.ended_at else {"Retry-After": "1"}
        return Response({**render_experiment(request, job), "report": job.result}, headers=headers)


class CancelExperiment(Endpoint):
    """Having an experiment stop."""

    @writes("cancel_experiment", None, {200: ExperimentShape})
    @keyed()
    def post(self, request: Request, league: str, experiment: str) -> Response:
        """Cancel an experiment: at once if it is waiting, at its next step if it is running; there is no report."""
        the_league = self.bare_league(league, "organise")
        job = find_experiment(the_league, experiment)
        cancel_job(job, by=self.viewer.name)
        return Response(render_experiment(request, find_experiment(the_league, experiment)))
