"""Loads what first requests would load: once, before web processes are forked, which then share it.

Nothing here reads the database: it may not be there yet, and a connection must not be forked.
"""

from contextlib import suppress

from django.conf import settings
from django.template import engines
from django.template.backends.django import DjangoTemplates
from django.template.loader import get_template
from django.urls import NoReverseMatch, Resolver404, get_resolver, resolve, reverse
from django.utils import formats, translation
from django.utils.module_loading import import_string

from league.core.capabilities import CapabilityConfig, Pages, load_declared
from league.models import League
from ratings.registry import load_methods, load_pairing_formats, load_systems

#: Paths that no route matches: they are compared with the routes of the site, and with those of a league.
UNKNOWN_PATHS = ("/-/", "/leagues/-/-/-/-/-/")


def warm_up() -> None:
    """Load registered classes, additions of apps, all templates, and the routes and texts of each language."""
    for load in (load_systems, load_methods, load_pairing_formats):
        load()
    for field in Pages._fields:
        _load_additions(field)
    for path in (settings.MESSAGE_STORAGE, settings.SESSION_SERIALIZER):
        import_string(path)
    str(League.objects.all().query)  # loads the compiler of queries
    _compile_templates()
    for language, _ in settings.LANGUAGES:
        with translation.override(language):
            _prepare_language()
    for path in UNKNOWN_PATHS:
        with suppress(Resolver404):
            resolve(path)


def _load_additions(field: str) -> None:
    """Load the functions that apps declare for a kind of addition to pages."""

    def read(app: CapabilityConfig) -> str:
        declared = getattr(app.pages, field)
        return declared if isinstance(declared, str) else ""

    load_declared(read)


def _compile_templates() -> None:
    """Compile the site's templates, and load what adds to their contexts."""
    for engine in engines.all():
        if isinstance(engine, DjangoTemplates):
            _ = engine.engine.template_context_processors
    folder = settings.BASE_DIR / "templates"
    for path in sorted(folder.rglob("*.html")):
        get_template(path.relative_to(folder).as_posix())


def _prepare_language() -> None:
    """Load the catalogue, the formats and the routes of the current language."""
    translation.gettext("Board")
    formats.get_format("DATE_FORMAT")
    for namespace in get_resolver().namespace_dict:
        with suppress(NoReverseMatch):
            reverse(f"{namespace}:-")
