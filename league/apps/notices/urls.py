"""URLs of notices: organiser's pages and site pages."""

from django.urls import path

from league.apps.notices import organiser, unsubscribe_page

ORGANISER = [
    path("<str:slug>/notices/", organiser.edit_notices, name="notices"),
]
SITE = [
    path("accounts/notices/<str:token>/", unsubscribe_page.unsubscribe, name="notices-end"),
]
