"""Password reset links, by mail or created by an owner of the user's league, valid once and for a day.

Also sets the mail address of an account.
"""

from typing import Any

from allauth.account.utils import user_pk_to_url_str
from django.contrib.auth import get_user_model
from django.contrib.auth.tokens import PasswordResetTokenGenerator, default_token_generator
from django.core.mail import send_mail
from django.urls import reverse
from django.utils.translation import get_language, gettext_noop, override
from django.utils.translation import gettext as _

from league.core.errors import Forbidden, NotFound
from league.core.locking import transactional
from league.core.permissions import load_viewer_of_user
from league.core.text.names import is_storable
from league.models import Invitation, League, Membership

OVER = gettext_noop("This link is no longer valid: it was used, or is more than a day old. Ask for a new one.")


class OwnersToken(PasswordResetTokenGenerator):
    """The token of an owner's link; it also expires when the user's roles or rights, or the leagues' owners, change.

    So a link cannot be used after the account has gained rights, or after its creator has ceased to be an owner.
    """

    key_salt = "league.core.accounts.services.passwords.OwnersToken"

    def _make_hash_value(self, user: Any, timestamp: int) -> str:
        roles = list(Membership.objects.filter(user=user).order_by("league").values_list("league", "role"))
        leagues = [league for league, role in roles]
        owners = Membership.objects.filter(league__in=leagues, role=Membership.Role.OWNER).order_by("league", "user")
        rights = sorted(user.get_all_permissions()), sorted(user.groups.values_list("pk", flat=True))
        privileges = (roles, list(owners.values_list("league", "user")), user.is_staff, user.is_superuser, *rights)
        return f"{super()._make_hash_value(user, timestamp)}{privileges}"


class EitherToken:
    """Creates tokens for links by mail, and checks both kinds."""

    def make_token(self, user: Any) -> str:
        """Return the token of a link by mail."""
        return default_token_generator.make_token(user)

    def check_token(self, user: Any, token: str | None) -> bool:
        """Return whether a token is valid for a user now."""
        if not user.is_active:
            return False
        return any(kind.check_token(user, token) for kind in (default_token_generator, OWNERS))


OWNERS = OwnersToken()


def _build_reset_path(user: Any, token: str) -> str:
    """Return the path where a user chooses a new password."""
    return reverse("account_reset_password_from_key", args=[user_pk_to_url_str(user), token])


def create_reset_link_for_member(league: League, username: str, *, owner: Any) -> str:
    """Return a link with which a member of a league can choose a new password; nothing changes until then.

    Raises NotFound if there is no such member, and Forbidden if ``owner`` does not own the league, or if the member has
    other rights than recording or organising in this league, or did not join by an invitation to it.
    """
    if not load_viewer_of_user(owner).may("own", league):
        raise Forbidden(_("Only an owner of {league} can create such a link.").format(league=league.title))
    memberships = Membership.objects.select_related("user").filter(league=league, user__is_active=True)
    member = memberships.filter(user__username=username).first() if is_storable(username) else None
    if member is None:
        template = _("“{name}” is not a member of the league {league}.")
        raise NotFound(template.format(name=username, league=league.title))
    # Whether the account has other rights than a recorder or organiser of this league.
    user: Any = member.user
    if (
        member.role == Membership.Role.OWNER
        or user.is_staff
        or user.is_superuser
        or Membership.objects.filter(user=user).exclude(league=member.league).exists()
        or bool(user.get_all_permissions())
    ):
        template = _(
            "{name} owns this league or has other roles on this site, so their password can be "
            "changed only by themselves, by email, or by the site's staff."
        )
        raise Forbidden(template.format(name=username))
    if not Invitation.objects.filter(league=league, used_by=member.user).exists():
        # Owners may add any user as a recorder, which must not give access to that account.
        template = _(
            "{name} did not join through an invitation to {league}, so their password can be "
            "changed only by themselves, by email, or by the site's staff."
        )
        raise Forbidden(template.format(name=username, league=league.title))
    return _build_reset_path(member.user, OWNERS.make_token(member.user))


def send_reset_link(user_pk: int, origin: str, language: str = "") -> bool:
    """Send a user a password link for a site (such as https://club.example); return whether it was sent.

    ``language``: the language of the request; default: the current one.
    """
    user = get_user_model().objects.filter(pk=user_pk, is_active=True).exclude(email="").first()
    if user is None:
        return False
    link = origin + _build_reset_path(user, default_token_generator.make_token(user))
    site = origin.rsplit("://", maxsplit=1)[-1]
    with override(language or get_language()):
        subject = _("New password for {site}").format(site=site)
        request_text = _("A new password was requested for {name} at {site}.").format(
            name=user.get_username(), site=site
        )
        choose = _("Choose one with this link. It works once, within a day:")
        ignore_text = _("If you did not request this, do nothing: your password stays the same.")
        body = f"{request_text}\n\n{choose}\n{link}\n\n{ignore_text}\n"
    return bool(send_mail(subject, body, None, [user.email]))


@transactional
def set_address(user_pk: Any, email: str) -> None:
    """Set the mail address of an account, which also receives password links; it must be well-formed.

    Raises NotFound if the account is gone. The caller has checked the password.
    """
    user = get_user_model().objects.select_for_update().filter(pk=user_pk, is_active=True).first()
    if user is None:
        raise NotFound(_("This account no longer exists."))
    user.email = email
    user.save(update_fields=["email"])
