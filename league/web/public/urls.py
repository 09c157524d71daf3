"""URLs of the public pages."""

from django.urls import path

from league.core.capabilities import load_declared
from league.web.public import emblem_pictures, robots
from league.web.public.views import (
    base,
    board,
    compare_days,
    contexts,
    evenings,
    games,
    head_to_head,
    ladders,
    methods,
    player,
    what_if,
)

app_name = "pages"
LEAGUE = "leagues/<str:slug>/"
LADDER = LEAGUE + "ladders/<str:ladder>/"

urlpatterns = [
    path("", base.home, name="home"),
    path(LEAGUE, board.board, name="league"),
    path(LEAGUE + "compared/", compare_days.compared, name="compared"),
    path(LEAGUE + "players/<str:handle>/", player.player, name="player"),
    path(LEAGUE + "players/<str:handle>/games.csv", player.games_csv, name="player_csv"),
    path(LEAGUE + "players/<str:handle>/versus/", head_to_head.compare, name="compare"),
    path(LEAGUE + "players/<str:handle>/versus/<str:other>/", head_to_head.versus_page, name="versus"),
    path(LEAGUE + "contexts/<str:context>/", contexts.context, name="context"),
    path(LEAGUE + "games/", evenings.games, name="games"),
    path(LEAGUE + "games/<int:number>/", games.game, name="game"),
    path(LEAGUE + "what-if/", what_if.what_if_page, name="what_if"),
    path(LEAGUE + "ladders/", ladders.ladders, name="ladders"),
    path(LADDER, ladders.period, name="ladder"),
    path(LADDER + "winners/", ladders.winners, name="winners"),
    path(LADDER + "<str:key>/", ladders.period, name="period"),
    path(LADDER + "<str:key>/changes/", ladders.changes, name="changes"),
    path(LEAGUE + "how/", base.how, name="how"),
    path("systems/", base.systems, name="systems"),
    path("systems/<str:key>/", base.one_system, name="system"),
    path("ladder-methods/", methods.methods, name="methods"),
    path("ladder-methods/<str:key>/", methods.one_method, name="method"),
    path("rulings/", methods.rulings, name="rulings"),
    path(LEAGUE + "emblem.svg", emblem_pictures.emblem, name="emblem"),
    path(LEAGUE + "emblem/<str:digest>.png", emblem_pictures.picture, name="picture"),
    path("robots.txt", robots.robots, name="robots"),
    *(pattern for patterns in load_declared(lambda app: app.urls.public) for pattern in patterns),
]
