"""Public URLs of competitions."""

from django.urls import path

from league.apps.competitions.public import detail_views, link_table, season_link_table, seasons, trail, views, wall

LEAGUE = "leagues/<str:slug>/competitions/"
COMPETITION = LEAGUE + "<str:competition>/"

PUBLIC = [
    path(LEAGUE, views.competitions, name="competitions"),
    path(COMPETITION, views.overview, name="competition"),
    path(COMPETITION + "entries/", views.show_entries, name="competition_entries"),
    path(COMPETITION + "rounds/<int:number>/", views.show_round, name="competition_round"),
    path(COMPETITION + "fixtures/", detail_views.show_fixtures, name="competition_fixtures"),
    path(COMPETITION + "cross-table/", detail_views.show_cross_table, name="competition_cross_table"),
    path(COMPETITION + "rules/", detail_views.show_rules, name="competition_rules"),
    path(COMPETITION + "changes/", trail.show_trail, name="competition_trail"),
    path(COMPETITION + "wall/", wall.show_wall, name="competition_wall"),
    path(COMPETITION + "card.png", link_table.show_card, name="competition_card"),
    path(COMPETITION + "cross-table/card.png", link_table.show_cross_table_card, name="competition_cross_table_card"),
    path(COMPETITION + "rounds/<int:number>/card.png", link_table.show_round_card, name="competition_round_card"),
    path(COMPETITION + "entries/<int:number>/card.png", link_table.show_entry_card, name="competition_entry_card"),
    path(COMPETITION + "entries/<int:number>/", detail_views.show_entry, name="competition_entry"),
    path("leagues/<str:slug>/seasons/<str:season>/", seasons.show_season, name="season"),
    path("leagues/<str:slug>/seasons/<str:season>/card.png", season_link_table.show_season_card, name="season_card"),
]
