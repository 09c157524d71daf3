"""The People page: members and their roles, invitations by link, and players."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop
from django.views.decorators.cache import never_cache

from league.core.accounts.selectors.invitations import format_time_left, list_assignable_roles, open_invitations
from league.core.accounts.services.invitations import INVITATIONS, make_invitation, withdraw_invitation
from league.core.accounts.services.members import remove_member, set_member
from league.core.accounts.services.passwords import create_reset_link_for_member
from league.core.errors import RungsError
from league.core.permissions import find_members
from league.core.players.selectors.duplicates import find_near_duplicates
from league.core.text.labels import format_inside_sentence
from league.models import Invitation, League, Membership
from league.web.organiser.forms import build_form_field, build_link_secret, create_link_once, get_form_key, is_recent
from league.web.organiser.players import load_roster_page
from league.web.organiser.site import add_error_message, organiser_page, post_action, show
from league.web.sign_in.reauthentication import require_password
from league.web.sign_in.sessions import viewer_of

#: A short description of each role.
ROLE_DESCRIPTIONS = {
    "recorder": gettext_noop("Can record games and add players."),
    "arbiter": gettext_noop("Can also run competitions."),
    "organiser": gettext_noop("Can also set rules and ladders and invite members."),
    "owner": gettext_noop("Can also change settings, members and tokens."),
}


class InviteForm(forms.Form):
    """The role that an invitation gives, and whom it is for."""

    note = build_form_field(
        Invitation.note.field,
        label=gettext_lazy("For whom"),
        help_text=gettext_lazy("A name or an address, shown only in this list."),
    )

    def __init__(self, roles: list[str], data: Any = None) -> None:
        super().__init__(data)
        self.fields["role"] = forms.ChoiceField(
            choices=[(role, Membership.Role(role).label) for role in roles],
            initial=Membership.Role.RECORDER,
        )


@organiser_page("organise")
def people(request: HttpRequest, league: League) -> HttpResponse:
    """Show the members, invitations and players."""
    return _render_people(request, league, InviteForm(list_assignable_roles(viewer_of(request), league)))


def _render_people(request: HttpRequest, league: League, form: InviteForm, **context: Any) -> HttpResponse:
    now, viewer = timezone.now(), viewer_of(request)
    slug, name, role = request.session.pop("removed", ("", "", ""))
    roles = list_assignable_roles(viewer, league)
    return show(
        request,
        league,
        "web/organiser/people.html",
        "people",
        form=form,
        choices=[(role, Membership.Role(role).label, _(ROLE_DESCRIPTIONS[role])) for role in roles],
        members=find_members(league),
        owns=viewer.may("own", league),
        roles=Membership.Role.choices,
        invitations=[
            (invitation, format_time_left(invitation, now), invitation.role in roles)
            for invitation in open_invitations(league, now)
        ],
        once=get_form_key(request, new=True),
        roster=load_roster_page(request, league),
        twins=find_near_duplicates(league),
        # The member just removed and their role, for the Undo button.
        removed=(name, role) if slug == league.slug else None,
        **context,
    )


@never_cache
@organiser_page("organise")
@require_password
def invite(request: HttpRequest, league: League) -> HttpResponse:
    """Create an invitation; its link is shown only once."""
    if request.method != "POST":
        return _redirect_to_people(league)
    form = InviteForm(list_assignable_roles(viewer_of(request), league), request.POST)
    if not form.is_valid():
        return _render_people(request, league, form)
    secret = build_link_secret(request, INVITATIONS, league)
    role, note = form.cleaned_data["role"], form.cleaned_data["note"]
    changed_message = _(
        "This form has already created a link, and its contents have changed. Submit it again to create a second link."
    )
    outcome = create_link_once(
        request, form, lambda: make_invitation(league.pk, role, secret, user=request.user, note=note), changed_message
    )
    if outcome is None:
        return _render_people(request, league, form)
    created = open_invitations(league, timezone.now()).filter(pk=outcome.answer["link"]).first()
    if created is None or not is_recent(outcome):
        message = _("This form has already created a link, which was shown then. If it is lost, create another one.")
        messages.info(request, message)
        return _redirect_to_people(league)
    link = request.build_absolute_uri(reverse("invitation", args=[secret]))
    fresh = InviteForm(list_assignable_roles(viewer_of(request), league))
    return _render_people(request, league, fresh, link=link, made=created)


@post_action("organise", "people")
def withdraw(request: HttpRequest, league: League, pk: int) -> None:
    """Withdraw an invitation."""
    invitation = withdraw_invitation(league.pk, pk, user=request.user)
    message = _("The invitation for {name} was withdrawn.") if invitation.note else _("The invitation was withdrawn.")
    messages.success(request, message.format(name=invitation.note))


@post_action("own", "people")
@require_password
def change_member(request: HttpRequest, league: League) -> HttpResponse:
    """Change a member's role, or remove the member."""
    name, role = request.POST.get("user", ""), "none" if "_remove" in request.POST else request.POST.get("role", "")
    membership = find_members(league).filter(user__username=name.replace("\0", "")).first()
    if role == "none" and membership is None:
        raise Http404
    if role == "none":
        remove_member(league.pk, name)
        request.session["removed"] = (league.slug, name, membership.role if membership else "")
    else:
        set_member(league.pk, name, role)
        message = _("{name} is now {role} of {league}.")
        label = format_inside_sentence(Membership.Role(role).label)
        messages.success(request, message.format(name=name, role=label, league=league.title))
    is_self = name == request.user.get_username() and not request.user.is_superuser
    if is_self and role in ("none", Membership.Role.RECORDER):
        request.session.pop("removed", None)
        return HttpResponseRedirect(reverse("pages:league" if role == "none" else "desk:home", args=[league.slug]))
    return _redirect_to_people(league)


@never_cache
@organiser_page("own")
@require_password
def create_password_link(request: HttpRequest, league: League) -> HttpResponse:
    """Create a link with which a member can choose a new password; it is shown only once and not stored."""
    if request.method != "POST":
        return _redirect_to_people(league)
    name = request.POST.get("user", "")
    try:
        link = create_reset_link_for_member(league, name, owner=request.user)
    except RungsError as error:
        add_error_message(request, error)
        return _redirect_to_people(league)
    form = InviteForm(list_assignable_roles(viewer_of(request), league))
    return _render_people(request, league, form, link=request.build_absolute_uri(link), forgetful=name)


def _redirect_to_people(league: League) -> HttpResponse:
    return HttpResponseRedirect(reverse("desk:people", args=[league.slug]))
