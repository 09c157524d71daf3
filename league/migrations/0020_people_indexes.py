"""Who was inactive on the whole site is so wherever they played; and indexes for who may see whom.

The indexes are of the games that leave no rating behind, and of players by their names.
"""

from django.db import migrations, models
from django.db.models import Q
from django.utils import timezone

from league.chain import FIRST, canonical, digest, instant, serialize_entry
from league.services.log import entries


def leave_leagues(apps, schema_editor):
    """Make inactive players inactive in every league whose books name them, and tell it in the leagues' logs."""
    Result, InitialRating, Inactive, LogEntry = (
        apps.get_model("league", name) for name in ("Result", "InitialRating", "Inactive", "LogEntry")
    )
    concerned = {}
    for player in apps.get_model("league", "Player").objects.filter(active=False).order_by("handle"):
        # Who was merged into somebody is named by what they were recorded as.
        named = Q(player=player) | Q(recorded_as=player)
        leagues = {*Result.objects.filter(named).order_by().values_list("game__league", flat=True).distinct()}
        leagues |= {*InitialRating.objects.filter(named).order_by().values_list("league", flat=True)}
        for league in leagues:
            concerned.setdefault(league, []).append(player)
    now = timezone.now()
    for league in apps.get_model("league", "League").objects.filter(pk__in=concerned).order_by("pk"):
        for player in concerned[league.pk]:
            Inactive.objects.create(league=league, player=player)
            text = canonical(entries.of_player(player.handle, ["active"], False))
            league.log_length += 1
            head = league.log_sha256 or FIRST
            said = serialize_entry(league.log_length, instant(now), "migration", "player.changed", text, head)
            league.log_sha256 = digest(said)
            LogEntry.objects.create(
                league=league,
                position=league.log_length,
                at=now,
                by="migration",
                kind="player.changed",
                payload=text,
                sha256=league.log_sha256,
            )
        league.save(update_fields=["log_length", "log_sha256"])


class Migration(migrations.Migration):
    dependencies = [
        ("league", "0019_inactive"),
    ]

    operations = [
        migrations.RunPython(leave_leagues, migrations.RunPython.noop),
        migrations.AddIndex(
            model_name="game",
            index=models.Index(
                condition=Q(("voided_at__isnull", False), Q(("kind", "played"), _negated=True), _connector="OR"),
                fields=["league"],
                name="games_unrated",
            ),
        ),
        migrations.AddIndex(
            model_name="player",
            index=models.Index(fields=["name", "handle"], name="players_by_name"),
        ),
    ]
