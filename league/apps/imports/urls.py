"""URLs of imports, for the organiser's pages and the API."""

from django.urls import path

from league.apps.imports import api as imports
from league.apps.imports.organiser import import_file, paste, recorded_pastes

API_LEAGUE = "leagues/<str:league>/"

ORGANISER = [
    path("<str:slug>/paste/", paste.paste_games, name="paste"),
    path("<str:slug>/paste/<slug:key>/undo/", recorded_pastes.undo_pasted_games, name="paste_undo"),
    path("<str:slug>/import/", import_file.upload_file, name="bring"),
    path("<str:slug>/import/<uuid:pk>/", import_file.show_preview, name="tried"),
]
API = [
    path(API_LEAGUE + "games/import/", imports.Import.as_view(), name="import"),
]
