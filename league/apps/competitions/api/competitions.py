"""Competitions of a league: create, read, change, start, finish, cancel; final standings."""

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from league.apps.competitions.api.base import (
    IF_MATCH,
    CompetitionEndpoint,
    DayOrMoment,
    build_confirm_field,
    convert_day,
)
from league.apps.competitions.api.documents import CategoriesField, PrizesField, TeamsField
from league.apps.competitions.api.shapes import (
    CompetitionShape,
    FinalEditionShape,
    render_competition,
    render_edition,
)
from league.apps.competitions.models import MAX_LISTS, Competition, Season, SeasonPart
from league.apps.competitions.selectors.competitions import get_zone, list_competitions
from league.apps.competitions.selectors.summaries import count_parts, find_edition
from league.apps.competitions.services.competitions import (
    cancel_competition,
    change_competition,
    create_competition,
    finish_competition,
    revise_standings,
    start_competition,
)
from league.apps.competitions.services.regulations import leave_regulations
from league.apps.competitions.services.seasons import PartChoice, link_competition
from league.core.locking import run_with_league_lock
from league.models import League
from league.web.api.core.idempotency import idempotent, run_once
from league.web.api.core.inputs import (
    Figures,
    Flag,
    StrictSerializer,
    TextListField,
    WholeNumberField,
    build_input_field,
)
from league.web.api.core.responses import compute_etag
from league.web.api.ladders.views import ReasonInput
from league.web.api.openapi.examples import (
    READ,
    build_error_responses,
    describe_list,
    describe_write,
    request_example,
)
from ratings.seasons.rules import MAX_EVENTS

MAX_TIE_BREAKS = 20
DAY_HELP = "A time with offset, or a date in the competition's time zone."
EXAMPLE = {
    "slug": "club-evening",
    "title": "Club evening",
    "format": "round_robin",
    "parameters": {},
    "starts": "2024-03-06",
    "points": {"win": 1, "draw": 0.5, "loss": 0},
    "tie_breaks": ["DE", "WIN", "SB"],
    "rated": True,
    "status": "open",
}


def _build_field(name: str, **more: Any) -> s.Field[Any, Any, Any, Any]:
    """Return the input field of a setting, with the type and bounds of the model's field."""
    return build_input_field(Competition._meta.get_field(name), **more)


class SeasonPartInput(StrictSerializer):
    """What a competition is to be in a season: an event of its series, or a group of a stage."""

    slug = build_input_field(Season._meta.get_field("slug"), required=True, help_text="Of the season.")
    event = WholeNumberField(min_value=1, max_value=MAX_EVENTS, required=False, allow_null=True, default=None)
    stage = build_input_field(SeasonPart._meta.get_field("stage"), default="")
    letter = build_input_field(SeasonPart._meta.get_field("letter"), default="")


class CompetitionChange(StrictSerializer):
    """Settings of a competition; omitted ones are unchanged."""

    title = _build_field("title")
    description = _build_field("description")
    format = _build_field("format", help_text="A key of `GET pairing-formats/`.")
    parameters = Figures(required=False, help_text="Of the format; its JSON Schema is at `GET pairing-formats/`.")
    sides_of = _build_field("sides_of", help_text="Players of an entry; of teams, boards of a match.")
    teams = TeamsField(
        required=False,
        help_text="Entries are teams whose players have a board each: primary (match or board: the points that come "
        "first), win, draw, loss and bye (points of a board, and board points of a bye). Empty: they are not.",
    )
    rounds = _build_field("rounds")
    starts = DayOrMoment(required=False, allow_null=True, help_text=DAY_HELP)
    ends = DayOrMoment(required=False, allow_null=True, help_text=f"{DAY_HELP} A date is the last day.")
    time_zone = _build_field("time_zone", help_text="Empty: the league's.")
    points = Figures(
        required=False,
        help_text="The points of each outcome: win, draw, loss, pairing_bye, full_bye, half_bye, zero_bye, "
        "forfeit_win, forfeit_loss; places: a list for tables of three or more. Omitted ones are unchanged.",
    )
    tie_breaks = TextListField(most=MAX_TIE_BREAKS, required=False, help_text="Codes in order: `GET tie-breaks/`.")
    tie_break_rules = Figures(
        required=False, help_text="regulations, unrated, ratings (first, round, last), perfect_score_bonus."
    )
    rated = _build_field("rated", help_text="Whether its games are rated.")
    max_entries = _build_field("max_entries")
    seeding = _build_field("seeding")
    players_enter = _build_field("players_enter", help_text="Whether players can enter by their links.")
    deadline_action = _build_field("deadline_action")
    result_entries = _build_field("result_entries")
    venue = _build_field("venue")
    group = _build_field("group")
    federation = _build_field("federation")
    arbiter = _build_field("arbiter")
    time_control = _build_field("time_control")
    regulations = _build_field(
        "regulations",
        help_text="Whether it is held to FIDE's regulations: rounds, points and tie-breaks are fixed at the start, and "
        "more; for Swiss systems and round robins of single players.",
    )
    lots = _build_field("lots", help_text="Whether those whom no tie-break separates are ranked by lot, from the seed.")
    chess960 = _build_field(
        "chess960", help_text="Whether the games of each round begin from a position of Chess960, drawn from the seed."
    )
    long = _build_field("long", help_text="Whether it lasts more than 30 days: entries may have later ratings.")
    categories = CategoriesField(
        required=False,
        help_text="Each with key, title and conditions: sex, born_from, born_to, club, rating_from, rating_to, own.",
    )
    prizes = PrizesField(
        required=False,
        help_text="sharing (place, equal, hort), one_each, currency, list: category, place, amount and thing of each.",
    )
    rating_lists = TextListField(
        most=MAX_LISTS,
        required=False,
        help_text="The lists from which ratings come, in order, such as fide:rapid. Empty: as proposed by time control "
        "and federation, until the start.",
    )
    rating_choice = _build_field("rating_choice")
    rating_checks = _build_field("rating_checks")
    season = SeasonPartInput(required=False, allow_null=True, help_text="null: it leaves its season.")
    status = s.ChoiceField(
        choices=["draft", "open"], required=False, help_text="draft: only arbiters see it; open: entries wanted."
    )


class CompetitionInput(CompetitionChange):
    """A new competition; omitted settings have defaults."""

    slug = _build_field("slug", default="", help_text="Defaults to the title's letters.")
    title = _build_field("title", required=True)
    format = _build_field("format", required=True, help_text="A key of `GET pairing-formats/`.")


def _build_settings(data: dict[str, Any], time_zone: str) -> dict[str, Any]:
    """Return the settings for the services; dates are in the time zone that is sent, or the given one."""
    zone = data.get("time_zone") or time_zone
    times: dict[str, Any] = {}
    try:
        for name in ("starts", "ends"):
            if name in data:
                times[f"{name}_at"] = convert_day(data[name], zone, is_end=name == "ends")
    except (ValueError, LookupError):
        # The services report an unknown time zone.
        times = {}
    return {
        **{name: value for name, value in data.items() if name not in ("starts", "ends", "slug", "season")},
        **times,
    }


def answer_competition(request: Request, league: League, slug: str, status: int = 200) -> Response:
    """Return the response for a stored competition, with its ETag."""
    body = read_competition(request, league, slug)
    location = {"Location": body["url"]} if status == 201 else {}
    return Response(body, status=status, headers={"ETag": compute_etag(body), **location})


def _read_parts(competitions: QuerySet[Competition]) -> QuerySet[Competition]:
    """Return competitions with what is rendered of them besides their settings."""
    return count_parts(competitions).prefetch_related("season_parts__season")


def read_competition(request: Request, league: League, slug: str) -> dict[str, Any]:
    """Return a stored competition as it is rendered."""
    competition = _read_parts(Competition.objects.filter(league=league)).get(slug=slug)
    competition.league = league
    return render_competition(request, competition)


class SeasonLink(CompetitionEndpoint):
    """Base of the views that say what a competition is in a season."""

    def link(self, competition: Competition, data: Mapping[str, Any]) -> None:
        """Link a competition to a season, or take it out, if that was sent."""
        if "season" in data:
            sent = data["season"]
            choice = None if sent is None else PartChoice(sent["slug"], sent["event"], sent["stage"], sent["letter"])
            link_competition(competition.league_id, competition.slug, choice, by=self.viewer.name)


class CompetitionList(SeasonLink):
    """The competitions of a league."""

    @describe_list("list_competitions", CompetitionShape, "Competition")
    def get(self, request: Request, league: str) -> Response:
        """List the competitions, newest first; drafts are for arbiters."""
        the_league = self.league(league)
        competitions = list_competitions(the_league, for_organisers=self.is_arbiter(the_league))
        rows = _read_parts(competitions.select_related("league"))
        return self.paginate(rows, lambda row: render_competition(request, row))

    @describe_write(
        "create_competition", CompetitionInput, {201: CompetitionShape}, request_example("Round robin", EXAMPLE)
    )
    @idempotent()
    def post(self, request: Request, league: str) -> Response:
        """Create a competition as a draft or open for entries; for arbiters."""
        the_league = self.bare_league(league, "arbitrate")
        data = self.body(CompetitionInput)
        settings = _build_settings(data, the_league.time_zone)

        def create(league: League, now: datetime) -> Competition:
            created = create_competition(league.pk, data["slug"], settings, by=self.viewer.name)
            self.link(created, data)
            return created

        created = run_with_league_lock(the_league.pk, create)
        return answer_competition(request, the_league, created.slug, 201)


class CompetitionDetail(SeasonLink):
    """A competition."""

    @extend_schema(operation_id="get_competition", responses={200: CompetitionShape, **READ})
    def get(self, request: Request, league: str, competition: str) -> Response:
        """Read a competition; its ETag goes into If-Match of a change."""
        found = self.bare_competition(league, competition)
        return answer_competition(request, found.league, found.slug)

    @describe_write(
        "change_competition",
        CompetitionChange,
        {200: CompetitionShape, **build_error_responses(412)},
        request_example("Another hall", {"venue": "Hall 2", "description": "Bring a clock."}),
        parameters=[IF_MATCH],
    )
    def patch(self, request: Request, league: str, competition: str) -> Response:
        """Change settings. The format, its parameters, sides, rounds and seeding are fixed at the start."""
        found = self.bare_competition(league, competition, "arbitrate")
        settings = _build_settings(self.body(CompetitionChange), str(get_zone(found)))
        sent = self.body(CompetitionChange)

        def change() -> None:
            change_competition(found.league_id, found.slug, settings, by=self.viewer.name)
            self.link(found, sent)

        self.change(found, lambda: read_competition(request, found.league, found.slug), change)
        return answer_competition(request, found.league, found.slug)


class StartInput(StrictSerializer):
    """Choices at the start."""

    use_ratings = Flag(required=False, default=False, help_text="Ratings brought along become initial ratings.")


class CompetitionStep(CompetitionEndpoint):
    """Base of the views that take a competition from one state to the next."""

    def run(self, competition: Competition, act: Callable[..., Any]) -> HttpResponse:
        """Carry out a step once, and return the response for the competition."""

        def step() -> None:
            act(competition.league_id, competition.slug, by=self.viewer.name)

        return run_once(
            self.request,
            step,
            render=lambda _: answer_competition(self.request, competition.league, competition.slug),
        )


class StartCompetition(CompetitionStep):
    """The start of a competition."""

    @describe_write(
        "start_competition",
        StartInput,
        {200: CompetitionShape},
        request_example("Ratings brought along", {"use_ratings": True}),
    )
    def post(self, request: Request, league: str, competition: str) -> HttpResponse:
        """Start: entries get their pairing numbers and ratings; formats without draws make all rounds.

        With `use_ratings` the ratings that entries brought along become initial ratings of players who have neither
        games nor an initial rating in the league; this takes an organiser.
        """
        use_ratings = self.optional_body(StartInput)["use_ratings"]
        found = self.bare_competition(league, competition, "organise" if use_ratings else "arbitrate")
        return self.run(found, partial(start_competition, use_ratings=use_ratings))


class FinishCompetition(CompetitionStep):
    """The end of a competition."""

    @describe_write(
        "finish_competition", ReasonInput, {200: CompetitionShape}, request_example("All played", {"reason": ""})
    )
    def post(self, request: Request, league: str, competition: str) -> HttpResponse:
        """Finish: publishes the standings as an edition with its hash."""
        found = self.bare_competition(league, competition, "arbitrate")
        return self.run(found, partial(finish_competition, reason=self.body(ReasonInput)["reason"]))


class CancelCompetition(CompetitionStep):
    """The cancellation of a competition."""

    @describe_write(
        "cancel_competition", ReasonInput, {200: CompetitionShape}, request_example("Too few", {"reason": "Too few."})
    )
    def post(self, request: Request, league: str, competition: str) -> HttpResponse:
        """Cancel: no more rounds; the games that were played stay as they are."""
        found = self.bare_competition(league, competition, "arbitrate")
        return self.run(found, partial(cancel_competition, reason=self.body(ReasonInput)["reason"]))


class LeaveInput(ReasonInput):
    """The reason why the regulations are left, and the confirmations."""

    confirm = build_confirm_field()


class LeaveRegulations(CompetitionStep):
    """The regulations, which a running competition can leave."""

    @describe_write(
        "leave_regulations",
        LeaveInput,
        {200: CompetitionShape},
        request_example(
            "Confirmed twice",
            {"reason": "A friendly event.", "confirm": ["leaves_regulations", "leaves_regulations"]},
        ),
    )
    def post(self, request: Request, league: str, competition: str) -> HttpResponse:
        """Leave FIDE's regulations for good: a warning of level 4, so that its code is sent twice in `confirm`."""
        found = self.bare_competition(league, competition, "arbitrate")
        data = self.body(LeaveInput)
        return self.run(found, partial(leave_regulations, reason=data["reason"], confirmed=data["confirm"]))


class FinalEditions(CompetitionEndpoint):
    """The final standings of a competition."""

    @describe_list("list_final_standings", FinalEditionShape, "FinalEdition")
    def get(self, request: Request, league: str, competition: str) -> Response:
        """List the editions of the final standings, the first first."""
        found = self.competition(league, competition)
        return self.paginate(found.editions.order_by("number"), lambda edition: render_edition(request, found, edition))

    @describe_write(
        "revise_final_standings",
        ReasonInput,
        {201: FinalEditionShape},
        request_example("Correction", {"reason": "The result of table 3 was corrected."}),
    )
    @idempotent()
    def post(self, request: Request, league: str, competition: str) -> Response:
        """Publish another edition after a correction, with a reason. Without it, the last edition stays valid."""
        found = self.bare_competition(league, competition, "arbitrate")
        reason = self.body(ReasonInput)["reason"]
        edition = revise_standings(found.league_id, found.slug, by=self.viewer.name, reason=reason)
        body = render_edition(request, found, edition)
        return Response(body, status=201, headers={"Location": body["url"]})


class OneFinalEdition(CompetitionEndpoint):
    """An edition of the final standings."""

    @extend_schema(operation_id="get_final_standings", responses={200: OpenApiTypes.OBJECT, **READ})
    def get(self, request: Request, league: str, competition: str, number: int) -> HttpResponse:
        """Return the document of an edition, exactly as its hash was computed."""
        found = self.bare_competition(league, competition)
        return HttpResponse(find_edition(found, number).document, content_type="application/json")
