"""Addresses of the public pages."""

from django.urls import path

from league.apps.laboratory.views import experiments, health, second_board
from league.apps.operations import status_page
from league.apps.sharing import embeds, feed, ics, pictures, previews, robots, wall
from league.web.public.views import (
    base,
    board,
    compare_days,
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
    path(LEAGUE + "players/<str:handle>/versus/<str:other>/", head_to_head.against, name="versus"),
    path(LEAGUE + "games/", evenings.games, name="games"),
    path(LEAGUE + "games/<int:number>/", games.game, name="game"),
    path(LEAGUE + "what-if/", what_if.what_if_page, name="what_if"),
    path(LEAGUE + "ladders/", ladders.ladders, name="ladders"),
    path(LADDER, ladders.period, name="ladder"),
    path(LADDER + "winners/", ladders.winners, name="winners"),
    path(LADDER + "<str:key>/", ladders.period, name="period"),
    path(LADDER + "<str:key>/changes/", ladders.changes, name="changes"),
    path(LEAGUE + "how/", base.how, name="how"),
    path(LEAGUE + "laboratory/", experiments.laboratory, name="laboratory"),
    path(LEAGUE + "laboratory/<str:name>/", experiments.experiment, name="experiment"),
    path(LEAGUE + "second/", second_board.second_board, name="second_board"),
    path(LEAGUE + "health/", health.health, name="health"),
    path(LEAGUE + "wall/", wall.wall, name="wall"),
    path(LEAGUE + "share/", embeds.share, name="share"),
    path(LEAGUE + "games.atom", feed.feed, name="feed"),
    path(LEAGUE + "ladders.ics", ics.calendar, name="calendar"),
    path(LEAGUE + "emblem.svg", pictures.emblem, name="emblem"),
    path(LEAGUE + "emblem/<str:digest>.png", pictures.picture, name="picture"),
    path(LEAGUE + "players/<str:handle>/badge.svg", pictures.badge, name="badge"),
    path(LEAGUE + "card.png", previews.league_card, name="league_card"),
    path(LEAGUE + "players/<str:handle>/card.png", previews.player_card, name="player_card"),
    path(LEAGUE + "games/<int:number>/card.png", previews.game_card, name="game_card"),
    path(LADDER + "<str:key>/card.png", previews.period_card, name="period_card"),
    path("embed/" + LEAGUE, embeds.board, name="embed"),
    path("embed/" + LADDER, embeds.ladder, name="embed_ladder"),
    path("embed/" + LEAGUE + "players/<str:handle>/", embeds.player, name="embed_player"),
    path("oembed/", embeds.oembed, name="oembed"),
    path("robots.txt", robots.robots, name="robots"),
    path("status/", status_page.status, name="status"),
    path("status.json", status_page.status_json, name="status_json"),
    path("systems/", base.systems, name="systems"),
    path("systems/<str:key>/", base.one_system, name="system"),
    path("ladder-methods/", methods.methods, name="methods"),
    path("ladder-methods/<str:key>/", methods.one_method, name="method"),
    path("rulings/", methods.rulings, name="rulings"),
]
