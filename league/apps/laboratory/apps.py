"""Declares what this app adds to a site."""

from league.core.capabilities import Api, CapabilityConfig, Pages, Urls, Work


class LaboratoryConfig(CapabilityConfig):
    """Experiments, the health of ratings, and the board of a second system."""

    name = "league.apps.laboratory"
    urls = Urls(
        public="league.apps.laboratory.urls.PUBLIC",
        organiser="league.apps.laboratory.urls.ORGANISER",
        api="league.apps.laboratory.urls.API",
    )
    pages = Pages(
        player_fact="league.apps.laboratory.views.second_board.show_player_fact",
        context_advice="league.apps.laboratory.services.splits.advise_on_context",
    )
    work = Work(
        sweep="league.apps.laboratory.services.second_board.request_due_second_boards",
        nightly={"boards": "league.apps.laboratory.services.second_board.request_all_second_boards"},
        jobs={
            "compare": "league.apps.laboratory.services.request_experiments.run_experiment_job",
            "second": "league.apps.laboratory.services.second_board.build_second_board",
        },
    )
    api = Api(
        document="league.apps.laboratory.api.experiments.limit_candidates",
        descriptions="league.apps.laboratory.api.experiments.DESCRIPTIONS",
    )
