"""Creates, changes and removes the contexts of a league."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from league.core.contexts.filters import Filter, find_filter_problems, normalize_filter
from league.core.contexts.scopes import scope_league
from league.core.errors import Busy, Conflict, Invalid, NotFound, Problem, Refused, build_pointer
from league.core.fields.selectors.fields import load_fields
from league.core.jobs import queue
from league.core.locking import locked
from league.core.log.services import entries
from league.core.replay.services.contexts import replay_scope
from league.core.replay.services.inline import has_many_following_games
from league.core.rules.selectors.rules import load_rules
from league.core.text.names import is_storable, shorten_name
from league.models import Context, League, LogEntry
from league.models.contexts import CONTEXT_LOG, MAX_CONTEXTS, changes_of, gameless_changes_of, ratings_of
from ratings.contract.parameters import ParameterError
from ratings.registry import UnknownSystem, get_system

#: What may change of a context.
CHANGEABLE = ("title", "filter", "start", "system", "parameters")


@dataclass(frozen=True)
class NewContext:
    """A context to create."""

    slug: str
    title: str
    filter: Filter = field(default_factory=dict)
    start: str = "own"
    system: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)


def find_context(league: League, slug: str) -> Context:
    """Return a context of a league; raises NotFound."""
    context = league.contexts.filter(slug=slug).first() if league.has_contexts and is_storable(slug) else None
    if context is None:
        raise NotFound(_("The league has no context “{context}”.").format(context=shorten_name(slug)))
    return context


def find_scope(league: League, slug: str) -> League:
    """Return a league as it is read in one of its contexts; "": the league itself.

    Raises NotFound, and Busy while the context is computed.
    """
    if not slug:
        return league
    context = find_context(league, slug)
    if context.pending or league.stale_from is not None:
        raise Busy(_("The ratings of this context are being computed; try again soon."))
    return scope_league(league, context)


def build_context(league: League, new: NewContext) -> Context:
    """Return an unsaved context; raises Invalid with a pointer per member."""
    context = Context(league=league, **vars(new))
    _check_context(league, context)
    return context


@locked
def create_context(league: League, now: datetime, new: NewContext, *, username: str) -> Context:
    """Create a context, and compute its ratings from all games: at once, or by a worker if there are many.

    Raises Invalid with a pointer per member, Conflict if the slug is taken, Refused if there are too many contexts.
    """
    if league.contexts.filter(slug=new.slug).exists():
        message = _("The league already has a context “{context}”; choose another slug.").format(context=new.slug)
        raise Conflict.of([Problem("/slug", "taken", message)])
    if league.contexts.count() >= MAX_CONTEXTS:
        template = _("A league has at most {limit} contexts; remove one first.")
        raise Refused.of([Problem("/slug", "too_many", template.format(limit=MAX_CONTEXTS))])
    context = build_context(league, new)
    context.created_by = username
    context.save(force_insert=True)
    Context.objects.filter(pk=context.pk).update(created_at=now)
    context.created_at = now
    league.has_contexts = True
    _invalidate_pages(league)
    entries.append(league, now, username, LogEntry.Kind.CONTEXT_CREATED, CONTEXT_LOG.build_payload(context))
    _compute(league, context)
    return context


@locked
def change_context(league: League, now: datetime, slug: str, changes: Mapping[str, Any], *, username: str) -> Context:
    """Change a context; what changes its ratings replays it alone. Raises NotFound or Invalid."""
    context = find_context(league, slug)
    before = {name: getattr(context, name) for name in CHANGEABLE}
    for name in CHANGEABLE:
        setattr(context, name, changes.get(name, before[name]))
    _check_context(league, context)
    context.save(update_fields=list(CHANGEABLE))
    _invalidate_pages(league)
    entries.append(league, now, username, LogEntry.Kind.CONTEXT_CHANGED, CONTEXT_LOG.build_payload(context))
    if any(getattr(context, name) != before[name] for name in CHANGEABLE if name != "title"):
        _compute(league, context)
    return context


@locked
def remove_context(league: League, now: datetime, slug: str, *, username: str) -> None:
    """Remove a context and its ratings; its games stay. Raises NotFound."""
    context = find_context(league, slug)
    scope = scope_league(league, context)
    for rows in (changes_of(scope), gameless_changes_of(scope), ratings_of(scope)):
        rows._raw_delete(rows.db)
    context.delete()
    entries.append(league, now, username, LogEntry.Kind.CONTEXT_REMOVED, {"context": slug})
    league.has_contexts = league.contexts.exists()
    _invalidate_pages(league)


def _invalidate_pages(league: League) -> None:
    """Count a replay, so that cached boards and pages are computed again."""
    league.replays += 1
    league.save(update_fields=["has_contexts", "replays"])


def _compute(league: League, context: Context) -> None:
    """Replay a context from the start: now if the league has few games, else by a worker after the commit."""
    if has_many_following_games(league, None):
        context.pending = True
        context.save(update_fields=["pending"])
        queue.enqueue("league.replay", league.pk)
        return
    replay_scope(scope_league(league, context), None)


def _check_context(league: League, context: Context) -> None:
    """Check a context, and complete its filter and parameters; raises Invalid."""
    problems = find_filter_problems(context.filter, load_fields(league))
    problems += _find_system_problems(league, context)
    try:
        context.clean_fields(exclude=["league"])
    except ValidationError as error:
        problems += [Problem(f"/{name}", "invalid", " ".join(texts)) for name, texts in error.message_dict.items()]
    if problems:
        raise Invalid.of(problems)
    context.filter = normalize_filter(context.filter)


def _find_system_problems(league: League, context: Context) -> list[Problem]:
    """Return what is wrong with the system of a context, and complete its parameters."""
    if not context.system:
        if not context.parameters:
            return []
        message = _("Parameters need a system; without one, the league's own rules apply.")
        return [Problem("/parameters", "not_alone", message)]
    try:
        context.parameters = get_system(context.system).whole(context.parameters)
    except UnknownSystem as error:
        return [Problem("/system", "unknown_system", str(error.args[0]))]
    except ParameterError as error:
        return [Problem(build_pointer("parameters", name), "invalid", text) for name, text in error.problems.items()]
    systems = {rule.system for rule in load_rules(league)}
    if context.start == Context.Start.FROM_MAIN and systems - {context.system}:
        message = _("Ratings of another system cannot begin from the league's own; choose “own”.")
        return [Problem("/start", "other_system", message)]
    return []
