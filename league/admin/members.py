"""Members of a league: taken in, given another role, dismissed, on a page of the league."""

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from league.admin.base import ServiceAdmin
from league.desk.again import proved
from league.labels import inside
from league.models import League, Membership
from league.selectors.permissions import members_of
from league.services.accounts.members import remove_member, set_member


class MemberForm(forms.Form):
    """Who works in a league, and as what."""

    user = forms.CharField(
        label=gettext_lazy("User"), max_length=150, help_text=gettext_lazy("The name under which somebody signs in.")
    )
    role = forms.ChoiceField(
        label=gettext_lazy("Role"),
        choices=[*Membership.Role.choices, ("", gettext_lazy("No member any more"))],
        initial=Membership.Role.RECORDER,
        required=False,
        help_text=gettext_lazy(
            "A recorder records games and adds players; an organiser also sets rules, ladders and closed periods "
            "right; an owner also settings, members and tokens."
        ),
    )


class MembersAdmin(ServiceAdmin):
    """A league with the page of its members."""

    def members_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """List the members; give a role, or take it away, after the password."""
        return proved(self.members_page)(request, pk)

    def members_page(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Show the page, and carry out what it sends."""
        league: League = self.found(request, pk)
        self.demand(request, "own", league)
        form = MemberForm(request.POST or None)
        return self.form_page(
            request,
            form,
            _("Members of {league}").format(league=league.title),
            lambda data: self.set_role(request, league, data),
            beside="admin/league/members_beside.html",
            members=members_of(league),
        )

    def set_role(self, request: HttpRequest, league: League, data: dict[str, Any]) -> str:
        """Carry out a change of role."""
        if data["role"]:
            set_member(league.pk, data["user"], data["role"])
            role = inside(Membership.Role(data["role"]).label)
            text = _("{name} is {role} of {league} now.")
            self.say(request, text.format(name=data["user"], role=role, league=league.title))
        else:
            remove_member(league.pk, data["user"])
            text = _("{name} is no member of {league} any more.")
            self.say(request, text.format(name=data["user"], league=league.title))
        return self.url("members", league.pk)
