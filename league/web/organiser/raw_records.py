"""Raw records in Django's admin, read-only: lists and search."""

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.admin import AdminSite
from django.contrib.admin.views.main import ChangeList
from django.db import models
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.translation import gettext_lazy

from league.core.games.selectors.games import format_game_status, get_game_status
from league.core.jobs.selectors import compute_progress
from league.core.ladders.selectors.ladders import find_rule_to_show
from league.core.ladders.selectors.tallies import build_method
from league.core.permissions import find_tokens, find_visible_leagues
from league.core.players.selectors.search import filter_by_search
from league.core.players.selectors.visibility import build_visible_condition
from league.core.rules.selectors.rules import STATE_COLUMNS, load_system_classes
from league.core.text.display_formats import format_exact, format_number, format_time, get_known_zone
from league.core.text.labels import format_inside_sentence
from league.models import Edition, Game, Job, Ladder, League, LogEntry, Player, Rating, RatingChange, Token
from league.web.organiser.column_headings import translate_model
from league.web.organiser.forms import parse_whole_number
from league.web.sign_in.sessions import viewer_of
from ratings.contract.system import RatingSystem

#: Maximum number of players found by non-ASCII letters.
MAX_FOUND_PLAYERS = 1000

if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin[Any]
else:
    ModelAdmin = admin.ModelAdmin


class VisibleLeaguesFilter(admin.RelatedFieldListFilter):
    """A filter by league that offers only visible leagues."""

    def field_choices(self, field: Any, request: HttpRequest, model_admin: Any) -> list[tuple[Any, Any]]:
        """Return the leagues to choose from."""
        visible_pks = find_visible_leagues(viewer_of(request)).values("pk")
        choices: list[tuple[Any, Any]] = field.get_choices(
            include_blank=False, limit_choices_to={"pk__in": visible_pks}
        )
        return choices


class RawAdmin(ModelAdmin):
    """A read-only model; permissions follow from the roles in the leagues, as in the API."""

    to_view = "record"
    """The action that viewing requires."""
    league_path = "league"
    """The lookup from a row to its league; "" for rows of the whole site."""
    show_full_result_count = False
    list_per_page = 50
    actions = None

    def __init__(self, model: type[models.Model], admin_site: AdminSite) -> None:
        super().__init__(model, admin_site)
        translate_model(model)
        #: Name of a time or number field -> name of the column that formats it.
        self.clocks: dict[str, str] = {}
        for field in self.opts.fields:
            if isinstance(field, models.DateTimeField):
                self.clocks[field.name] = self.column(field, "there", self.by_its_clock)
            elif isinstance(field, models.FloatField):
                # Rounded to 15 digits, with a proper minus sign.
                self.clocks[field.name] = self.column(field, "shown", lambda row, value: format_exact(value))

    def column(self, field: Any, ending: str, write: Callable[[models.Model, Any], str]) -> str:
        """Add a column that formats a field; returns its name."""
        display = admin.display(description=field.verbose_name, ordering=field.name)(
            lambda row: write(row, getattr(row, field.name))
        )
        setattr(self, f"{field.name}_{ending}", display)
        return f"{field.name}_{ending}"

    def by_its_clock(self, row: models.Model, time: datetime | None) -> str:
        """Format a time in the time zone of the row's league."""
        league = self.league_of(row)
        return format_time(time, league.time_zone if league else "UTC")

    def get_list_display(self, request: HttpRequest) -> list[Any]:
        """Return the columns, with times in their leagues' time zones."""
        return [self.clocks.get(str(name), name) for name in super().get_list_display(request)]

    def get_fields(self, request: HttpRequest, obj: models.Model | None = None) -> list[Any]:
        """Return the fields of a row's page, with times in its league's time zone."""
        return [self.clocks.get(str(name), name) for name in super().get_fields(request, obj)]

    def zone_of_list(self, request: HttpRequest) -> str:
        """Return the time zone for the days of a list: that of its league or of all leagues, else UTC."""
        leagues = find_visible_leagues(viewer_of(request))
        league_id = parse_whole_number(request.GET.get("league__id__exact", ""), 11)
        selected_leagues = leagues if league_id is None else leagues.filter(pk=league_id)
        zones = list(selected_leagues.order_by().values_list("time_zone", flat=True).distinct()[:2])
        return zones[0] if len(zones) == 1 else "UTC"

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """List the rows; the days of the date hierarchy are in the named time zone."""
        if not self.date_hierarchy:
            return super().changelist_view(request, extra_context)
        name = self.zone_of_list(request)
        with timezone.override(get_known_zone(name)):
            response = super().changelist_view(request, {**(extra_context or {}), "zone": name})
            # Rendered inside the override of the time zone.
            return response.render() if isinstance(response, TemplateResponse) else response

    def league_of(self, thing: models.Model | None) -> League | None:
        """Return the league of a row; None for rows of the whole site."""
        related: Any = thing
        if related is None or not self.league_path:
            return None
        league: League = related if self.league_path == "pk" else related.league
        return league

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Return whether the index lists the model."""
        return self.has_view_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        """Return whether a user may view a row, or any row."""
        return viewer_of(request).may(self.to_view, self.league_of(obj))

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Return False: rows are added on the organiser's pages."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        """Return False: rows are changed on the organiser's pages."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        """Return False: facts are voided, not deleted."""
        return False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Return the rows of leagues that a user may view."""
        rows: QuerySet[Any] = super().get_queryset(request)
        ids = viewer_of(request).ids(self.to_view)
        return rows if ids is None or not self.league_path else rows.filter(**{f"{self.league_path}__in": ids})

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Search without NUL characters, which PostgreSQL rejects."""
        return super().get_search_results(request, queryset, search_term.replace("\0", ""))


@admin.register(League)
class LeagueAdmin(RawAdmin):
    """The leagues of the site."""

    league_path = "pk"
    list_display = ("title", "slug", "game", "visibility", "last_number", "stale")
    list_filter = ("visibility",)
    search_fields = ("title", "slug", "game")

    @admin.display(boolean=True, description=gettext_lazy("Needs recalculation"))
    def stale(self, league: League) -> bool:
        """Return whether a replay is pending."""
        return league.stale_from is not None


@admin.register(Player)
class PlayerAdmin(RawAdmin):
    """The players of visible leagues, and those of no league."""

    league_path = ""
    list_display = ("name", "handle", "merged_into")
    list_select_related = ("merged_into",)
    search_fields = ("name", "handle")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Return the players visible to a user."""
        return super().get_queryset(request).filter(build_visible_condition(viewer_of(request)))

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Search as the API does, including other names that the user may see."""
        return filter_by_search(queryset, search_term.replace("\0", ""), viewer_of(request)), False


@admin.register(Game)
class GameAdmin(RawAdmin):
    """The games of all leagues."""

    list_display = ("name", "played_at", "state", "league", "recorded_by")
    list_filter = (("league", VisibleLeaguesFilter), "kind")
    search_fields = ("=number", "=external_id", "results__player__name", "results__player__handle")
    list_select_related = ("league",)
    date_hierarchy = "played_at"

    @admin.display(description=gettext_lazy("Game"))
    def name(self, game: Game) -> str:
        """Return the number."""
        return str(game)

    @admin.display(description=gettext_lazy("Status"))
    def state(self, game: Game) -> str:
        """Return rated, pending, unrated or void."""
        return format_game_status(get_game_status(game.league, game))


class StateChangeList(ChangeList):
    """A list that loads the rating systems of all its rows at once."""

    def get_results(self, request: HttpRequest) -> None:
        """Set the rating system of each row."""
        super().get_results(request)
        self.result_list: list[Any] = list(self.result_list)
        kinds = load_system_classes({row.league_id for row in self.result_list})
        for row in self.result_list:
            row.kind = kinds[row.league_id]


class StateAdmin(RawAdmin):
    """Rows with the state of a player; its labels come from the league's rating system."""

    list_select_related = ("league", "player")
    list_filter = (("league", VisibleLeaguesFilter),)
    search_fields = ("player__handle", "player__name")
    first = ""
    """The field with the first number of the state, the rating."""

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        """Return the list class that loads the rating systems."""
        return StateChangeList

    def get_list_display(self, request: HttpRequest) -> list[Any]:
        """Return the columns; without the state if all visible leagues have only a rating."""
        leagues = find_visible_leagues(viewer_of(request)).values_list("pk", flat=True)
        columns = super().get_list_display(request)
        return columns if any(len(kind.state) > 1 for kind in load_system_classes(leagues).values()) else columns[:-1]

    def get_fields(self, request: HttpRequest, obj: models.Model | None = None) -> list[Any]:
        """Return the fields of a row's page, with the labelled state instead of the state columns."""
        fields = [
            name
            for name in super().get_fields(request, obj)
            if name not in {f"{column}_shown" for column in STATE_COLUMNS}
        ]
        return [name for name in fields if name != "state"] + ["state"]

    @admin.display(description=gettext_lazy("status"))
    def state(self, row: Any) -> str:
        """Format the state, each number with its label."""
        kind: type[RatingSystem] = (
            row.kind if hasattr(row, "kind") else load_system_classes([row.league_id])[row.league_id]
        )
        values = [getattr(row, name) for name in (self.first, *STATE_COLUMNS)]
        return ", ".join(
            f"{spec.label} {format_number(value, kind.decimals if spec.decimals is None else spec.decimals)}"
            for spec, value in zip(kind.state, values, strict=False)
        )


@admin.register(Rating)
class RatingAdmin(StateAdmin):
    """The current ratings."""

    first = "rating"
    list_display = ("player", "league", "score", "rating", "games", "change", "last_at", "state")


@admin.register(RatingChange)
class RatingChangeAdmin(StateAdmin):
    """The rating history."""

    first = "after"
    list_display = ("player", "league", "number", "at", "cause", "before", "change", "after", "state")


@admin.register(Ladder)
class LadderAdmin(RawAdmin):
    """The ladders of the leagues."""

    list_display = ("title", "league", "ranks", "due")
    list_filter = (("league", VisibleLeaguesFilter),)
    search_fields = ("title", "slug")
    list_select_related = ("league",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Return the ladders with the number of periods that await a decision."""
        awaiting = Count("periods", filter=Q(periods__awaits=True))
        queryset: QuerySet[Any] = super().get_queryset(request).prefetch_related("rules").annotate(awaiting=awaiting)
        return queryset

    @admin.display(description=gettext_lazy("Ranks by"))
    def ranks(self, ladder: Ladder) -> str:
        """Return the current method and cadence."""
        rule = find_rule_to_show(ladder, timezone.now(), ladder.league)
        return f"{build_method(rule).title}, {format_inside_sentence(rule.get_cadence_display())}"

    @admin.display(description=gettext_lazy("Decisions due"))
    def due(self, ladder: Any) -> str:
        """Return the number of closed periods that await a decision."""
        return str(ladder.awaiting) if ladder.awaiting else "–"


@admin.register(Edition)
class EditionAdmin(RawAdmin):
    """The published editions of closed periods."""

    list_display = ("ladder", "key", "number", "published_at", "published_by", "reason", "log_position", "sha256")
    list_filter = (("league", VisibleLeaguesFilter),)
    list_select_related = ("league", "ladder")
    search_fields = ("key", "sha256")


@admin.register(Job)
class JobAdmin(RawAdmin):
    """The background jobs."""

    list_display = ("kind", "league", "state", "how_far", "phase", "asked_at", "ended_at", "asked_by")
    list_filter = ("state", "kind", ("league", VisibleLeaguesFilter))
    list_select_related = ("league",)
    search_fields = ("league__slug", "asked_by")
    fields = (
        "kind", "league", "state", "how_far", "phase", "attempts", "asked_by", "asked_at", "started_at", "beat_at",
        "ended_at", "problem", "result",
    )  # fmt: skip

    @admin.display(description=gettext_lazy("Progress"))
    def how_far(self, job: Job) -> str:
        """Return the progress in per cent."""
        return f"{compute_progress(job):.0%}"


@admin.register(LogEntry)
class LogEntryAdmin(RawAdmin):
    """The log of each league, newest first."""

    list_display = ("position", "league", "at", "by", "kind", "payload")
    list_display_links = None
    list_select_related = ("league",)
    list_filter = (("league", VisibleLeaguesFilter),)
    search_fields = ("by", "kind")


@admin.register(Token)
class TokenAdmin(RawAdmin):
    """The user's own API tokens; staff see all."""

    to_view = "own"
    league_path = ""
    list_display = ("name", "scope", "maker", "created_at", "expires_at", "revoked_at", "last_used_at")
    fields = ("leagues", *list_display)
    search_fields = ("name",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Return the tokens visible to a user."""
        return find_tokens(request.user)
