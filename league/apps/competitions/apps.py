"""Declares what this app adds to a site."""

from django.utils.translation import gettext_lazy

from league.core.capabilities import (
    Api,
    CapabilityConfig,
    Data,
    ExportLines,
    Games,
    LogPart,
    Messages,
    Pages,
    Urls,
    Work,
)


class CompetitionsConfig(CapabilityConfig):
    """Competitions: entries, rounds, fixtures and standings."""

    name = "league.apps.competitions"
    urls = Urls(
        public="league.apps.competitions.public.urls.PUBLIC",
        organiser="league.apps.competitions.organiser.urls.ORGANISER",
        api="league.apps.competitions.api.urls.API",
    )
    api = Api(
        descriptions="league.apps.competitions.api.openapi.DESCRIPTIONS",
        faults="league.apps.competitions.api.openapi.FAULTS",
    )
    pages = Pages(
        league_tab="league.apps.competitions.public.additions.build_tab",
        board_strip="league.apps.competitions.public.additions.show_on_board",
        front_notes="league.apps.competitions.public.additions.list_front_notes",
        wall_pages="league.apps.competitions.public.wall.build_wall_pages",
        player_next="league.apps.competitions.public.additions.show_next_games",
        game_place="league.apps.competitions.public.additions.show_on_game",
        game_events="league.apps.competitions.public.additions.list_game_events",
        player_section="league.apps.competitions.public.additions.show_player_section",
        calendar_events="league.apps.competitions.public.additions.list_calendar_events",
        link_panel="league.apps.competitions.players.link_panel.build_link_panels",
        link_actions={
            "enter": "league.apps.competitions.players.link_actions.enter",
            "leave": "league.apps.competitions.players.link_actions.leave",
            "enter_season": "league.apps.competitions.players.link_actions.enter_season",
            "leave_season": "league.apps.competitions.players.link_actions.leave_season",
            "bye": "league.apps.competitions.players.link_actions.change_bye",
        },
        organiser_tab="league.apps.competitions.organiser.panels.build_tab",
        home_panel="league.apps.competitions.organiser.panels.build_home_panel",
        next_games="league.apps.competitions.organiser.panels.list_next_games",
        attached_to="league.apps.competitions.organiser.panels.describe_fixtures_of_games",
        change_consequences="league.apps.competitions.organiser.correct_result.show_consequences",
    )
    games = Games(
        attacher="league.apps.competitions.services.attaching.FixtureAttacher",
        attached="league.apps.competitions.selectors.summaries.load_fixtures_of_games",
        results="league.apps.competitions.selectors.playable_fixtures.load_results_of_games",
        open_decisions="league.apps.competitions.selectors.decisions.list_competitions_to_decide",
    )
    data = Data(
        eraser="league.apps.competitions.erasers.CompetitionEraser",
        deletion_guard="league.apps.competitions.selectors.competitions.describe_competitions",
        merge_guard="league.apps.competitions.selectors.merge_guard.list_merge_refusals",
        entered_players="league.apps.competitions.selectors.player_entries.query_entered_players",
    )
    log = LogPart(
        title=gettext_lazy("Competitions"),
        kinds="league.apps.competitions.log_kinds.ChangeKind",
        sentences="league.apps.competitions.organiser.log_sentences.SENTENCES",
        payloads="league.apps.competitions.api.openapi.PAYLOADS",
        audience="league.apps.competitions.selectors.audience.CompetitionAudience",
        fact_tables="league.apps.competitions.records.LOG_TABLES",
    )
    exports = (
        ExportLines(
            kind="competition",
            part="league.apps.competitions.export_part.CompetitionPart",
            schema="league.apps.competitions.api.openapi.EXPORTED",
        ),
        ExportLines(
            kind="season",
            part="league.apps.competitions.season_part.SeasonsPart",
            schema="league.apps.competitions.api.openapi.EXPORTED_SEASON",
        ),
        ExportLines(
            kind="hall",
            part="league.apps.competitions.hall_part.HallsPart",
            schema="league.apps.competitions.api.openapi.EXPORTED_HALL",
        ),
    )
    messages = Messages(news="league.apps.competitions.news.NEWS")
    work = Work(jobs={"pair": "league.apps.competitions.services.pairing_jobs.run_pairing_job"})
