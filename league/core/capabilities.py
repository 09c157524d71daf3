"""Capabilities: optional Django apps.

A capability declares its parts in its ``AppConfig``. Core and web loop over the declarations of the installed apps and
know no capability by name.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from django.apps import AppConfig, apps
from django.conf import settings
from django.db.models import Model
from django.utils.module_loading import import_string


class Backlog(NamedTuple):
    """Work that waits for a worker: its label, and a function of the time that returns its number and oldest time."""

    label: Any
    measure: str


class Contradiction(NamedTuple):
    """What waits for the same as a game, and says otherwise.

    ``mark``: confirms it, as it stands and for the result of this game alone; ``sentence``: asks; ``consequence``: what
    becomes of it if the game is recorded.
    """

    mark: str
    sentence: str
    consequence: str


class Urls(NamedTuple):
    """Lists of URL patterns: of public pages, the organiser's pages, the API, and the top of the site."""

    public: str = ""
    organiser: str = ""
    api: str = ""
    site: str = ""


class Api(NamedTuple):
    """What an app adds to the API, besides its URLs."""

    #: Of the API's document: adds to it.
    document: str = ""
    #: What describes parameters and bodies in the document (``league.web.api.openapi.described.Descriptions``).
    descriptions: str = ""
    #: Code of a single error -> its meaning.
    faults: str = ""


class Pages(NamedTuple):
    """What an app adds to the pages of others: functions that return HTML or "", if nothing else is said."""

    #: Of a league and a player: a fact, what is above the chart, and a section, of the player's page.
    player_fact: str = ""
    player_next: str = ""
    player_section: str = ""
    #: Of a league and a game: what it was played for, with a link, beside its number.
    game_place: str = ""
    #: Of a league and games: order key -> (the title of what a game was played for, whether that is rated). One query.
    game_events: str = ""
    #: Of a league: a tab of its pages (``league.web.public.page_parts.PageTab`` or None).
    league_tab: str = ""
    #: Of a league: what is above its board.
    board_strip: str = ""
    #: Of leagues: league id -> ``page_parts.FrontNote`` objects of what runs in it, for the first page. One query, or
    #: few, for all of them.
    front_notes: str = ""
    #: Of a league and the time: pages that the club screen shows in turn, each a ``div`` of class ``turn``.
    wall_pages: str = ""
    #: Of a league, a player (None: everyone) and the time: ``page_parts.CalendarEvent`` objects.
    calendar_events: str = ""
    #: Of a request and a ``league.web.sign_in.link_visits.LinkVisit``: its ``LinkPanels`` of a player's private link.
    link_panel: str = ""
    #: Name -> function of a visit and submitted values, which returns a message.
    link_actions: Mapping[str, str] = {}
    #: The view that draws the link picture of a page of another app: of a request, a league's slug, the name of the
    #: picture's URL, the page's keys, and a function of the league and the keys that returns what builds a
    #: ``page_parts.LinkTable``.
    link_picture: str = ""
    #: Of a league and a ``Viewer``: a tab of the organiser's pages (``league.web.organiser.panels.OrganiserTab`` or
    #: None), and a panel of its first page (``panels.HomePanel``).
    organiser_tab: str = ""
    home_panel: str = ""
    #: Of a request, a league and a player: a panel of the organiser's page of the player.
    person_panel: str = ""
    #: Of a league: the games to be played next (``panels.NextGame``), which the score pad seats with one tap.
    next_games: str = ""
    #: Of a league and games: order key -> what a game is attached to, as HTML above the pages that change it. As many
    #: queries for many games as for one.
    attached_to: str = ""
    #: Of a league, a game, what counts after a change (a ``NewGame``, a ``Game`` again, None: nothing) and a
    #: ``Viewer``: what follows from it, as HTML, or "".
    change_consequences: str = ""
    #: Of a league and a context, perhaps not saved yet: a sentence about whether ratings of their own pay.
    context_advice: str = ""
    #: Of a request and a league: number of what a game may be attached to -> what the organiser's pages show beside it
    #: (``league.web.organiser.panels.AttachedNote``).
    attached_notes: str = ""


class Games(NamedTuple):
    """What an app knows of games."""

    #: The ``league.core.games.services.attaching.GameAttacher``, which attaches recorded games.
    attacher: str = ""
    #: Of a league and order keys of games: order key -> number of what the game is attached to.
    attached: str = ""
    #: Of a league and order keys of games: number of what a game is attached to -> number of the game that is its
    #: result now, None if it waits for one. What has no result and gets none any more is left out.
    results: str = ""
    #: Of a locked league, the time, an author, and ``results``: called after they may have changed, in the same
    #: transaction. What waits for a result is settled by it, and what was settled follows the result there is now.
    follower: str = ""
    #: Of a league, and what games were attached to (number -> game's number): what waits for the same and says
    #: otherwise (``Contradiction``), which is asked before it is settled.
    contradictions: str = ""
    #: Of the same, once apps have followed the results: sentences about what was rejected by these games.
    rejections: str = ""
    #: Of a league (or OuterRef): rows of what awaits an organiser's decision.
    open_decisions: str = ""
    #: Of a league (or OuterRef): rows of games that are not recorded yet, with the time ``played_at``.
    unrecorded: str = ""


class Data(NamedTuple):
    """What others must know of an app's rows."""

    #: The subclass of ``league.core.players.erasers.Eraser``, for personal data.
    eraser: str = ""
    #: Of a league: a sentence about its data that prevents deletion, or "".
    deletion_guard: str = ""
    #: Of two players: why they cannot be merged (``core.players.merge_guards.MergeRefusal``).
    merge_guard: str = ""
    #: Of a league: a query of the ids of players who are to play in it.
    entered_players: str = ""
    #: The ``league.core.players.listed_people.PeopleDirectory`` of rating lists.
    people_directory: str = ""


class LogPart(NamedTuple):
    """What an app adds to the logs of leagues."""

    #: The title of its entries in the filter of the log.
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
    #: Of a league: called after entries were appended to its log, if ``League.has_listeners``.
    listener: str = ""


class ExportLines(NamedTuple):
    """A type of lines that an app adds to exports."""

    kind: str = ""
    #: The subclass of ``league.core.transfer.export_parts.ExportPart``.
    part: str = ""
    #: The schemas of their members in the API's document.
    schema: str = ""


class Messages(NamedTuple):
    """News that are sent as messages, the source of messages to chats, and what sends these (``league.core.chats``)."""

    #: The ``league.core.news.NewsSource``.
    news: str = ""
    chat_source: str = ""
    chat_sender: str = ""


class Work(NamedTuple):
    """What workers do for an app."""

    #: Called every 15 seconds; returns what was enqueued.
    sweep: str = ""
    #: A part of the nightly work (a short name) -> function that does it, which returns what was enqueued.
    nightly: Mapping[str, str] = {}
    #: Task -> queue, if not the default one.
    routes: Mapping[str, str] = {}
    #: Entry of the schedule -> task and seconds between two runs.
    schedule: Mapping[str, tuple[str, float]] = {}
    #: Kind of job -> the function that does it.
    jobs: Mapping[str, str] = {}


class Monitoring(NamedTuple):
    """What an app tells those who run the site."""

    #: Called by a web process when it starts.
    web_start: str = ""
    #: Path -> view that answers before sessions and hosts are read.
    health_views: Mapping[str, str] = {}
    #: Of the time: metrics (``core.monitoring.telemetry``).
    gauges: str = ""
    #: Waiting work, for the status page.
    backlogs: Mapping[str, Backlog] = {}


class CapabilityConfig(AppConfig):
    """The declarations of a capability. Functions and other objects are dotted paths, so that nothing is imported.

    Celery finds the module ``tasks``; Django finds commands and migrations.
    """

    default = False

    def __init_subclass__(cls) -> None:
        """Let Django choose the subclass, not this base, as the configuration of an app."""
        cls.default = True

    urls = Urls()
    api = Api()
    pages = Pages()
    games = Games()
    data = Data()
    log = LogPart()
    #: In the order of exports: lines before those that refer to them.
    exports: tuple[ExportLines, ...] = ()
    messages = Messages()
    work = Work()
    monitoring = Monitoring()


def list_capabilities() -> list[CapabilityConfig]:
    """Return the installed capabilities, in the order of INSTALLED_APPS."""
    return [config for config in apps.get_app_configs() if isinstance(config, CapabilityConfig)]


def list_known_capabilities() -> list[CapabilityConfig]:
    """Return the capabilities that a site may install, those too that this one leaves out."""
    configs = (AppConfig.create(f"league.apps.{name}") for name in settings.CAPABILITIES)
    return [config for config in configs if isinstance(config, CapabilityConfig)]


def load_declared(read: Callable[[CapabilityConfig], str]) -> list[Any]:
    """Return what the installed capabilities declare; ``read`` returns the dotted path of one, "" if it has none."""
    return [import_string(path) for config in list_capabilities() if (path := read(config))]


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
