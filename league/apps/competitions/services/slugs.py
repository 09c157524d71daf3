"""Free addresses of competitions, seasons and halls."""

from typing import Any

from django.utils.translation import gettext as _

from league.apps.competitions.models import Competition, Hall, Season
from league.core.errors import Conflict, Problem
from league.core.text.names import make_slug
from league.models import League

#: So many characters of a slug come from the title, so that a number fits behind them.
FROM_TITLE = 44


def choose_slug(model: type[Competition | Season | Hall], league: League, title: str) -> str:
    """Return a free slug of a league that is derived from a title."""
    rows: Any = model._default_manager
    base = make_slug(title)[:FROM_TITLE].strip("-_") or model._meta.model_name or ""
    taken = set(rows.filter(league=league, slug__startswith=base).values_list("slug", flat=True))
    return base if base not in taken else next(slug for n in range(2, 10**6) if (slug := f"{base}-{n}") not in taken)


def check_slug(row: Competition | Season | Hall) -> None:
    """Raise Conflict if another row of its kind has the slug in the league."""
    rows: Any = type(row)._default_manager
    if rows.filter(league=row.league_id, slug=row.slug).exists():
        templates: dict[type, str] = {
            Competition: _("The league already has a competition “{slug}”; choose another slug."),
            Season: _("The league already has a season “{slug}”; choose another slug."),
            Hall: _("The league already has a hall “{slug}”; choose another slug."),
        }
        raise Conflict.of([Problem("/slug", "taken", templates[type(row)].format(slug=row.slug))])
