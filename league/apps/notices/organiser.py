"""What a user is told of a league by mail, as they choose it; and who else is told: chats, for owners."""

from typing import Any, NamedTuple

from allauth.account.adapter import get_adapter
from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop, ngettext
from django.views.decorators.debug import sensitive_post_parameters

from league.apps.notices.models import Notice
from league.apps.notices.selectors.mailed import SentNotice, mails_go_out, recent_notices, role_of, wanted_by
from league.apps.notices.services.choices import choose
from league.apps.notices.services.render import path_of, plain, words_of
from league.core.accounts.services.passwords import set_address
from league.core.chats import Chat, chat_sender
from league.core.errors import RungsError
from league.core.text.labels import inside
from league.core.text.numbers import number
from league.models import League
from league.web.organiser.form_errors import put_errors
from league.web.organiser.page_frame import at_desk, say_refusal, show
from league.web.viewer import viewer_of

#: Maximum number of recent notices listed.
MAX_NOTICES = 8
#: What each kind tells, and when.
MEANS = {
    Notice.Kind.EVENING: gettext_noop(
        "Games, winners, rating changes and the top of the board; sent at six the next morning."
    ),
    Notice.Kind.PERIOD_CLOSED: gettext_noop(
        "Winners of a month or another period, when it is closed or published again."
    ),
    Notice.Kind.DECISION_DUE: gettext_noop(
        "For organisers: a closed period no longer matches its games, or a reported game needs a decision."
    ),
    Notice.Kind.IMPORT_FAILED: gettext_noop("A file was rejected: line and reason."),
}


class NoticeKind(NamedTuple):
    """A kind of notices as the page offers it."""

    name: str
    label: str
    means: str
    wanted: bool


class AddressForm(forms.Form):
    """Where mail goes; the password, because links to a new one go there, too."""

    email = forms.EmailField(
        max_length=254,
        label=gettext_lazy("E-mail"),
        help_text=gettext_lazy("Also used for password reset links. Not shown to anyone."),
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )
    password = forms.CharField(
        max_length=4096,
        strip=False,
        label=gettext_lazy("Your password"),
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )


@sensitive_post_parameters("password")
@at_desk("record")
def notices(request: HttpRequest, league: League) -> HttpResponse:
    """Show what a user is told by mail; keep what they choose."""
    role = role_of(league, request.user)
    wanted = wanted_by(league, request.user, role) if role else {}
    form = AddressForm(request.POST if "_address" in request.POST else None)
    if form.is_bound:
        done = form.is_valid() and given(request, form)
    else:
        done = request.method == "POST" and chosen(request, league, wanted)
    if done:
        return HttpResponseRedirect(reverse("desk:notices", args=[league.slug]))
    kinds = [
        NoticeKind(name, str(Notice.Kind(name).label), _(MEANS[Notice.Kind(name)]), said)
        for name, said in wanted.items()
    ]
    owns = viewer_of(request).may("own", league)
    return show(
        request,
        league,
        "apps/notices/notices.html",
        "settings",
        kinds=kinds,
        form=form,
        chats=chats_of(league) if owns else None,
        mailing=mails_go_out(),
        address=getattr(request.user, "email", ""),
        language=dict(settings.LANGUAGES).get(league.language, league.language),
        lately=[line_of(one, league) for one in recent_notices(league, MAX_NOTICES)],
    )


def line_of(one: SentNotice, league: League) -> dict[str, Any]:
    """Return a notice as a line: what it told, as its mails begin, and to how many."""
    words = words_of(one.notice, league)
    lines = [text for block in words.lines for is_heading, text in block if not is_heading]
    mails = [
        format_count(one.mailed, ngettext("{count} email", "{count} emails", one.mailed))
        if one.mailed
        else _("no emails"),
        *(
            [format_count(one.waiting, ngettext("{count} waiting", "{count} waiting", one.waiting))]
            if one.waiting
            else []
        ),
        *([format_count(one.failed, ngettext("{count} failed", "{count} failed", one.failed))] if one.failed else []),
    ]
    chats = format_count(one.chats, ngettext("{count} chat", "{count} chats", one.chats))
    return {
        "notice": one.notice,
        "title": words.title.removeprefix(f"{plain(league.title)}").lstrip(":, "),
        "first": lines[0] if lines else "",
        "language": words.language,
        "path": path_of(one.notice, league),
        "reached": ", ".join([*mails, *([chats] if one.chats else [])]),
    }


def format_count(count: int, text: str) -> str:
    """Return how many there are of something, in a text with a place for that."""
    return text.format(count=number(count))


def chosen(request: HttpRequest, league: League, offered: dict[str, bool]) -> bool:
    """Keep what someone chose of what they are offered; returns whether that was done."""
    sent = request.POST.getlist("kind")
    wanted = {kind: kind in sent for kind in offered}
    try:
        choose(league, request.user, wanted)
    except RungsError as error:
        say_refusal(request, error)
        return False
    labels = ", ".join(inside(Notice.Kind(kind).label) for kind, said in wanted.items() if said)
    told = _("You get emails about: {kinds}.").format(kinds=labels) if labels else _("You get no emails.")
    messages.success(request, told)
    return True


def given(request: HttpRequest, form: AddressForm) -> bool:
    """Store the address that the user gives, with their password; wrong ones count as those to sign in do."""
    try:
        right = get_adapter().reauthenticate(request.user, form.cleaned_data["password"])
        if not right:
            form.add_error("password", _("This is not your password. The address was not changed."))
            return False
        set_address(request.user.pk, form.cleaned_data["email"])
    except forms.ValidationError as error:
        form.add_error("password", error)
        return False
    except RungsError as error:
        put_errors(form, error)
        return False
    messages.success(request, _("Emails go to {address}.").format(address=form.cleaned_data["email"]))
    return True


def chats_of(league: League) -> list[tuple[Chat, list[str]]] | None:
    """Return the chats of a league with the labels of what they get; None if the site sends to none."""
    sender = chat_sender()
    if sender is None:
        return None
    return [(chat, [inside(Notice.Kind(kind).label) for kind in chat.kinds]) for chat in sender.list_chats(league)]
