"""Translated column headings of the raw records.

Django shows a field's ``verbose_name``. Set in the model, it would be part of a migration; set here afterwards, it is
not, as ``deconstruct`` uses the name given in the model.
"""

from django.db import models
from django.utils.translation import pgettext_lazy

HEADINGS = {
    "league": pgettext_lazy("heading of a list", "league"),
    "leagues": pgettext_lazy("heading of a list", "leagues"),
    "player": pgettext_lazy("heading of a list", "player"),
    "players": pgettext_lazy("heading of a list", "players"),
    "game": pgettext_lazy("heading of a list", "game"),
    "games": pgettext_lazy("heading of a list", "games"),
    "rating": pgettext_lazy("heading of a list", "rating"),
    "ratings": pgettext_lazy("heading of a list", "ratings"),
    "rating change": pgettext_lazy("heading of a list", "rating change"),
    "rating changes": pgettext_lazy("heading of a list", "rating changes"),
    "job": pgettext_lazy("heading of a list", "job"),
    "jobs": pgettext_lazy("heading of a list", "jobs"),
    "ladder": pgettext_lazy("heading of a list", "ladder"),
    "ladders": pgettext_lazy("heading of a list", "ladders"),
    "edition": pgettext_lazy("heading of a list", "edition"),
    "editions": pgettext_lazy("heading of a list", "editions"),
    "token": pgettext_lazy("heading of a list", "token"),
    "tokens": pgettext_lazy("heading of a list", "tokens"),
    "log entry": pgettext_lazy("heading of a list", "log entry"),
    "score": pgettext_lazy("heading of a list", "score"),
    "change": pgettext_lazy("heading of a list", "change"),
    "number": pgettext_lazy("heading of a list", "number"),
    "at": pgettext_lazy("heading of a list", "date"),
    "cause": pgettext_lazy("heading of a list", "cause"),
    "before": pgettext_lazy("heading of a list", "before"),
    "after": pgettext_lazy("heading of a list", "after"),
    "last at": pgettext_lazy("heading of a list", "last game"),
    "played at": pgettext_lazy("heading of a list", "played at"),
    "kind": pgettext_lazy("heading of a list", "kind"),
    "recorded by": pgettext_lazy("heading of a list", "recorded by"),
    "note": pgettext_lazy("heading of a list", "note"),
    "state": pgettext_lazy("heading of a list", "status"),
    "phase": pgettext_lazy("heading of a list", "phase"),
    "asked at": pgettext_lazy("heading of a list", "requested at"),
    "ended at": pgettext_lazy("heading of a list", "ended at"),
    "started at": pgettext_lazy("heading of a list", "started at"),
    "beat at": pgettext_lazy("heading of a list", "last heartbeat"),
    "asked by": pgettext_lazy("heading of a list", "requested by"),
    "attempts": pgettext_lazy("heading of a list", "attempts"),
    "problem": pgettext_lazy("heading of a list", "problem"),
    "result": pgettext_lazy("heading of a list", "result"),
    "title": pgettext_lazy("heading of a list", "title"),
    "key": pgettext_lazy("heading of a list", "key"),
    "published at": pgettext_lazy("heading of a list", "published at"),
    "published by": pgettext_lazy("heading of a list", "published by"),
    "reason": pgettext_lazy("heading of a list", "reason"),
    "log position": pgettext_lazy("heading of a list", "log position"),
    "slug": pgettext_lazy("heading of a list", "slug"),
    "visibility": pgettext_lazy("heading of a list", "visibility"),
    "last number": pgettext_lazy("heading of a list", "last number"),
    "position": pgettext_lazy("heading of a list", "position"),
    "by": pgettext_lazy("heading of a list", "by"),
    "payload": pgettext_lazy("heading of a list", "payload"),
    "name": pgettext_lazy("heading of a list", "name"),
    "handle": pgettext_lazy("heading of a list", "handle"),
    "merged into": pgettext_lazy("heading of a list", "merged into"),
    "scope": pgettext_lazy("heading of a list", "scope"),
    "maker": pgettext_lazy("heading of a list", "created by"),
    "created at": pgettext_lazy("heading of a list", "created at"),
    "expires at": pgettext_lazy("heading of a list", "expires at"),
    "revoked at": pgettext_lazy("heading of a list", "revoked at"),
    "last used at": pgettext_lazy("heading of a list", "last used at"),
}


def translate_model(model: type[models.Model]) -> None:
    """Translate the names of a model and its fields."""
    options = model._meta
    options.verbose_name = HEADINGS.get(str(options.verbose_name), options.verbose_name)
    options.verbose_name_plural = HEADINGS.get(str(options.verbose_name_plural), options.verbose_name_plural)
    for field in options.fields:
        field.verbose_name = HEADINGS.get(str(field.verbose_name), field.verbose_name)
