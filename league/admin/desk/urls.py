"""Addresses of the desks of leagues, below admin/leagues/."""

from django.urls import path

from league.admin.desk import games, home, pad

app_name = "desk"
urlpatterns = [
    path("<str:slug>/", home.home, name="home"),
    path("<str:slug>/record/", pad.pad, name="pad"),
    path("<str:slug>/record/change/", pad.change, name="change"),
    path("<str:slug>/games/", games.games, name="games"),
    path("<str:slug>/games/<int:number>/undo/", pad.undo, name="undo"),
]
