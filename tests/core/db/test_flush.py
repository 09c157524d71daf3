"""A test begins with the database that a new one would have, whichever test ran before it."""

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command


@pytest.mark.django_db(transaction=True)
@pytest.mark.one_database("On PostgreSQL a sequence goes on, as it does after a test that is rolled back.")
def test_rows_count_from_one_again_after_a_transactional_test() -> None:
    """As the flush after such a test is called; what is pinned names rows by their number."""
    User.objects.create_user("ada")
    call_command("flush", verbosity=0, interactive=False, reset_sequences=False, inhibit_post_migrate=True)
    assert User.objects.create_user("bruno").pk == 1
