"""API of experiments, which compare rating systems on a league's own games."""

from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.fields import empty
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from league.apps.laboratory.selectors.experiments import find_experiment, list_experiments
from league.apps.laboratory.services.questions import (
    DEFAULT_DRAWS,
    DEFAULT_EARLIER_SHARE,
    DEFAULT_WARM_UP_SHARE,
    MAX_CANDIDATES,
    MAX_DRAWS,
    MAX_EARLIER_SHARE,
    MAX_FITTED_PARAMETERS,
    MAX_WARM_UP_GAMES,
    MAX_WARM_UP_SHARE,
    MIN_DRAWS,
    MIN_EARLIER_SHARE,
    ExperimentQuestion,
    check_question,
)
from league.apps.laboratory.services.request_experiments import request_experiment
from league.core.jobs.selectors import compute_progress
from league.core.jobs.services.cancel import cancel_job
from league.models import Job, Rule
from league.web.api.core.base import Endpoint
from league.web.api.core.idempotency import idempotent
from league.web.api.core.inputs import (
    Figures,
    JsonNumberField,
    StrictSerializer,
    TextListField,
    WholeNumberField,
    build_input_field,
)
from league.web.api.core.schemas import ProblemShape, Shape
from league.web.api.jobs import JobShape, render_job, render_problem
from league.web.api.openapi.described import UUID, Descriptions
from league.web.api.openapi.examples import READ, describe_list, describe_write, request_example

DESCRIPTIONS = Descriptions(
    addressed={"experiment": ("The id of an experiment.", "7a1d4c1e-52b0-4a3f-8a55-0d6f2f2c9b44", UUID)}
)


def _build_day(help_text: str) -> s.DateField:
    """Return the field of a day of the league's time zone, which may be left out."""
    return s.DateField(required=False, allow_null=True, default=None, help_text=help_text)


class CandidateInput(StrictSerializer):
    """A rating system with parameters; omitted ones have their defaults."""

    system = build_input_field(Rule.system.field, required=True)
    parameters = Figures(required=False, default=dict)
    fit = TextListField(
        most=MAX_FITTED_PARAMETERS,
        required=False,
        default=list,
        help_text="Names of parameters to fit to the earlier games; the system then counts twice.",
    )


class ExperimentInput(StrictSerializer):
    """What to compare, over which games."""

    candidates = CandidateInput(
        many=True,
        allow_empty=False,
        help_text=f"1 to {MAX_CANDIDATES} systems; the others are compared with the first.",
    )
    from_ = _build_day("Games from this day on, in the league's time zone; null: all.")
    to = _build_day("Games before this day, in the league's time zone; null: all.")
    warm_up_games = WholeNumberField(
        min_value=0,
        max_value=MAX_WARM_UP_GAMES,
        required=False,
        allow_null=True,
        default=None,
        help_text="Number of games that warm the ratings up and are not evaluated.",
    )
    warm_up_share = JsonNumberField(
        min_value=0,
        max_value=MAX_WARM_UP_SHARE,
        required=False,
        allow_null=True,
        default=None,
        help_text=f"The same as a share of the games; {DEFAULT_WARM_UP_SHARE} if both are omitted.",
    )
    draws = WholeNumberField(
        min_value=MIN_DRAWS,
        max_value=MAX_DRAWS,
        required=False,
        default=DEFAULT_DRAWS,
        help_text="Number of resamples of the evenings for the intervals.",
    )

    until = _build_day(
        "If parameters are fitted: the games before this day are the earlier ones, to which they are fitted."
    )
    until_share = JsonNumberField(
        min_value=MIN_EARLIER_SHARE,
        max_value=MAX_EARLIER_SHARE,
        required=False,
        allow_null=True,
        default=None,
        help_text=(
            f"The same as a share of the games; {DEFAULT_EARLIER_SHARE} if both are omitted. "
            "The warm-up is then part of the earlier games."
        ),
    )

    def run_validation(self, data: Any = empty) -> Any:
        """Check the number of candidates before the candidates themselves."""
        candidates = data.get("candidates") if isinstance(data, dict) else None
        if isinstance(candidates, list) and len(candidates) > MAX_CANDIDATES:
            message = f"An experiment compares 1 to {MAX_CANDIDATES} systems; you sent {len(candidates):,}."
            raise s.ValidationError({"candidates": [s.ErrorDetail(message, "too_many")]})
        return super().run_validation(data)

    @staticmethod
    def question(data: dict[str, Any]) -> ExperimentQuestion:
        """Return the checked question; raises Invalid."""
        names = ("warm_up_games", "warm_up_share", "draws", "until", "until_share")
        return check_question(
            data["candidates"], first=data["from"], before=data["to"], **{name: data[name] for name in names}
        )


def limit_candidates(document: dict[str, Any]) -> None:
    """Add the limits of candidates to the OpenAPI document."""
    question = document["components"]["schemas"]["ExperimentInputRequest"]
    question["properties"]["candidates"] |= {"minItems": 1, "maxItems": MAX_CANDIDATES}


class CandidateShape(Shape):
    """A rating system with all of its parameters."""

    label_ = s.CharField(help_text="The system's title, with the parameters that differ from their defaults.")
    system = s.CharField()
    parameters = s.DictField()
    fit = s.ListField(child=s.CharField(), help_text="Parameters that are fitted to the earlier games.")


class ExperimentShape(Shape):
    """An experiment: its candidates, games and progress (``progress`` from 0 to 1)."""

    id = s.UUIDField(help_text="Also the id of its job.")
    url = s.URLField()
    league = s.CharField()
    state = s.ChoiceField(choices=Job.State.choices)
    phase = s.CharField()
    progress = s.FloatField()
    candidates = CandidateShape(many=True)
    to = s.DateField(allow_null=True, help_text="Games before this day; null: up to the time of the experiment.")
    warm_up_games = s.IntegerField(allow_null=True)
    warm_up_share = s.FloatField(allow_null=True)
    draws = s.IntegerField()
    until = s.DateField(allow_null=True, help_text="If parameters are fitted: the earlier games are before this day.")
    until_share = s.FloatField(allow_null=True, help_text="Or the share of the games that are earlier.")
    asked_at = s.DateTimeField()
    started_at = s.DateTimeField(allow_null=True)
    ended_at = s.DateTimeField(allow_null=True)
    problem = ProblemShape(allow_null=True, help_text="Why there is no report.")
    from_ = s.DateField(allow_null=True, help_text="Games from this day on; null: from the first one.")


class ExperimentReportShape(ExperimentShape):
    """An experiment with its report, once it is done."""

    report = s.DictField(
        allow_null=True,
        help_text="Predictions of each system, and fitted values (fits); see docs/organisers/laboratory-measures.md.",
    )


def _build_url(request: Request, job: Job) -> str:
    return reverse("api:experiment", [job.league.slug, job.pk], request=request)


def _render_experiment(request: Request, job: Job) -> dict[str, Any]:
    question = ExperimentQuestion.from_json(job.arguments["question"])
    candidates = [{"label": candidate.label, **candidate.to_json()} for candidate in question.candidates]
    return {
        "id": str(job.pk),
        "url": _build_url(request, job),
        "league": job.league.slug,
        "state": job.state,
        "phase": job.phase,
        "progress": compute_progress(job),
        **question.to_json(),
        "candidates": candidates,
        "asked_at": job.asked_at,
        "started_at": job.started_at,
        "ended_at": job.ended_at,
        "problem": None if job.problem is None else render_problem(job.problem),
    }


COMPARISON_EXAMPLE = {
    "candidates": [{"system": "elo"}, {"system": "elo", "parameters": {"k": 40}}, {"system": "glicko2"}],
    "from": "2015-01-01",
    "warm_up_share": 0.2,
}
FIT_EXAMPLE = {"candidates": [{"system": "elo", "fit": ["k"]}, {"system": "glicko2"}], "until_share": 0.5}


class Experiments(Endpoint):
    """The experiments of a league."""

    @describe_list("list_experiments", ExperimentShape, "Experiment")
    def get(self, request: Request, league: str) -> Response:
        """List the experiments of a league without their reports, newest first."""
        the_league = self.league(league)
        jobs = list_experiments(the_league).select_related("league")
        return self.paginate(jobs, lambda job: _render_experiment(request, job))

    @describe_write(
        "ask_experiment",
        ExperimentInput,
        {202: JobShape},
        request_example("Three systems", COMPARISON_EXAMPLE),
        request_example("Fitting", FIT_EXAMPLE),
    )
    @idempotent()
    def post(self, request: Request, league: str) -> HttpResponse:
        """Test systems on the league's rated games in a background job; the league does not change.

        Parameters that a candidate names in `fit` are fitted to the earlier games; all systems are evaluated on the
        later ones. The response is the job; Location is the URL of the experiment with its report. A league has at most
        three open experiments at once.
        """
        the_league = self.bare_league(league, "organise")
        question = ExperimentInput.question(self.body(ExperimentInput))

        job = request_experiment(the_league, question, username=self.viewer.name)
        return Response(render_job(request, job), status=202, headers={"Location": _build_url(request, job)})


class ExperimentDetail(Endpoint):
    """An experiment."""

    @extend_schema(operation_id="get_experiment", responses={200: ExperimentReportShape, **READ})
    def get(self, request: Request, league: str, experiment: str) -> Response:
        """Return the progress of an experiment, and its report once it is done; for everyone who may see the league."""
        the_league = self.bare_league(league)
        job = find_experiment(the_league, experiment)
        headers = {} if job.ended_at else {"Retry-After": "1"}
        return Response({**_render_experiment(request, job), "report": job.result}, headers=headers)


class CancelExperiment(Endpoint):
    """Cancelling an experiment."""

    @describe_write("cancel_experiment", None, {200: ExperimentShape})
    @idempotent()
    def post(self, request: Request, league: str, experiment: str) -> Response:
        """Cancel an experiment: a waiting one ends at once, a running one at its next step. It leaves no report."""
        the_league = self.bare_league(league, "organise")
        job = find_experiment(the_league, experiment)
        cancel_job(job, username=self.viewer.name)
        return Response(_render_experiment(request, find_experiment(the_league, experiment)))
