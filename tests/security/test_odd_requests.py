"""Requests that no client of ours sends: unknown methods, and identifiers in the admin site that are none."""

from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.test import Client

from league.models import Job
from tests.helpers.builders import make_league
from tests.helpers.roles import build_club
from tests.helpers.tiers import mark_slow

pytestmark = pytest.mark.django_db

UUID_OF_NOTHING = "5c8e0f4e-9f5e-4a0b-8a53-2b1c1c8d7f22"
ODD_IDS = ("1", "x", "9" * 40, "a%00b", "_5F", UUID_OF_NOTHING)
PAGES = ("{}/change/", "{}/history/", "{}/delete/", "{}/")
REGISTERED: list[Any] = sorted(admin.site._registry, key=lambda model: model._meta.label)
#: One for each kind of key; Django's own users have pages of their own.
KINDS: list[Any] = [User, *{type(model._meta.pk): model for model in REGISTERED}.values()]
ANSWERED = (200, 302, 400, 403, 404)


def label_of(model: Any) -> str:
    """Return the name of a model."""
    return str(model._meta.label)


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize("model", mark_slow(REGISTERED, "A key of the same kind.", but=KINDS), ids=label_of)
def test_no_object_id_in_the_admin_is_a_fault_of_the_server(model: Any, admin_client: Client) -> None:
    build_club()
    admin_client.raise_request_exception = False
    start = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
    extra = ("password/",) if model._meta.label == "auth.User" else ()
    for odd in ODD_IDS:
        for page in (*PAGES, *(f"{{}}/{one}" for one in extra)):
            address = start + page.format(odd)
            for answer in (admin_client.get(address), admin_client.post(address, {})):
                assert answer.status_code in ANSWERED, address


def test_no_view_on_site_of_an_odd_object_id_is_a_fault_of_the_server(admin_client: Client) -> None:
    make_league()
    admin_client.raise_request_exception = False
    for kind in (ContentType.objects.get_for_model(Job).pk, "x", "0" * 40):
        for odd in ODD_IDS:
            assert admin_client.get(f"/admin/r/{kind}/{odd}/").status_code in ANSWERED, (kind, odd)


@pytest.mark.parametrize("method", ["TRACE", "TRACK", "CONNECT"])
def test_what_would_send_headers_back_is_refused_everywhere(method: str, client: Client) -> None:
    make_league()
    api = "/api/v1/leagues/club/leaderboard/"
    for path in ("/", "/leagues/club/", api, "/admin/", "/healthz", "/readyz", "/static/x"):
        answer = client.generic(method, path, headers={"X-Secret": "do-not-echo"})
        assert answer.status_code == 405, path
        assert "TRACE" not in answer["Allow"], path
        assert b"do-not-echo" not in answer.content, path
        assert (answer["Content-Type"] == "application/problem+json") == (path == api), path
