"""Public URLs of the status page."""

from django.urls import path

from league.apps.operations import status_page

PUBLIC = [
    path("status/", status_page.status, name="status"),
    path("status.json", status_page.status_json, name="status_json"),
]
