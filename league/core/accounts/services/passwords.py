"""Forgotten passwords: a link by mail, or one that an owner of the person's league makes; good once and for a day.

And the address to which the mail goes.
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
from league.core.locking import in_transaction
from league.core.permissions import viewer_of_user
from league.core.text.names import storable
from league.models import Invitation, League, Membership

OVER = gettext_noop("This link is good no longer: it was used, or it is older than a day. Ask for a new one.")


class OwnersToken(PasswordResetTokenGenerator):
    """The token of a link that an owner made: it ends, too, when a role, a right or an owner of the person's changes.

    So no one keeps a link to an account that has come to more than it was, or after they have ceased to be an owner.
    """

    key_salt = "league.core.accounts.services.passwords.OwnersToken"

    def _make_hash_value(self, user: Any, timestamp: int) -> str:
        roles = list(Membership.objects.filter(user=user).order_by("league").values_list("league", "role"))
        leagues = [league for league, role in roles]
        owners = Membership.objects.filter(league__in=leagues, role=Membership.Role.OWNER).order_by("league", "user")
        rights = sorted(user.get_all_permissions()), sorted(user.groups.values_list("pk", flat=True))
        more = (roles, list(owners.values_list("league", "user")), user.is_staff, user.is_superuser, *rights)
        return f"{super()._make_hash_value(user, timestamp)}{more}"


class EitherToken:
    """Makes the token of a link by mail, and reads both kinds."""

    def make_token(self, user: Any) -> str:
        """Return the token of a link by mail."""
        return default_token_generator.make_token(user)

    def check_token(self, user: Any, token: str | None) -> bool:
        """Return whether a link is good for a user now."""
        if not user.is_active:
            return False
        return any(kind.check_token(user, token) for kind in (default_token_generator, OWNERS))


OWNERS = OwnersToken()


def link_for(user: Any, token: str) -> str:
    """Return the path under which a user chooses a new password."""
    return reverse("account_reset_password_from_key", args=[user_pk_to_url_str(user), token])


def owners_link(league: League, username: str, *, owner: Any) -> str:
    """Return a link by which a member of a league chooses a new password; nothing is changed before they do.

    Raises NotFound if there is no such member, and Forbidden if ``owner`` owns the league not, or the member is
    more than a user who records or organises in this league only, or did not come by an invitation into it.
    """
    if not viewer_of_user(owner).may("own", league):
        raise Forbidden(_("Only an owner of {league} makes such a link.").format(league=league.title))
    found = Membership.objects.select_related("user").filter(league=league, user__is_active=True)
    member = found.filter(user__username=username).first() if storable(username) else None
    if member is None:
        sentence = _("“{name}” is no member of the league {league}.")
        raise NotFound(sentence.format(name=username, league=league.title))
    # Whether the account reaches further than a league's recorder or organiser does.
    user: Any = member.user
    if (
        member.role == Membership.Role.OWNER
        or user.is_staff
        or user.is_superuser
        or Membership.objects.filter(user=user).exclude(league=member.league).exists()
        or bool(user.get_all_permissions())
    ):
        sentence = _(
            "{name} owns this league or does more on this site than work in it: only they themselves, by mail, "
            "and the site's staff change their password."
        )
        raise Forbidden(sentence.format(name=username))
    if not Invitation.objects.filter(league=league, used_by=member.user).exists():
        # Whoever owns a league may name anyone of the site as a recorder: that alone must not open their account.
        sentence = _(
            "{name} did not come by an invitation into {league}: only they themselves, by mail, and the "
            "site's staff change their password."
        )
        raise Forbidden(sentence.format(name=username, league=league.title))
    return link_for(member.user, OWNERS.make_token(member.user))


def mail_link(user_pk: int, origin: str, language: str = "") -> bool:
    """Send someone a link to a new password at a site (such as https://club.example); returns whether it was sent.

    ``language`` is the one in which it was asked for; without it, the one that is spoken here.
    """
    user = get_user_model().objects.filter(pk=user_pk, is_active=True).exclude(email="").first()
    if user is None:
        return False
    link = origin + link_for(user, default_token_generator.make_token(user))
    site = origin.rsplit("://", maxsplit=1)[-1]
    with override(language or get_language()):
        subject = _("A new password at {site}").format(site=site)
        asked = _("Somebody asked for a new password for {name} at {site}.").format(name=user.get_username(), site=site)
        choose = _("With this link you choose one. It is good once, for a day:")
        nothing = _("If it was not you, do nothing: your password stays as it is.")
        body = f"{asked}\n\n{choose}\n{link}\n\n{nothing}\n"
    return bool(send_mail(subject, body, None, [user.email]))


def set_address(user_pk: Any, email: str) -> None:
    """Give an account an address, to which links to a new password go, too; the address must be well-formed.

    Raises NotFound if the account is gone. The caller has checked the password.
    """

    def work() -> None:
        user = get_user_model().objects.select_for_update().filter(pk=user_pk, is_active=True).first()
        if user is None:
            raise NotFound(_("This account is gone."))
        user.email = email
        user.save(update_fields=["email"])

    in_transaction(work)
