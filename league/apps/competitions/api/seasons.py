"""Seasons of a league: create, change, enter, propose, draw, read and close."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from league.apps.competitions.api.base import IF_MATCH, CompetitionEndpoint, convert_day
from league.apps.competitions.api.competitions import read_competition
from league.apps.competitions.api.season_shapes import (
    ProposalShape,
    SeasonEntryShape,
    SeasonFrameChange,
    SeasonFrameInput,
    SeasonFrameShape,
    SeasonStandingsShape,
    render_proposal,
    render_season,
    render_season_edition,
    render_season_entry,
    render_standings,
)
from league.apps.competitions.api.shapes import CompetitionShape, FinalEditionShape
from league.apps.competitions.models import MAX_ENTRIES, Season, SeasonEdition, SeasonEntry
from league.apps.competitions.selectors.season_proposal import build_proposal
from league.apps.competitions.selectors.seasons import find_season, list_seasons
from league.apps.competitions.services.season_close import close_season, revise_season
from league.apps.competitions.services.season_draw import draw_season
from league.apps.competitions.services.season_entries import (
    NewSeasonEntry,
    add_season_entries,
    change_season_entry,
    find_season_entry,
    move_in_proposal,
)
from league.apps.competitions.services.seasons import cancel_season, change_season, create_season
from league.core.errors import NotFound
from league.core.text.names import build_name_key
from league.models import League
from league.web.api.core.base import parse_query
from league.web.api.core.idempotency import idempotent, run_once
from league.web.api.core.inputs import Flag, JsonTextField, StrictSerializer, WholeNumberField, build_input_field
from league.web.api.core.responses import compute_etag
from league.web.api.core.schemas import Shape
from league.web.api.games.serializers import NamedInput
from league.web.api.ladders.views import ReasonInput
from league.web.api.openapi.examples import (
    READ,
    build_error_responses,
    describe_list,
    describe_write,
    request_example,
)
from ratings.seasons.rules import UNPLAYED

BOXES = {
    "title": "Boxes, March",
    "starts": "2024-03-01",
    "ends": "2024-03-31",
    "rule": {"divisions": {"preset": "boxes", "target_size": 6, "up": {"number": 2}, "unplayed": "both_lose"}},
    "status": "open",
}


def _build_settings(data: dict[str, Any], league: League) -> dict[str, Any]:
    """Return the settings for the services; a day until which players enter ends with its last minute."""
    if "entries_until" not in data:
        return data
    return {**data, "entries_until": convert_day(data["entries_until"], league.time_zone, is_end=True)}


class SeasonEndpoint(CompetitionEndpoint):
    """Base of the views of a season."""

    def season(self, league: str, slug: str, action: str = "", *, bare: bool = True) -> Season:
        """Return a season that the viewer may see; raises 401, 403 or 404, and 400 for query parameters if ``bare``."""
        the_league = self.league(league, action)
        found = find_season(the_league, slug, for_organisers=self.is_arbiter(the_league))
        if bare:
            parse_query(self.request, {})
        return found

    def read(self, season: Season) -> dict[str, Any]:
        """Return a stored season as it is rendered."""
        return render_season(self.request, find_season(season.league, season.slug, for_organisers=True))

    def answer(self, season: Season, status: int = 200) -> Response:
        """Return the response for a stored season, with its ETag."""
        body = self.read(season)
        location = {"Location": body["url"]} if status == 201 else {}
        return Response(body, status=status, headers={"ETag": compute_etag(body), **location})


class Seasons(SeasonEndpoint):
    """The seasons of a league."""

    @describe_list("list_seasons", SeasonFrameShape, "SeasonFrame")
    def get(self, request: Request, league: str) -> Response:
        """List the seasons, newest first; drafts are for arbiters."""
        the_league = self.league(league)
        rows = list_seasons(the_league, for_organisers=self.is_arbiter(the_league)).select_related("league")
        return self.paginate(rows, lambda row: render_season(request, row))

    @describe_write("create_season", SeasonFrameInput, {201: SeasonFrameShape}, request_example("Boxes", BOXES))
    @idempotent()
    def post(self, request: Request, league: str) -> Response:
        """Create a season as a draft or open for entries; for arbiters."""
        the_league = self.bare_league(league, "arbitrate")
        data = self.body(SeasonFrameInput)
        settings = _build_settings({name: value for name, value in data.items() if name != "slug"}, the_league)
        created = create_season(the_league.pk, data["slug"], settings, by=self.viewer.name)
        return self.answer(created, 201)


class OneSeason(SeasonEndpoint):
    """A season."""

    @extend_schema(operation_id="get_season", responses={200: SeasonFrameShape, **READ})
    def get(self, request: Request, league: str, season: str) -> Response:
        """Read a season; its ETag goes into If-Match of a change."""
        return self.answer(self.season(league, season))

    @describe_write(
        "change_season",
        SeasonFrameChange,
        {200: SeasonFrameShape, **build_error_responses(412)},
        request_example("Holidays", {"blocked": ["2024-03-29"]}),
        parameters=[IF_MATCH],
    )
    def patch(self, request: Request, league: str, season: str) -> Response:
        """Change settings. The rule is fixed as soon as competitions belong to the season."""
        found = self.season(league, season, "arbitrate")
        settings = _build_settings(self.body(SeasonFrameChange), found.league)
        self.change(
            found,
            lambda: self.read(found),
            lambda: change_season(found.league_id, found.slug, settings, by=self.viewer.name),
        )
        return self.answer(found)


class CancelSeason(SeasonEndpoint):
    """The cancellation of a season."""

    @describe_write("cancel_season", ReasonInput, {200: SeasonFrameShape}, request_example("Few", {"reason": "Few."}))
    @idempotent()
    def post(self, request: Request, league: str, season: str) -> Response:
        """Cancel; the competitions of the season go on without it. For organisers."""
        found = self.season(league, season, "organise")
        cancel_season(found.league_id, found.slug, by=self.viewer.name, reason=self.body(ReasonInput)["reason"])
        return self.answer(found)


class SeasonEntryInput(StrictSerializer):
    """A new entry."""

    player = JsonTextField(max_length=120, help_text="Handle, name, alias or external ID.")
    rating = build_input_field(SeasonEntry._meta.get_field("rating"), default=None, help_text="Brought along.")


class SeasonEntriesInput(StrictSerializer):
    """Several entries; all are added, or none."""

    entries = s.ListField(child=SeasonEntryInput(), min_length=1, max_length=MAX_ENTRIES)
    create_players = Flag(required=False, default=False, help_text="Add unknown players, under the name sent.")
    names = NamedInput(many=True, required=False, default=list, help_text="Names of new players.")


class NewSeasonEntryInput(SeasonEntryInput):
    """One new entry; or several in `entries`."""

    create_players = Flag(required=False, default=False, help_text="Add unknown players, under the name sent.")
    names = NamedInput(many=True, required=False, default=list, help_text="Names of new players.")


class SeasonEntryChange(StrictSerializer):
    """Changes of an entry; omitted fields are unchanged."""

    rating = build_input_field(SeasonEntry._meta.get_field("rating"))
    status = s.ChoiceField(choices=SeasonEntry.Status.choices, required=False)


class AddedSeasonEntriesShape(Shape):
    """The entries that were added, in the order sent."""

    entries = SeasonEntryShape(many=True)


NEW_ENTRIES = PolymorphicProxySerializer(
    "NewSeasonEntries", serializers=[NewSeasonEntryInput, SeasonEntriesInput], resource_type_field_name=None
)
ADDED_ENTRIES = PolymorphicProxySerializer(
    "AddedSeasonEntries", serializers=[SeasonEntryShape, AddedSeasonEntriesShape], resource_type_field_name=None
)


class SeasonEntries(SeasonEndpoint):
    """The entries of a season."""

    @describe_list("list_season_entries", SeasonEntryShape, "SeasonEntry")
    def get(self, request: Request, league: str, season: str) -> Response:
        """List the entries by number."""
        found = self.season(league, season, bare=False)
        rows = found.entries.select_related("player__merged_into").order_by("number")
        return self.paginate(rows, lambda row: render_season_entry(request, found, row))

    @describe_write(
        "add_season_entries",
        NEW_ENTRIES,
        {201: ADDED_ENTRIES},
        request_example("One", {"player": "pedja", "rating": 1850}),
        request_example("Several", {"entries": [{"player": "marko"}, {"player": "nina"}], "create_players": True}),
    )
    def post(self, request: Request, league: str, season: str) -> HttpResponse:
        """Add one entry, or several in `entries`: all or none. Who withdrew enters again."""
        found = self.season(league, season, "arbitrate")
        sent: Any = request.data
        several = isinstance(sent, Mapping) and "entries" in sent
        data = self.body(SeasonEntriesInput if several else NewSeasonEntryInput)
        lines = data["entries"] if several else [{name: data[name] for name in ("player", "rating")}]

        def add() -> list[int]:
            added = add_season_entries(
                found.league_id,
                found.slug,
                [NewSeasonEntry(**line) for line in lines],
                by=self.viewer.name,
                viewer=self.viewer,
                create_players=data["create_players"],
                names={build_name_key(line["handle"]): line["name"] for line in data["names"]},
            )
            return [entry.number for entry in added]

        def show(numbers: list[int]) -> Response:
            results = [render_season_entry(request, found, find_season_entry(found, number)) for number in numbers]
            return Response({"entries": results} if several else results[0], status=201)

        return run_once(request, add, render=show)


class OneSeasonEntry(SeasonEndpoint):
    """An entry of a season."""

    @extend_schema(operation_id="get_season_entry", responses={200: SeasonEntryShape, **READ})
    def get(self, request: Request, league: str, season: str, number: int) -> Response:
        """Read an entry; its ETag goes into If-Match of a change."""
        return self.answer_entry(self.season(league, season), number)

    @describe_write(
        "change_season_entry",
        SeasonEntryChange,
        {200: SeasonEntryShape, **build_error_responses(412)},
        request_example("Withdrawal", {"status": "withdrawn"}),
        parameters=[IF_MATCH],
    )
    def patch(self, request: Request, league: str, season: str, number: int) -> Response:
        """Change or withdraw an entry; who withdraws leaves the running competitions of the season, too."""
        found = self.season(league, season, "arbitrate")
        find_season_entry(found, number)
        changes = self.body(SeasonEntryChange)
        self.change(
            found,
            lambda: render_season_entry(request, found, find_season_entry(found, number)),
            lambda: change_season_entry(found.league_id, found.slug, number, changes, by=self.viewer.name),
        )
        return self.answer_entry(found, number)

    def answer_entry(self, season: Season, number: int) -> Response:
        """Return the response for a stored entry, with its ETag."""
        body = render_season_entry(self.request, season, find_season_entry(season, number))
        return Response(body, headers={"ETag": compute_etag(body)})


class MoveInput(StrictSerializer):
    """A move in the proposal by hand."""

    player = JsonTextField(max_length=120, help_text="The handle.")
    level = WholeNumberField(min_value=1, max_value=MAX_ENTRIES, allow_null=True, help_text="null: as the rule has it.")
    letter = build_input_field(SeasonEntry._meta.get_field("letter"), default="")
    reason = build_input_field(SeasonEntry._meta.get_field("reason"), default="")


class Proposal(SeasonEndpoint):
    """The proposal of a season's draw."""

    @extend_schema(operation_id="get_proposal", responses={200: ProposalShape, **READ, **build_error_responses(422)})
    def get(self, request: Request, league: str, season: str) -> Response:
        """Propose the divisions, or the groups of the next stage, with a sentence for each person. For arbiters."""
        return Response(render_proposal(build_proposal(self.season(league, season, "arbitrate"))))

    @describe_write(
        "move_in_proposal",
        MoveInput,
        {200: ProposalShape},
        request_example("A wish", {"player": "pedja", "level": 2, "reason": "Works at night this month."}),
    )
    def patch(self, request: Request, league: str, season: str) -> Response:
        """Move one player to another division, with a reason; the answer says what that breaks."""
        found = self.season(league, season, "arbitrate")
        move = self.body(MoveInput)
        move_in_proposal(
            found.league_id, found.slug, move["player"], move["level"], move["letter"],
            by=self.viewer.name, reason=move["reason"],
        )  # fmt: skip
        return Response(render_proposal(build_proposal(found)))


class DigestInput(StrictSerializer):
    """The digest of the proposal that was read."""

    digest = JsonTextField(max_length=64)
    days_between_rounds = WholeNumberField(
        min_value=0, max_value=366, required=False, default=0, help_text="0: rounds are not dated."
    )


class DrawnShape(Shape):
    """The competitions that a draw made."""

    competitions = CompetitionShape(many=True)


class DrawSeason(SeasonEndpoint):
    """The draw of a season."""

    @describe_write("draw_season", DigestInput, {201: DrawnShape}, request_example("As read", {"digest": "0" * 64}))
    def post(self, request: Request, league: str, season: str) -> HttpResponse:
        """Make the proposed competitions and start them: all, or none. 409 if the list has changed."""
        found = self.season(league, season, "arbitrate")
        sent = self.body(DigestInput)

        def draw() -> list[str]:
            return [one.slug for one in draw_season(found.league_id, found.slug, by=self.viewer.name, **sent)]

        def show(slugs: list[str]) -> Response:
            made = [read_competition(request, found.league, slug) for slug in slugs]
            return Response({"competitions": made}, status=201)

        return run_once(request, draw, render=show)


class SeasonStandings(SeasonEndpoint):
    """The standings of a season."""

    @extend_schema(operation_id="get_season_standings", responses={200: SeasonStandingsShape, **READ})
    def get(self, request: Request, league: str, season: str) -> Response:
        """Read divisions with zones, the table of the series, and the seats of the stages."""
        return Response(render_standings(self.season(league, season)))


class CloseInput(ReasonInput):
    """What fixtures without a result count as, if there are any."""

    unplayed = s.ChoiceField(choices=[*UNPLAYED], required=False, allow_null=True, default=None)


class CloseSeason(SeasonEndpoint):
    """The end of a season."""

    @describe_write(
        "close_season", CloseInput, {201: FinalEditionShape}, request_example("All played", {"unplayed": "void"})
    )
    @idempotent()
    def post(self, request: Request, league: str, season: str) -> Response:
        """Close: finishes its competitions and publishes its standings as an edition with its hash. For organisers."""
        found = self.season(league, season, "organise")
        data = self.body(CloseInput)
        edition = close_season(found.league_id, found.slug, by=self.viewer.name, **data)
        body = render_season_edition(request, found, edition)
        return Response(body, status=201, headers={"Location": body["url"]})


class SeasonEditions(SeasonEndpoint):
    """The editions of a season."""

    @describe_list("list_season_editions", FinalEditionShape, "SeasonEdition")
    def get(self, request: Request, league: str, season: str) -> Response:
        """List the editions, the first first."""
        found = self.season(league, season, bare=False)
        return self.paginate(found.editions.order_by("number"), lambda row: render_season_edition(request, found, row))

    @describe_write(
        "revise_season", ReasonInput, {201: FinalEditionShape}, request_example("Correction", {"reason": "A typo."})
    )
    @idempotent()
    def post(self, request: Request, league: str, season: str) -> Response:
        """Publish another edition after a correction, with a reason. Without it, the last edition stays valid."""
        found = self.season(league, season, "organise")
        reason = self.body(ReasonInput)["reason"]
        edition = revise_season(found.league_id, found.slug, by=self.viewer.name, reason=reason)
        body = render_season_edition(request, found, edition)
        return Response(body, status=201, headers={"Location": body["url"]})


class OneSeasonEdition(SeasonEndpoint):
    """An edition of a season."""

    @extend_schema(operation_id="get_season_edition", responses={200: OpenApiTypes.OBJECT, **READ})
    def get(self, request: Request, league: str, season: str, number: int) -> HttpResponse:
        """Return the document of an edition, exactly as its hash was computed."""
        found = self.season(league, season)
        edition = SeasonEdition.objects.filter(league=found.league_id, season=found, number=number).first()
        if edition is None:
            raise NotFound(_("The season has no edition {number}.").format(number=number))
        return HttpResponse(edition.document, content_type="application/json")
