"""Leagues with competitions that ran get the mark by which pages look for what a game was played for."""

from typing import Any

from django.db import migrations


def mark_leagues(apps: Any, schema_editor: Any) -> None:
    """Mark the leagues that have competitions which are neither drafts nor open."""
    ran = apps.get_model("competitions", "Competition").objects.exclude(status__in=("draft", "open"))
    leagues = apps.get_model("league", "League").objects
    leagues.filter(pk__in=list(ran.order_by().values_list("league", flat=True).distinct())).update(has_attached_games=True)


class Migration(migrations.Migration):

    dependencies = [
        ('competitions', '0024_moved_numbers'),
        ('league', '0016_attached_games'),
    ]

    operations = [migrations.RunPython(mark_leagues, migrations.RunPython.noop)]
