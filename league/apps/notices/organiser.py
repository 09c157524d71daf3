"""The page where members choose their notices by mail; owners also see the chats."""

from typing import Any

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
from league.apps.notices.selectors.mailed import (
    can_send_mails,
    find_role,
    load_recent_notices,
    load_wanted_kinds,
)
from league.apps.notices.services.choices import save_choices
from league.apps.notices.services.render import convert_to_plain_line, find_notice_path, render_notice
from league.core.accounts.services.passwords import set_address
from league.core.chats import Chat, find_chat_sender
from league.core.errors import RungsError
from league.core.text.display_formats import format_number
from league.core.text.labels import format_inside_sentence
from league.models import League
from league.web.organiser.forms import add_errors
from league.web.organiser.site import add_error_message, organiser_page, show
from league.web.sign_in.sessions import viewer_of

#: Maximum number of recent notices listed.
MAX_NOTICES = 8
#: Description of each kind.
KIND_DESCRIPTIONS = {
    Notice.Kind.EVENING: gettext_noop(
        "Games, winners, rating changes and the top of the board; sent at six the next morning."
    ),
    Notice.Kind.PERIOD_CLOSED: gettext_noop(
        "Winners of a month or another period, when it is closed or published again."
    ),
    Notice.Kind.DECISION_DUE: gettext_noop(
        "For organisers: a closed period or finished competition no longer matches its games, a reported game needs a "
        "decision, or a game of a competition has passed its deadline."
    ),
    Notice.Kind.IMPORT_FAILED: gettext_noop("A file was rejected: line and reason."),
    Notice.Kind.ROUND_PUBLISHED: gettext_noop("Who plays whom, when a round of a competition is published."),
    Notice.Kind.DEADLINE_NEAR: gettext_noop("Games of a competition without a result, 48 hours before their deadline."),
    Notice.Kind.FINAL_STANDINGS: gettext_noop("The final standings of a competition, published or corrected."),
}


class AddressForm(forms.Form):
    """The mail address; the password is required because password reset links go there too."""

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
@organiser_page("record")
def edit_notices(request: HttpRequest, league: League) -> HttpResponse:
    """Show a user's choices of notices, and save them."""
    role = find_role(league, request.user)
    choices = load_wanted_kinds(league, request.user, role) if role else {}
    form = AddressForm(request.POST if "_address" in request.POST else None)
    if form.is_bound:
        is_saved = form.is_valid() and _save_address(request, form)
    else:
        is_saved = request.method == "POST" and _save_choices(request, league, choices)
    if is_saved:
        return HttpResponseRedirect(reverse("desk:notices", args=[league.slug]))
    kinds = [
        {"name": kind.value, "label": kind.label, "means": _(KIND_DESCRIPTIONS[kind]), "wanted": choices[kind]}
        for kind in map(Notice.Kind, choices)
    ]
    viewer = viewer_of(request)
    return show(
        request,
        league,
        "apps/notices/notices.html",
        "settings",
        kinds=kinds,
        form=form,
        chats=_list_chats(league) if viewer.may("own", league) else None,
        may_open_settings=viewer.may("organise", league),
        mailing=can_send_mails(),
        address=getattr(request.user, "email", ""),
        language=dict(settings.LANGUAGES).get(league.language, league.language),
        lately=[_build_line(notice, league) for notice in load_recent_notices(league, MAX_NOTICES)],
    )


def _build_line(notice: Any, league: League) -> dict[str, Any]:
    notice_text = render_notice(notice, league)
    lines = [text for block in notice_text.lines for is_heading, text in block if not is_heading]
    counts = [
        (notice.mailed, ngettext("{count} email", "{count} emails", notice.mailed)),
        (notice.waiting, ngettext("{count} waiting", "{count} waiting", notice.waiting)),
        (notice.failed, ngettext("{count} failed", "{count} failed", notice.failed)),
        (notice.chats, ngettext("{count} chat", "{count} chats", notice.chats)),
    ]
    told = [text.format(count=format_number(count)) for count, text in counts if count]
    return {
        "notice": notice,
        "title": notice_text.title.removeprefix(f"{convert_to_plain_line(league.title)}").lstrip(":, "),
        "first": lines[0] if lines else "",
        "language": notice_text.language,
        "path": find_notice_path(notice, league),
        "reached": ", ".join(told if notice.mailed else [_("no emails"), *told]),
    }


def _save_choices(request: HttpRequest, league: League, offered_kinds: dict[str, bool]) -> bool:
    checked = request.POST.getlist("kind")
    wanted_kinds = {kind: kind in checked for kind in offered_kinds}
    try:
        save_choices(league, request.user, wanted_kinds)
    except RungsError as error:
        add_error_message(request, error)
        return False
    labels = ", ".join(
        format_inside_sentence(Notice.Kind(kind).label) for kind, is_wanted in wanted_kinds.items() if is_wanted
    )
    message = _("You get emails about: {kinds}.").format(kinds=labels) if labels else _("You get no emails.")
    messages.success(request, message)
    return True


def _save_address(request: HttpRequest, form: AddressForm) -> bool:
    try:
        is_correct = get_adapter().reauthenticate(request.user, form.cleaned_data["password"])
        if not is_correct:
            form.add_error("password", _("This is not your password. The address was not changed."))
            return False
        set_address(request.user.pk, form.cleaned_data["email"])
    except forms.ValidationError as error:
        form.add_error("password", error)
        return False
    except RungsError as error:
        add_errors(form, error)
        return False
    messages.success(request, _("Emails go to {address}.").format(address=form.cleaned_data["email"]))
    return True


def _list_chats(league: League) -> list[tuple[Chat, list[str]]] | None:
    sender = find_chat_sender()
    if sender is None:
        return None
    return [
        (chat, [format_inside_sentence(Notice.Kind(kind).label) for kind in chat.kinds])
        for chat in sender.list_chats(league)
    ]
