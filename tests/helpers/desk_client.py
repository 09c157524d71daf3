"""What a browser without script sends to the desk, and what it reads there."""

import re
from typing import Any

from django.contrib.auth.models import User
from django.test import Client

from league.core.accounts.services.members import set_member
from league.models import League

DESK = "/admin/leagues/club/"
PAD = f"{DESK}record/"
ONCE_KEY = "0123456789abcdef0123456789abcdef"


def sign_in_member(name: str, role: str, league: League) -> Client:
    """Return the browser of somebody with a role in a league."""
    user = User.objects.create_user(name)
    set_member(league.pk, name, role)
    browser = Client()
    browser.force_login(user)
    return browser


def sheet_fields(*rows: tuple[Any, ...], columns: tuple[str, ...] = ("player", "score"), **more: Any) -> dict[str, Any]:
    """Return a filled-in pad as a browser sends it."""
    data: dict[str, Any] = {"seats-TOTAL_FORMS": len(rows), "seats-INITIAL_FORMS": 0}
    for number, row in enumerate(rows):
        data |= {f"seats-{number}-{column}": value for column, value in zip(columns, row, strict=True)}
    return {**data, **more}


def page_messages(page: Any) -> str:
    """Return what a page says at its top, tags left out; links are parts of its sentences."""
    sentences = (re.sub(r"</?a\b[^>]*>", "", str(message)) for message in page.context["messages"])
    return " ".join(re.sub(r"<[^>]+>", " ", one) for one in sentences)


def dated_sheet(*rows: tuple[Any, ...], **more: Any) -> dict[str, Any]:
    """Return a filled-in sheet with its time as a browser sends it."""
    return sheet_fields(*rows, **{"played_at": "2024-03-05T20:30", **more})


def seat_errors(page: Any, row: int, column: str) -> list[str]:
    """Return what stands at a field of a seat."""
    return list(page.context["sheet"].formset.forms[row].errors.get(column, []))


def page_text(page: Any) -> str:
    """Return a page's text in one line, tags left out."""
    return " ".join(re.sub(r"<[^>]+>", " ", page.content.decode()).split())


def form_fields(form: Any, **more: Any) -> dict[str, Any]:
    """Return a form as a browser sends it."""
    shown = {name: "" if form[name].value() is None else form[name].value() for name in form.fields}
    return {**shown, **more}


def once_key(page: Any) -> str:
    """Return the key of the form on a page."""
    (key,) = re.findall(r'name="once" value="([0-9a-f]{32})"', page.content.decode())
    return str(key)


def page_html(page: Any) -> str:
    """Return a page's text in one line."""
    return " ".join(page.content.decode().split())


def ok_text(answer: Any) -> str:
    """Return the words of a page in one line."""
    assert answer.status_code == 200, answer
    return " ".join(re.sub(r"<[^>]+>", " ", answer.content.decode()).split())


def browser_of(name: str) -> Client:
    """Return the browser of somebody."""
    browser = Client()
    browser.force_login(User.objects.get(username=name))
    return browser


def fetch_page(client: Client, path: str, status: int = 200) -> str:
    """Return a page as one line."""
    answer = client.get(path)
    assert answer.status_code == status, answer.content[:2000]
    return " ".join(answer.content.decode().split())


def bound_fields(page: Any, **more: Any) -> dict[str, Any]:
    """Return the form of the settings as a browser sends it, with what it had shown."""
    form = page.context["form"]
    shown = {bound.html_name: bound.value() for bound in form}
    hidden = {bound.html_initial_name: bound.initial for bound in form}
    return {name: "" if value is None else value for name, value in {**hidden, **shown, **more}.items()}
