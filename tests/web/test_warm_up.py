"""What a web process has loaded before its first request."""

from django.conf import settings
from django.template import Template, engines
from django.template.loaders.cached import Loader
from django.urls import get_resolver
from django.utils import translation

from league.web.warm_up import warm_up


def test_templates_and_routes_of_each_language_are_ready_without_a_database() -> None:
    warm_up()
    (loader,) = engines["django"].engine.template_loaders  # type: ignore[attr-defined]  # of Django's backend
    assert isinstance(loader, Loader)
    # The cache also notes names that no template has, as tests of missing pages leave them.
    cached = {template.name for template in loader.get_template_cache.values() if isinstance(template, Template)}
    assert {"base.html", "web/public/player.html", "web/organiser/pad.html", "apps/sharing/wall.html"} <= cached
    resolver = get_resolver()
    for language, _ in settings.LANGUAGES:
        # Filled at the first reversal of a route in a language.
        assert language in resolver._reverse_dict
    assert translation.get_language() == settings.LANGUAGE_CODE
