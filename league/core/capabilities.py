"""Capabilities: optional Django apps.

A capability declares its parts in its ``AppConfig``. Core and web loop over the declarations of the installed apps and
know no capability by name.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from django.apps import AppConfig, apps
from django.conf import settings
from django.db.models import Model
from django.utils.module_loading import import_string


class Backlog(NamedTuple):
    """Work that waits for a worker: its label, and a function of the time that returns its number and oldest time."""

    label: Any
    measure: str


class LogDeclaration(NamedTuple):
    """What an app adds to the logs of leagues, as dotted paths.

    title: of its entries in the filter of the log. listener: a function of a league, called after entries were appended
    to its log if ``League.has_listeners``.
    """

    title: Any = ""
    #: The kinds of its entries: ``TextChoices``.
    kinds: str = ""
    #: Kind -> function of a payload that returns the sentence of an entry (``league.web.organiser.log_sentences``).
    sentences: str = ""
    #: Schemas of payloads in the API's document (``league.web.api.openapi.lines``).
    payloads: str = ""
    #: The ``league.core.log.selectors.audience.LogAudience`` that hides what not all may read; "": all may read all.
    audience: str = ""
    #: A tuple of tables of facts that verification compares with the log (``league.core.log_tables.FactTable``).
    fact_tables: str = ""
    listener: str = ""


class ExportDeclaration(NamedTuple):
    """A type of lines that an app adds to exports: its name, and what follows from it, as dotted paths."""

    kind: str = ""
    #: The subclass of ``league.core.transfer.export_parts.ExportPart``.
    part: str = ""
    #: The schemas of its members in the API's document.
    schema: str = ""


class CapabilityConfig(AppConfig):
    """The declarations of a capability. Functions and lists are dotted paths, so that nothing is imported.

    Celery finds the module ``tasks``; Django finds commands and migrations.
    """

    default = False

    def __init_subclass__(cls) -> None:
        """Let Django choose the subclass, not this base, as the configuration of an app."""
        cls.default = True

    #: Lists of URL patterns: of public pages, the organiser's pages, the API, and the top of the site.
    public_urls: str = ""
    organiser_urls: str = ""
    api_urls: str = ""
    site_urls: str = ""
    #: Functions without arguments that the sweep calls every 15 seconds; part of the nightly work (a short name) ->
    #: function that does it. They return what was enqueued.
    sweep: tuple[str, ...] = ()
    nightly: Mapping[str, str] = {}
    #: Task -> queue, if not the default one; entry of the schedule -> task and seconds between two runs.
    routes: Mapping[str, str] = {}
    schedule: Mapping[str, tuple[str, float]] = {}
    #: Functions that a web process calls when it starts; path -> view that answers before sessions and hosts are read.
    web_starts: tuple[str, ...] = ()
    health_views: Mapping[str, str] = {}
    #: Functions of a league and a player that return HTML for the player's page, or "": facts, and sections.
    player_facts: tuple[str, ...] = ()
    player_sections: tuple[str, ...] = ()
    #: Functions of a league that return a ``league.web.public.page_parts.PageTab`` of its pages or None; and HTML above
    #: its board or "".
    league_tabs: tuple[str, ...] = ()
    board_strips: tuple[str, ...] = ()
    #: Functions of a league and the time that return HTML below the club screen's board or "".
    wall_sections: tuple[str, ...] = ()
    #: Functions of a league and a ``Viewer`` that return a tab of the organiser's pages
    #: (``league.web.organiser.panels.OrganiserTab``) or None.
    organiser_tabs: tuple[str, ...] = ()
    #: Functions of a league, a player (None: everyone) and the time that return ``page_parts.CalendarEvent`` objects.
    calendar_events: tuple[str, ...] = ()
    #: Functions of a request and a ``league.web.sign_in.link_visits.LinkVisit`` that return HTML for the page of a
    #: player's private link, or ""; name -> function of a visit and submitted values, which returns a message.
    link_panels: tuple[str, ...] = ()
    link_actions: Mapping[str, str] = {}
    #: Functions that add to the OpenAPI document.
    openapi: tuple[str, ...] = ()
    #: Kind of job -> the function that does it.
    job_kinds: Mapping[str, str] = {}
    #: Its entries in the logs of leagues.
    log: LogDeclaration = LogDeclaration()
    #: ``league.core.news.NewsSource`` objects, whose news are sent as notices.
    news_sources: tuple[str, ...] = ()
    #: The messages to chats, and what sends them (``league.core.chats``).
    chat_source: str = ""
    chat_sender: str = ""
    #: Functions that return parts of the organiser's pages: of a league and a ``Viewer``, a
    #: ``league.web.organiser.panels.HomePanel`` of its first page; of a request, a league and a player, HTML for the
    #: player's page.
    home_panels: tuple[str, ...] = ()
    person_panels: tuple[str, ...] = ()
    #: Functions of a league that return the games to be played next (``league.web.organiser.panels.PadFixture``), which
    #: the score pad seats with one tap.
    pad_fixtures: tuple[str, ...] = ()
    #: Functions of a league (or OuterRef) that return rows: what awaits an organiser's decision, and games that are
    #: not recorded yet, with the time ``played_at``.
    open_decisions: tuple[str, ...] = ()
    unrecorded_games: tuple[str, ...] = ()
    #: The ``league.core.games.services.attaching.GameAttacher``, which attaches games to the fixtures they are for.
    game_attacher: str = ""
    #: A function of a league and order keys of games that returns order key -> number of the game's fixture.
    game_fixtures: str = ""
    #: The view that draws the link picture of a page of another capability: of a request, a league's slug, the name of
    #: the picture's URL, the page's key, and a function of the league and the key that returns what builds a
    #: ``league.web.public.page_parts.LinkTable``.
    link_picture: str = ""
    #: Functions of a league that return its data that prevents deletion, or "".
    deletion_guards: tuple[str, ...] = ()
    #: Functions of a league that return a query of the ids of players who are to play in it.
    entered_players: tuple[str, ...] = ()
    #: Functions of two players that return why they cannot be merged: ``core.players.merge_guards.MergeRefusal``.
    merge_guards: tuple[str, ...] = ()
    #: Subclasses of ``league.core.players.erasers.Eraser``, for personal data.
    erasers: tuple[str, ...] = ()
    #: Its lines in exports.
    export: ExportDeclaration = ExportDeclaration()
    #: Functions of the time that return metrics (``core.monitoring.telemetry``); waiting work for the status page.
    gauges: tuple[str, ...] = ()
    backlogs: Mapping[str, Backlog] = {}


def list_capabilities() -> list[CapabilityConfig]:
    """Return the installed capabilities, in the order of INSTALLED_APPS."""
    return [config for config in apps.get_app_configs() if isinstance(config, CapabilityConfig)]


def list_known_capabilities() -> list[CapabilityConfig]:
    """Return the capabilities that a site may install, those too that this one leaves out."""
    configs = (AppConfig.create(f"league.apps.{name}") for name in settings.CAPABILITIES)
    return [config for config in configs if isinstance(config, CapabilityConfig)]


def load_declared(read: Callable[[CapabilityConfig], str | Iterable[str]]) -> list[Any]:
    """Return the objects whose dotted paths the installed capabilities declare; ``read`` returns those of one."""
    objects: list[Any] = []
    for config in list_capabilities():
        paths = read(config)
        objects += [import_string(path) for path in ((paths,) if isinstance(paths, str) else paths) if path]
    return objects


def load_mapping(read: Callable[[CapabilityConfig], Mapping[str, str]]) -> dict[str, Any]:
    """Return a declared mapping of all installed capabilities, its dotted paths replaced by the objects."""
    return {key: import_string(path) for key, path in merge_declared(read).items()}


def merge_declared(read: Callable[[CapabilityConfig], Mapping[str, Any]]) -> dict[str, Any]:
    """Return a declared mapping of all installed capabilities."""
    return {key: value for config in list_capabilities() for key, value in read(config).items()}


def list_models(*, include_auto_created: bool = False) -> list[type[Model]]:
    """Return the models of the league app and of the installed capabilities."""
    configs = [apps.get_app_config("league"), *list_capabilities()]
    return [model for config in configs for model in config.get_models(include_auto_created=include_auto_created)]
