"""Addresses of the public pages."""

from django.urls import path

from league.pages import views

app_name = "pages"
LEAGUE = "leagues/<str:slug>/"

urlpatterns = [
    path("", views.home, name="home"),
    path(LEAGUE, views.board, name="league"),
    path(LEAGUE + "players/<str:handle>/", views.player, name="player"),
    path(LEAGUE + "games/", views.games, name="games"),
    path(LEAGUE + "games/<int:number>/", views.game, name="game"),
    path(LEAGUE + "how/", views.how, name="how"),
    path("systems/", views.systems, name="systems"),
    path("systems/<str:key>/", views.one_system, name="system"),
]
