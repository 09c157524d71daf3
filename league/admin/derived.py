"""Ratings and their history: to look at, never to edit."""

from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db import models
from django.http import HttpRequest
from django.utils.translation import gettext_lazy

from league.admin.base import OwnLeagues, ServiceAdmin, viewer_of
from league.figures import number
from league.models import Rating, RatingChange
from league.selectors.permissions import visible_leagues
from league.selectors.player_states import BESIDE, kinds_of
from ratings.contract.system import RatingSystem


class WithStates(ChangeList):
    """A list whose rows know the kind of their league's system, asked once for all of them."""

    def get_results(self, request: HttpRequest) -> None:
        """Give the rows of a page their systems."""
        super().get_results(request)
        self.result_list: list[Any] = list(self.result_list)
        kinds = kinds_of({row.league_id for row in self.result_list})
        for row in self.result_list:
            row.kind = kinds[row.league_id]


class ReadOnly(ServiceAdmin):
    """What nobody adds or edits."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nobody adds what is derived."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        """Nobody edits what is derived."""
        return False


class States(ReadOnly):
    """Rows with the state of a player, which only the system of their league can name."""

    first = ""
    """The field in which the first number of the state stands, the rating."""

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        """Return the list whose rows know their systems."""
        return WithStates

    def get_list_display(self, request: HttpRequest) -> list[Any]:
        """Return the columns; the state only where some league that is seen keeps more than a rating."""
        leagues = visible_leagues(viewer_of(request)).values_list("pk", flat=True)
        shown = super().get_list_display(request)
        return shown if any(len(kind.state) > 1 for kind in kinds_of(leagues).values()) else shown[:-1]

    def get_fields(self, request: HttpRequest, obj: models.Model | None = None) -> list[Any]:
        """Return what the page of a row shows: its state by name instead of by number."""
        fields = [name for name in super().get_fields(request, obj) if name not in {f"{one}_shown" for one in BESIDE}]
        return [name for name in fields if name != "state"] + ["state"]

    @admin.display(description=gettext_lazy("state"))
    def state(self, row: Any) -> str:
        """Write the whole state, each number under the system's word for it."""
        kind: type[RatingSystem] = row.kind if hasattr(row, "kind") else kinds_of([row.league_id])[row.league_id]
        values = [getattr(row, name) for name in (self.first, *BESIDE)]
        return ", ".join(
            f"{spec.label} {number(value, kind.decimals if spec.decimals is None else spec.decimals)}"
            for spec, value in zip(kind.state, values, strict=False)
        )


@admin.register(Rating)
class RatingAdmin(States):
    """Where players stand."""

    list_select_related = ("league", "player")
    list_filter = (("league", OwnLeagues),)
    search_fields = ("player__handle", "player__name")
    first = "rating"
    list_display = ("player", "league", "score", "rating", "games", "change", "last_at", "state")


@admin.register(RatingChange)
class RatingChangeAdmin(States):
    """The rating history."""

    list_select_related = ("league", "player")
    list_filter = (("league", OwnLeagues),)
    search_fields = ("player__handle", "player__name")
    first = "after"
    list_display = ("player", "league", "number", "at", "cause", "before", "change", "after", "state")
