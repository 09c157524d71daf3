"""Declares what this app adds to a site."""

from league.core.capabilities import CapabilityConfig


class LaboratoryConfig(CapabilityConfig):
    """Experiments, the health of ratings, and the board of a second system."""

    name = "league.apps.laboratory"
    public_urls = "league.apps.laboratory.urls.PUBLIC"
    organiser_urls = "league.apps.laboratory.urls.ORGANISER"
    api_urls = "league.apps.laboratory.urls.API"
    sweep = ("league.apps.laboratory.services.second_board.request_due_second_boards",)
    nightly = {"boards": "league.apps.laboratory.services.second_board.request_all_second_boards"}
    player_facts = ("league.apps.laboratory.views.second_board.show_player_fact",)
    openapi = ("league.apps.laboratory.api.experiments.limit_candidates",)
    job_kinds = {
        "compare": "league.apps.laboratory.services.request_experiments.run_experiment_job",
        "second": "league.apps.laboratory.services.second_board.build_second_board",
    }
