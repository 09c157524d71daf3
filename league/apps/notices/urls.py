"""URLs of notices, by the face that includes them."""

from django.urls import path

from league.apps.notices import organiser, unsubscribe_page

ORGANISER = [
    path("<str:slug>/notices/", organiser.notices, name="notices"),
]
SITE = [
    path("accounts/notices/<str:token>/", unsubscribe_page.unsubscribe, name="notices-end"),
]
