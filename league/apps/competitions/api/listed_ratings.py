"""The ratings of a competition that differ from those of the rating lists."""

from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from league.apps.competitions.api.base import CompetitionEndpoint
from league.apps.competitions.api.shapes import OfficialRatingShape
from league.apps.competitions.models import MAX_ENTRIES, MAX_NUMBER, Competition
from league.apps.competitions.selectors.competition_data import load_competition
from league.apps.competitions.selectors.listed_people import find_list_day
from league.apps.competitions.services.listed_entries import (
    RatingDifference,
    TakenRating,
    find_rating_differences,
    take_listed_ratings,
)
from league.core.players.listed_people import list_rating_lists
from league.web.api.core.idempotency import run_once
from league.web.api.core.inputs import JsonTextField, StrictSerializer, WholeNumberField
from league.web.api.core.schemas import Shape, render_fields
from league.web.api.openapi.examples import READ, describe_write, request_example

MAX_LIST_KEY = 60


class RatingListShape(Shape):
    """A rating list."""

    provider = s.CharField()
    title = s.CharField()
    dated = s.DateField()
    people = s.IntegerField()
    loaded_at = s.DateTimeField()


class RatingDifferenceShape(Shape):
    """An entry whose rating is not that of the lists."""

    entry = s.IntegerField()
    rating = s.IntegerField(allow_null=True)
    rating_from = s.CharField()
    choices = OfficialRatingShape(
        many=True, help_text="The rating that it gets; several of other lists, if the competition's lists have none."
    )


class RatingDifferencesShape(Shape):
    """The lists that count for a competition, and the entries with another rating."""

    day = s.DateField(allow_null=True, help_text="The first day, whose lists count; null: those in use.")
    lists = RatingListShape(many=True, help_text="Ask the arbiter whether they are current.")
    differences = RatingDifferenceShape(many=True)


class TakenRatingInput(StrictSerializer):
    """An entry that gets the rating of a list."""

    entry = WholeNumberField(min_value=1, max_value=MAX_NUMBER)
    list = JsonTextField(
        max_length=MAX_LIST_KEY,
        required=False,
        default="",
        help_text="Required if `choices` are of other lists: which one, such as fide:standard.",
    )


class TakenRatingsInput(StrictSerializer):
    """The entries that get the ratings of the lists."""

    entries = s.ListField(child=TakenRatingInput(), max_length=MAX_ENTRIES)


class RatingDifferences(CompetitionEndpoint):
    """The ratings of a competition that differ from the lists."""

    @extend_schema(operation_id="get_rating_differences", responses={200: RatingDifferencesShape, **READ})
    def get(self, request: Request, league: str, competition: str) -> Response:
        """Compare the ratings of the entries with the rating lists; for arbiters. Nothing is changed."""
        return Response(self.compare(self.bare_competition(league, competition, "arbitrate")))

    @describe_write(
        "take_listed_ratings",
        TakenRatingsInput,
        {200: RatingDifferencesShape},
        request_example("Two entries", {"entries": [{"entry": 1}, {"entry": 2, "list": "fide:standard"}]}),
    )
    def post(self, request: Request, league: str, competition: str) -> HttpResponse:
        """Give entries the ratings of the lists, and return what still differs. An entry that has it stays."""
        found = self.bare_competition(league, competition, "arbitrate")
        wanted = [TakenRating(one["entry"], one["list"]) for one in self.body(TakenRatingsInput)["entries"]]

        def take_wanted() -> None:
            take_listed_ratings(found.league_id, found.slug, wanted, by=self.viewer.name)

        return run_once(request, take_wanted, render=lambda _: Response(self.compare(found)))

    def compare(self, competition: Competition) -> dict[str, Any]:
        """Return the lists and what differs."""
        loaded = load_competition(competition)
        day = find_list_day(competition, loaded.now)
        return {
            "day": day,
            "lists": [render_fields(RatingListShape, one) for one in list_rating_lists(day)],
            "differences": [_render(one) for one in find_rating_differences(loaded)],
        }


def _render(difference: RatingDifference) -> dict[str, Any]:
    choices = [one._asdict() for one in difference.ratings.choices]
    return render_fields(RatingDifferenceShape, difference, choices=choices)
