"""Rules of systems that have gained parameters since rules are whole tell these, too, with what they meant before."""

from django.db import migrations

from league.frozen_defaults import ADDED, completed


def fill(apps, schema_editor):
    """Fill in what came later, whatever the code's defaults have become."""
    for model, name in (("Rule", "system"), ("LadderRule", "method")):
        for rule in apps.get_model("league", model).objects.filter(**{f"{name}__in": list(ADDED)}):
            whole = completed({name: getattr(rule, name), "parameters": rule.parameters})
            if whole != rule.parameters:
                rule.parameters = whole
                rule.save(update_fields=["parameters"])


class Migration(migrations.Migration):
    dependencies = [
        ("league", "0020_people_indexes"),
    ]

    operations = [
        migrations.RunPython(fill, migrations.RunPython.noop, elidable=False),
    ]
