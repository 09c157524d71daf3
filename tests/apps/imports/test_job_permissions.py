"""An import that waits for a worker is done with what its asker may do when it runs."""

from collections.abc import Callable
from io import BytesIO
from unittest.mock import patch

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from league.apps.imports.services import uploads
from league.apps.imports.services.uploads import Upload, enqueue_import
from league.core.accounts.services.members import remove_member, set_member
from league.core.accounts.services.tokens import revoke_token
from league.core.dispatch.sweep import run_requested_job
from league.core.permissions import Viewer, load_viewer_of_token, load_viewer_of_user
from league.models import Game, Job, Token
from tests.helpers.builders import league_of, make_league
from tests.helpers.people_builders import token

pytestmark = pytest.mark.django_db
CSV = "game_id,played_at,player,score\n1,2024-03-05,anna,1\n1,2024-03-05,ben,0\n"


@pytest.fixture(autouse=True)
def club() -> None:
    league = make_league()
    User.objects.create_user("rita")
    set_member(league.pk, "rita", "recorder")
    token("rita", "record")


def ask(by_token: bool) -> Job:
    """Let Rita ask for an import."""
    rita = User.objects.get(username="rita")
    viewer = load_viewer_of_token(Token.objects.get()) if by_token else load_viewer_of_user(rita)
    with Upload(BytesIO(CSV.encode()), "csv") as upload:
        return enqueue_import(league_of(), upload, username=viewer.name, create_players=False, viewer=viewer)


def is_refused(job: Job) -> bool:
    """Run a job; return whether it was refused, with nothing written."""
    run_requested_job(job.pk)
    job.refresh_from_db()
    if job.state == Job.State.DONE:
        assert Game.objects.count() == 1
        return False
    problem = job.problem or {}
    assert (job.state, problem["status"], problem["code"]) == ("failed", 403, "forbidden")
    assert "may no longer do this: it needs" in job.failure
    assert (Game.objects.count(), job.parts.count()) == (0, 0)
    return True


#: What happens to Rita -> whether her own import is refused, and that of her token.
LOSSES: dict[str, tuple[Callable[[], object], bool, bool]] = {
    "nothing": (lambda: None, False, False),
    "dismissed": (lambda: remove_member(league_of().pk, "rita"), True, True),
    "made an arbiter": (lambda: set_member(league_of().pk, "rita", "arbiter"), False, False),
    "inactive": (lambda: User.objects.update(is_active=False), True, True),
    "deleted": (lambda: User.objects.all().delete(), True, True),
    "token revoked": (lambda: revoke_token(Token.objects.get().name), False, True),
    "token expired": (lambda: Token.objects.update(expires_at=timezone.now()), False, True),
    "token reads only": (lambda: Token.objects.update(scope="read"), False, True),
}


@pytest.mark.parametrize("by_token", [False, True])
@pytest.mark.parametrize("loss", LOSSES)
def test_who_lost_the_permission_imports_nothing(loss: str, by_token: bool) -> None:
    lose, *refused = LOSSES[loss]
    job = ask(by_token)
    lose()
    assert is_refused(job) == refused[by_token]


def test_a_permission_that_is_lost_while_the_import_runs_counts() -> None:
    job = ask(by_token=False)
    read = uploads.StoredFile.read

    def read_and_dismiss(file: uploads.StoredFile, size: int) -> bytes:
        User.objects.update(is_active=False)
        return read(file, size)

    with patch.object(uploads.StoredFile, "read", read_and_dismiss):
        assert is_refused(job)


def test_the_operator_of_the_site_has_no_role_to_lose() -> None:
    with Upload(BytesIO(CSV.encode()), "csv") as upload:
        operator = Viewer(name="operator", scope="organise")
        job = enqueue_import(league_of(), upload, username="operator", create_players=False, viewer=operator)
    assert not is_refused(job)
