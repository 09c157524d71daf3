"""What a context rates, in words."""

from django.utils.translation import gettext as _

from league.core.contexts.filters import PREFIX, SIDES, SIZES, list_wanted
from league.core.fields.selectors.fields import load_fields
from league.models import Context, League
from league.web.public.declared_values import format_declared


def describe_filter(league: League, context: Context) -> str:
    """Return the conditions of a context's filter, such as “Map: Dust, Mirage · sides: 2”.

    Fields come first, in the order of the league: the database does not keep that of the filter.
    """
    fields = {f"{PREFIX}{declared.key}": declared for declared in load_fields(league)}
    parts = []
    for name in (*fields, SIDES, SIZES):
        if name not in context.filter:
            continue
        values = list_wanted(context.filter[name])
        if name == SIDES:
            parts.append(_("sides: {numbers}").format(numbers=", ".join(map(str, values))))
        elif name == SIZES:
            parts.append(_("players on each side: {numbers}").format(numbers=", ".join(map(str, values))))
        else:
            texts = ", ".join(str(format_declared(fields[name], value)) for value in values)
            parts.append(f"{fields[name].title}: {texts}")
    return " · ".join(parts) or _("all rated games")
