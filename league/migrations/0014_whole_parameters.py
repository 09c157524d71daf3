"""Every rule tells all of its parameters: a new default must never rate a league anew.

The log is not rewritten; ``league.frozen_defaults`` says what its older entries mean.
"""

from django.db import migrations

from league.frozen_defaults import completed


def fill(apps, schema_editor):
    """Fill in what the rules left to the code, as it was on this day; unknown systems and methods stay as they are."""
    for model, name in (("Rule", "system"), ("LadderRule", "method")):
        for rule in apps.get_model("league", model).objects.all():
            whole = completed({name: getattr(rule, name), "parameters": rule.parameters})
            if whole != rule.parameters:
                rule.parameters = whole
                rule.save(update_fields=["parameters"])


class Migration(migrations.Migration):
    dependencies = [
        ("league", "0013_log_positions"),
    ]

    operations = [
        # Back again there is nothing to take out: a whole rule is a good one in the older code, too.
        migrations.RunPython(fill, migrations.RunPython.noop, elidable=False),
    ]
