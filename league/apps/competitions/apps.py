"""Declares what this app adds to a site."""

from django.utils.translation import gettext_lazy

from league.core.capabilities import CapabilityConfig, ExportDeclaration, LogDeclaration


class CompetitionsConfig(CapabilityConfig):
    """Competitions: entries, rounds, fixtures and standings."""

    name = "league.apps.competitions"
    game_attacher = "league.apps.competitions.services.attaching.FixtureAttacher"
    organiser_urls = "league.apps.competitions.organiser.urls.ORGANISER"
    organiser_tabs = ("league.apps.competitions.organiser.panels.build_tab",)
    home_panels = ("league.apps.competitions.organiser.panels.build_home_panel",)
    pad_fixtures = ("league.apps.competitions.organiser.panels.list_pad_fixtures",)
    game_fixtures = "league.apps.competitions.selectors.summaries.load_fixtures_of_games"
    api_urls = "league.apps.competitions.api.urls.API"
    public_urls = "league.apps.competitions.public.urls.PUBLIC"
    league_tabs = ("league.apps.competitions.public.additions.build_tab",)
    board_strips = ("league.apps.competitions.public.additions.show_on_board",)
    wall_sections = ("league.apps.competitions.public.wall.show_on_wall",)
    player_facts = ("league.apps.competitions.public.additions.show_next_game",)
    player_sections = ("league.apps.competitions.public.additions.show_player_section",)
    calendar_events = ("league.apps.competitions.public.additions.list_calendar_events",)
    news_sources = ("league.apps.competitions.news.NEWS",)
    open_decisions = ("league.apps.competitions.selectors.decisions.list_competitions_to_decide",)
    link_panels = ("league.apps.competitions.players.link_panel.build_link_panel",)
    link_actions = {
        "enter": "league.apps.competitions.players.link_actions.enter",
        "leave": "league.apps.competitions.players.link_actions.leave",
        "bye": "league.apps.competitions.players.link_actions.change_bye",
    }
    log = LogDeclaration(
        title=gettext_lazy("Competitions"),
        kinds="league.apps.competitions.log_kinds.ChangeKind",
        sentences="league.apps.competitions.organiser.log_sentences.SENTENCES",
        payloads="league.apps.competitions.api.openapi.PAYLOADS",
        audience="league.apps.competitions.selectors.audience.CompetitionAudience",
        fact_tables="league.apps.competitions.records.LOG_TABLES",
    )
    export = ExportDeclaration(
        kind="competition",
        part="league.apps.competitions.export_part.CompetitionPart",
        schema="league.apps.competitions.api.openapi.EXPORTED",
    )
    entered_players = ("league.apps.competitions.selectors.player_entries.query_entered_players",)
    job_kinds = {"pair": "league.apps.competitions.services.pairing_jobs.run_pairing_job"}
    merge_guards = ("league.apps.competitions.selectors.merge_guard.list_merge_refusals",)
    erasers = ("league.apps.competitions.erasers.CompetitionEraser",)
    deletion_guards = ("league.apps.competitions.selectors.competitions.describe_competitions",)
