"""URLs of the laboratory: public pages, organiser's pages and API."""

from django.urls import path

from league.apps.laboratory.api import experiments as experiments_api
from league.apps.laboratory.api import health as health_api
from league.apps.laboratory.api import second_board as second_board_api
from league.apps.laboratory.organiser import experiments as organiser_experiments
from league.apps.laboratory.organiser import second_board as organiser_second_board
from league.apps.laboratory.views import experiments, health, second_board

LEAGUE = "leagues/<str:slug>/"
API_LEAGUE = "leagues/<str:league>/"
EXPERIMENT = API_LEAGUE + "experiments/<str:experiment>/"

PUBLIC = [
    path(LEAGUE + "laboratory/", experiments.laboratory, name="laboratory"),
    path(LEAGUE + "laboratory/<str:name>/", experiments.experiment, name="experiment"),
    path(LEAGUE + "second/", second_board.second_board, name="second_board"),
    path(LEAGUE + "health/", health.health, name="health"),
]
ORGANISER = [
    path("<str:slug>/laboratory/", organiser_experiments.laboratory, name="laboratory"),
    path("<str:slug>/second-board/", organiser_second_board.second_board, name="second_board"),
]
API = [
    path(API_LEAGUE + "experiments/", experiments_api.Experiments.as_view(), name="experiments"),
    path(EXPERIMENT, experiments_api.ExperimentDetail.as_view(), name="experiment"),
    path(EXPERIMENT + "cancel/", experiments_api.CancelExperiment.as_view(), name="cancel-experiment"),
    path(API_LEAGUE + "second-board/", second_board_api.SecondBoardOfLeague.as_view(), name="second-board"),
    path(API_LEAGUE + "health/", health_api.LeagueHealth.as_view(), name="health"),
]
