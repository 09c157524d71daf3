"""The log over the API: what a mirror reads, resumes from, and can check by itself."""

import hashlib
import json
from typing import Any
from unittest.mock import Mock, patch

import pytest
import rfc8785

from league.core.games.services.record import void_game
from league.core.log.selectors.log import load_log_lengths
from league.models import League
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league, record
from tests.helpers.ladder_builders import duel

pytestmark = pytest.mark.django_db
CHANGES = "leagues/club/changes/"


def books(**settings: Any) -> League:
    """Return a league with five entries in its log."""
    league = make_league(**settings)
    record(league, duel("anna", "ben", "2024-03-10", note="“½”"))
    record(league, duel("cleo", "dan", "2024-03-11"))
    void_game(league.pk, 1, reason="A friendly.", username="olga")
    return league


def lines(answer: Any) -> list[dict[str, Any]]:
    """Return the lines of an answer."""
    return [json.loads(line) for line in answer.getvalue().decode().splitlines()]


def positions(answer: Any) -> list[int]:
    """Return the positions of the lines of an answer."""
    return [line["position"] for line in lines(answer)]


def test_a_stranger_reads_the_log_of_a_public_league_and_can_check_every_link() -> None:
    books()
    answer = Api().get(CHANGES)
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/x-ndjson")
    assert answer.streaming
    assert [line["kind"] for line in lines(Api().get(CHANGES))] == [
        "league.created", "rule.adopted", "game.recorded", "game.recorded", "game.voided",
    ]  # fmt: skip
    previous = "0" * 64
    for text in answer.getvalue().decode().splitlines():
        line = json.loads(text)
        assert rfc8785.dumps(line).decode() == text
        sha256, salts = line.pop("sha256"), line.pop("salts", {})
        said = line["payload"]
        line["payload"] = line.pop("sealed", said)
        assert line["previous"] == previous
        assert hashlib.sha256(rfc8785.dumps(line)).hexdigest() == sha256
        previous = sha256
    assert said == {"number": 1, "reason": "A friendly."}
    ((seal, salt),) = salts.items()
    assert line["payload"] == {"number": 1, "reason": {"sealed": seal}}
    assert hashlib.sha256(f"{salt}A friendly.".encode()).hexdigest() == seal


def test_the_next_link_leads_on_and_waits_at_the_end() -> None:
    league = books()
    answer = Api().get(f"{CHANGES}?limit=3")
    assert positions(answer) == [1, 2, 3]
    assert answer["Link"] == '<http://testserver/api/v1/leagues/club/changes/?limit=3&after=3>; rel="next"'
    follow = answer["Link"].split(">")[0].removeprefix("<http://testserver")
    answer = Api().get(follow)
    assert positions(answer) == [4, 5]
    assert lines(Api().get(follow))[0]["previous"] == lines(Api().get(f"{CHANGES}?limit=3"))[2]["sha256"]
    end = answer["Link"].split(">")[0].removeprefix("<http://testserver")
    assert positions(Api().get(end)) == []
    record(league, duel("anna", "ben", "2024-03-12"))
    assert positions(Api().get(end)) == [6]


def test_who_has_the_answer_already_gets_304() -> None:
    league = books()
    tag = Api().get(CHANGES)["ETag"]
    again = Api().get(CHANGES, **{"If-None-Match": f'"other", W/{tag}'})
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", tag)
    page = Api().get(f"{CHANGES}?limit=2")["ETag"]
    record(league, duel("anna", "ben", "2024-03-12"))
    assert Api().get(CHANGES, **{"If-None-Match": tag}).status_code == 200
    assert Api().get(f"{CHANGES}?limit=2", **{"If-None-Match": page}).status_code == 304


def test_the_log_of_a_private_league_is_kept_by_its_members_alone() -> None:
    books(visibility="private")
    told = Api("read").get(CHANGES, Accept="application/x-ndjson")
    assert (told.status_code, told["Cache-Control"]) == (200, "private, no-store")


def test_a_malformed_question_is_refused() -> None:
    books()
    for question, sentence in (
        ("after=6", "The log has 5 entries, so 6 is beyond its end."),
        ("after=-1", "after must be a whole number from 0"),
        ("limit=0", "limit must be a whole number from 1 to 10000."),
        ("limit=10001", "limit must be a whole number from 1 to 10000."),
        ("since=2", "There is no parameter “since”"),
    ):
        answer = Api().get(f"{CHANGES}?{question}", Accept="application/x-ndjson")
        assert (answer.status_code, answer["Content-Type"]) == (400, "application/problem+json")
        assert answer.data["detail"].startswith(sentence)


def test_an_empty_page_has_a_tag_of_its_own() -> None:
    league = League.objects.create(slug="bare", title="Bare")
    answer = Api().get("leagues/bare/changes/")
    assert (positions(answer), answer["ETag"]) == ([], f'"0-0-{"0" * 32}"')
    assert league.log.count() == 0


# The first two entries name nobody; of the others players and texts are asked for; and for the tag.
@pytest.mark.parametrize(("question", "queries"), [("", 7), ("?limit=2", 6), ("?after=3", 7)])
def test_the_log_costs_so_many_queries(question: str, queries: int, django_assert_num_queries: Any) -> None:
    books()
    api = Api()
    with django_assert_num_queries(queries):
        lines(api.get(CHANGES + question))


EVENTS = {"Accept": "text/event-stream"}


def events(answer: Any) -> list[tuple[int, dict[str, Any]]]:
    """Return the id and the line of each event of an answer."""
    blocks = [dict(line.split(": ", 1) for line in block.splitlines()) for block in answer.strip().split("\n\n")]
    assert blocks.pop(0).keys() == {"retry"}
    return [(int(block["id"]), json.loads(block["data"])) for block in blocks]


def test_events_are_the_lines_with_their_position_as_id_and_go_on_after_the_last() -> None:
    books()
    answer = Api().get(CHANGES, **EVENTS)
    assert (answer.status_code, answer["Content-Type"]) == (200, "text/event-stream")
    told = events(answer.getvalue().decode())
    assert told == [(line["position"], line) for line in lines(Api().get(CHANGES))]
    assert [position for position, _line in told] == [1, 2, 3, 4, 5]
    resumed = Api().get(f"{CHANGES}?after=1", **EVENTS, **{"Last-Event-ID": "4"})
    assert [position for position, _line in events(resumed.getvalue().decode())] == [5]


@pytest.mark.parametrize("last", ["6", "-1", "x", "1.5", "9" * 40])
def test_a_stream_from_an_unknown_position_is_refused(last: str) -> None:
    books()
    assert Api().get(CHANGES, **EVENTS, **{"Last-Event-ID": last}).status_code == 400


@pytest.mark.parametrize(("last", "status"), [("1", 200), ("1000000001", 400), ("x", 400)])
def test_the_position_of_a_stream_is_read_but_not_used_without_one(last: str, status: int) -> None:
    books()
    answer = Api().get(CHANGES, **{"Last-Event-ID": last})
    assert answer.status_code == status
    assert status != 200 or [line["position"] for line in lines(answer)] == [1, 2, 3, 4, 5]


def test_a_wait_ends_with_the_next_entry() -> None:
    league = books()

    def look(leagues: list[int]) -> dict[int, int]:
        record(league, duel("anna", "cleo", "2024-03-12"))
        return load_log_lengths(leagues)

    with patch("league.web.api.log.waiting.load_log_lengths", side_effect=look) as asked:
        assert positions(Api().get(f"{CHANGES}?after=4&wait=60")) == [5]
        assert asked.call_count == 0
        assert positions(Api().get(f"{CHANGES}?after=5&wait=60")) == [6]
    assert asked.call_count == 1


def test_a_wait_for_nothing_ends_with_its_time() -> None:
    books()
    # A clock of its own: the driver of PostgreSQL asks the module's, too.
    clock = Mock(monotonic=Mock(side_effect=[0, 10, 20, 30, 40]))
    with patch("league.web.api.log.waiting.time", clock):
        assert positions(Api().get(f"{CHANGES}?after=5&wait=30")) == []
    assert [Api().get(f"{CHANGES}?wait={text}").status_code for text in ("61", "-1", "soon")] == [400, 400, 400]
