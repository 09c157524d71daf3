"""Deletes a league created by mistake: one without games and other facts about players."""

import logging
from datetime import datetime
from typing import Any

from django.contrib.admin.models import DELETION
from django.contrib.admin.models import LogEntry as AdminEntry
from django.contrib.contenttypes.models import ContentType
from django.db import DEFAULT_DB_ALIAS, models
from django.db.models import Count
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import pgettext_lazy

from league.core.capabilities import list_models, load_declared
from league.core.errors import Conflict, Refused
from league.core.locking import locked_any_clock
from league.models import Adjustment, Edition, Game, Inactive, InitialRating, Job, League, Token

logger = logging.getLogger(__name__)
#: Facts that prevent the deletion of a league.
FACTS: tuple[tuple[type[models.Model], str | Promise], ...] = (
    (Game, pgettext_lazy("a league has", "games")),
    (InitialRating, pgettext_lazy("a league has", "initial ratings")),
    (Adjustment, pgettext_lazy("a league has", "adjustments")),
    (Inactive, pgettext_lazy("a league has", "inactive players")),
)
PUBLISHED = (Edition, pgettext_lazy("a league has", "published periods"))


@locked_any_clock
def delete_league(league: League, now: datetime, *, username: str, user: Any = None) -> None:
    """Delete a league with its settings, rules, ladders, members and log; its slug can be used again.

    The server log names it, and ``user`` if given. Tokens for this league only are revoked. Raises Refused if the
    league has facts, and Conflict while one of its jobs is running.
    """
    if facts := _list_facts(league):
        template = _(
            "{league} is not empty. It has: {facts}. Only an empty league can be deleted; you can make others private."
        )
        raise Refused(template.format(league=league.title, facts=", ".join(facts)))
    if Job.objects.filter(league=league, state__in=(Job.State.WAITING, Job.State.RUNNING)).exists():
        raise Conflict(_("A job of the league is running. Wait until it ends, or cancel it."))
    token_ids = Token.objects.filter(leagues=league).values_list("pk", flat=True)
    alone = Token.objects.filter(pk__in=list(token_ids)).annotate(count=Count("leagues")).filter(count=1)
    # A token without leagues would apply to all of them.
    Token.objects.filter(pk__in=list(alone.values_list("pk", flat=True)), revoked_at=None).update(revoked_at=now)
    delete_rows(league)
    if user is not None:
        AdminEntry.objects.create(
            user=user,
            content_type=ContentType.objects.get_for_model(League),
            object_id=str(league.pk),
            object_repr=f"{league.title} ({league.slug})"[:200],
            action_flag=DELETION,
            change_message="Empty league.",
        )
    logger.warning("The empty league %s (%s) was deleted by %s.", league.slug, league.title, username)


def _list_facts(league: League) -> list[str]:
    """Return what keeps a league from being deleted."""
    rows = [_describe_rows(league, model, label) for model, label in FACTS]
    declared = [describe(league) for describe in load_declared(lambda app: app.data.deletion_guard)]
    return [fact for fact in (*rows, *declared, _describe_rows(league, *PUBLISHED)) if fact]


def _describe_rows(league: League, model: type[models.Model], label: str | Promise) -> str:
    """Return the label of a table if the league has rows in it, else ""."""
    return str(label) if model._default_manager.filter(league=league).exists() else ""


def delete_rows(league: League) -> None:
    """Delete the league's row, then all its other rows, as triggers protect the log of an existing league."""
    League.objects.filter(pk=league.pk)._raw_delete(DEFAULT_DB_ALIAS)
    Token.leagues.through.objects.filter(league_id=league.pk)._raw_delete(DEFAULT_DB_ALIAS)
    for model in list_models():
        if any(field.name == "league" for field in model._meta.concrete_fields):
            model._base_manager.filter(league=league.pk)._raw_delete(DEFAULT_DB_ALIAS)
