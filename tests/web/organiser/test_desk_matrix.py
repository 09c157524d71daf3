"""Every page of the desk by every role: who may open it, and who may write. A new address fails until it is listed."""

from typing import Any

import pytest

from league.web.organiser import urls
from tests.helpers.builders import make_league
from tests.helpers.desk_matrix import DESK, DESK_ROLES, MATRIX, OPEN, build_desk, desk_address, signed_in
from tests.helpers.ladder_builders import tables
from tests.helpers.roles import cross_with_roles
from tests.helpers.shared import built_once

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]

built = built_once(build_desk)
#: What a form is asked by, and who may send it at least.
FORMS = {name: ((name,), page.writer or page.least) for name, page in MATRIX.items() if page.form}


def is_refused(answer: Any) -> bool:
    """Tell whether somebody is not let in: led to the login, or told that they may not."""
    return answer.status_code == 403 or str(answer.headers.get("Location", "")).startswith("/admin/login/")


@pytest.mark.sampled(every=2)
@pytest.mark.parametrize(
    ("name", "role"), cross_with_roles({name: ((name,), page.least) for name, page in MATRIX.items()}, DESK_ROLES)
)
def test_every_page_of_the_desk_is_opened_by_whom_it_is_for(name: str, role: str) -> None:
    page = MATRIX[name]
    refused = DESK_ROLES.index(role) < DESK_ROLES.index(page.least)
    browser = signed_in(role)
    answer = browser.get(desk_address(name, page))
    assert is_refused(answer) == refused, answer
    assert answer.status_code in (200, 302, 403, 405)
    if answer.status_code == 405:  # what is for forms only says so in the house, and leads back
        text = answer.content.decode()
        assert "<h1>Nothing to show here</h1>" in text
        assert f'<a class="btn go" href="{DESK}">Back to the overview</a>' in text
        assert answer["Allow"] == "POST"
    if refused:
        before = tables()
        assert is_refused(browser.post(desk_address(name, page)))
        assert tables() == before


@pytest.mark.sampled(every=2)
@pytest.mark.parametrize(("name", "role"), cross_with_roles(FORMS, DESK_ROLES, always=""))
def test_every_form_of_the_desk_is_carried_out_for_whom_it_is(name: str, role: str) -> None:
    page = MATRIX[name]
    assert page.form is not None
    data, browser = page.form(signed_in("staff")), signed_in(role)
    before = tables("RequestKey")
    answer = browser.post(desk_address(name, page), data)
    allowed = DESK_ROLES.index(role) >= DESK_ROLES.index(page.writer or page.least)
    assert is_refused(answer) != allowed, answer
    assert (tables("RequestKey") != before) == allowed, answer.content.decode()


def test_the_matrix_knows_every_address_of_the_desk() -> None:
    assert {pattern.name for pattern in urls.urlpatterns} == {*MATRIX, *OPEN}


def test_every_league_has_its_desk_whatever_its_slug() -> None:
    """What stands beside the desks has a sign in its address that no slug may have."""
    browser = signed_in("staff")
    for slug in ("new", "pad-worker", "found", "record"):
        make_league(slug=slug, title=f"The club {slug}")
        assert browser.get(f"/admin/leagues/{slug}/").context["league"].slug == slug
    beside = {
        str(pattern.pattern) for pattern in urls.urlpatterns if not str(pattern.pattern).startswith("<str:slug>/")
    }
    assert beside == {"+new/", "pad-worker.js"}
    for one in beside:
        with pytest.raises(Exception, match="slug"):
            make_league(slug=one.strip("/"))
