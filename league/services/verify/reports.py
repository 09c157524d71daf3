"""Links and reports under ``verify``: each row is held to the seal that the log has of it."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from league.chain import instant
from league.models import League, Report, ReportLink
from league.said import Said, phrase
from league.services.log.entries import of_report
from league.services.log.seals import seal_of_link
from league.services.verify.findings import Findings
from league.services.verify.games import missing, untold
from league.services.verify.log_replay import Logged, LoggedFacts


def report_findings(league: League, logged: LoggedFacts, findings: Findings) -> None:
    """Compare the links and the reports of a league with what its log says of them."""
    links = ReportLink.objects.filter(league=league).select_related("player").order_by("made_at", "pk")
    revoked = {key: (entry.at, entry.by) for key, entry in logged.revoked.items()}
    stands: dict[str, Any] = {}
    said: dict[str, Any] = {}
    for link in links.iterator(chunk_size=500):
        end = None if link.revoked_at is None else instant(link.revoked_at)
        stands[str(link.pk)] = seal_of_link(link), (end, link.revoked_by)
        said[str(link.pk)] = "", revoked.get(str(link.pk), (None, ""))
    said |= {key: (entry.values["seal"], revoked.get(key, (None, ""))) for key, entry in logged.links.items()}
    for sentence in unlike(link_name, stands, said, logged.links):
        findings.add("links", *sentence)
    reports = Report.objects.filter(league=league).select_related("entered_by", "game").order_by("entered_at", "pk")
    payloads = {str(report.pk): of_report(report) for report in reports.iterator(chunk_size=500)}
    told = {key: entry.values for key, entry in logged.reports.items()}
    for sentence in unlike(report_name, payloads, told, logged.reports):
        findings.add("reports", *sentence)


def unlike(
    name: Callable[[str], Said], stands: Mapping[str, Any], said: Mapping[str, Any], entries: Mapping[str, Logged]
) -> Iterator[tuple[str, int, Said]]:
    """Yield key, position of the entry and a sentence for each row that is not as the log says."""
    for key in sorted({*stands, *said}):
        position = entries[key].position if key in entries else 0
        if key not in entries:
            yield key, position, untold(name(key))
        elif key not in stands:
            yield key, position, missing(name(key), position)
        elif stands[key] != said[key]:
            sentence = phrase("{fact} is not as entry {entry} of the log seals it.", fact=name(key), entry=position)
            yield key, position, sentence


def link_name(key: str) -> Said:
    """Return how a sentence names a link."""
    return phrase("The link {key}", key=key)


def report_name(key: str) -> Said:
    """Return how a sentence names a report."""
    return phrase("The report {key}", key=key)
