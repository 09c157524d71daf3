"""Addresses of the public pages."""

from django.urls import path

from league.pages import (
    views,
    views_board,
    views_compared,
    views_evenings,
    views_games,
    views_health,
    views_laboratory,
    views_ladders,
    views_methods,
    views_player,
    views_second,
    views_status,
    views_versus,
    views_wall,
    views_what_if,
)
from league.pages.out import embeds, feed, ics, machines, pictures, previews

app_name = "pages"
LEAGUE = "leagues/<str:slug>/"
LADDER = LEAGUE + "ladders/<str:ladder>/"

urlpatterns = [
    path("", views.home, name="home"),
    path(LEAGUE, views_board.board, name="league"),
    path(LEAGUE + "compared/", views_compared.compared, name="compared"),
    path(LEAGUE + "players/<str:handle>/", views_player.player, name="player"),
    path(LEAGUE + "players/<str:handle>/games.csv", views_player.games_csv, name="player_csv"),
    path(LEAGUE + "players/<str:handle>/versus/", views_versus.compare, name="compare"),
    path(LEAGUE + "players/<str:handle>/versus/<str:other>/", views_versus.against, name="versus"),
    path(LEAGUE + "games/", views_evenings.games, name="games"),
    path(LEAGUE + "games/<int:number>/", views_games.game, name="game"),
    path(LEAGUE + "what-if/", views_what_if.what_if_page, name="what_if"),
    path(LEAGUE + "ladders/", views_ladders.ladders, name="ladders"),
    path(LADDER, views_ladders.period, name="ladder"),
    path(LADDER + "winners/", views_ladders.winners, name="winners"),
    path(LADDER + "<str:key>/", views_ladders.period, name="period"),
    path(LADDER + "<str:key>/changes/", views_ladders.changes, name="changes"),
    path(LEAGUE + "how/", views.how, name="how"),
    path(LEAGUE + "laboratory/", views_laboratory.laboratory, name="laboratory"),
    path(LEAGUE + "laboratory/<str:name>/", views_laboratory.experiment, name="experiment"),
    path(LEAGUE + "second/", views_second.second_board, name="second_board"),
    path(LEAGUE + "health/", views_health.health, name="health"),
    path(LEAGUE + "wall/", views_wall.wall, name="wall"),
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
    path("robots.txt", machines.robots, name="robots"),
    path("status/", views_status.status, name="status"),
    path("status.json", views_status.status_json, name="status_json"),
    path("systems/", views.systems, name="systems"),
    path("systems/<str:key>/", views.one_system, name="system"),
    path("ladder-methods/", views_methods.methods, name="methods"),
    path("ladder-methods/<str:key>/", views_methods.one_method, name="method"),
    path("rulings/", views_methods.rulings, name="rulings"),
]
