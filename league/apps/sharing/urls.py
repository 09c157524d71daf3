"""Public URLs of embeds, pictures, feeds and the club screen."""

from django.urls import path

from league.apps.sharing import embeds, feed, ics, pictures, previews, wall

LEAGUE = "leagues/<str:slug>/"
LADDER = LEAGUE + "ladders/<str:ladder>/"

PUBLIC = [
    path(LEAGUE + "wall/", wall.wall, name="wall"),
    path(LEAGUE + "share/", embeds.share, name="share"),
    path(LEAGUE + "games.atom", feed.feed, name="feed"),
    path(LEAGUE + "ladders.ics", ics.calendar, name="calendar"),
    path(LEAGUE + "players/<str:handle>/badge.svg", pictures.badge, name="badge"),
    path(LEAGUE + "card.png", previews.league_card, name="league_card"),
    path(LEAGUE + "players/<str:handle>/card.png", previews.player_card, name="player_card"),
    path(LEAGUE + "games/<int:number>/card.png", previews.game_card, name="game_card"),
    path(LADDER + "<str:key>/card.png", previews.period_card, name="period_card"),
    path("embed/" + LEAGUE, embeds.board, name="embed"),
    path("embed/" + LADDER, embeds.ladder, name="embed_ladder"),
    path("embed/" + LEAGUE + "players/<str:handle>/", embeds.player, name="embed_player"),
    path("oembed/", embeds.oembed, name="oembed"),
]
