"""Alerts, dashboard and scraping in deploy/: they ask for what the site tells, and stand in the docs."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from league.core.monitoring.telemetry import COUNTED, GAUGED, HISTOGRAM, Metric

ROOT = Path(__file__).parents[3]
DEPLOY = ROOT / "deploy"
PAGE = (ROOT / "docs" / "operators" / "alerts.md").read_text()
#: Labels that Prometheus itself adds, and that of every count.
ALWAYS = {"job", "instance", "le", "part"}
FUNCTIONS = {
    "absent", "histogram_quantile", "increase", "max", "min", "predict_linear", "rate", "sum", "topk",
}  # fmt: skip
WORDS = {"by", "or", "and", "on", "inf"}


def rules() -> list[dict[str, Any]]:
    """Return the alert rules."""
    (group,) = yaml.safe_load((DEPLOY / "prometheus" / "rules.yml").read_text())["groups"]
    return list(group["rules"])


def board() -> dict[str, Any]:
    """Return the dashboard."""
    return dict(json.loads((DEPLOY / "grafana" / "rungs.json").read_text()))


def expressions() -> Iterator[tuple[str, str]]:
    """Yield every expression with where it stands."""
    for rule in rules():
        yield rule["alert"], rule["expr"]
    for panel in board()["panels"]:
        for target in panel["targets"]:
            yield f"{panel['title']} {target['refId']}", target["expr"]


def series() -> dict[str, set[str]]:
    """Return the labels of each series that is told."""
    told: dict[str, set[str]] = {"up": set()}
    one: Metric
    for one in (*COUNTED, *GAUGED):
        ends = ("_bucket", "_sum", "_count") if one.kind == HISTOGRAM else ("",)
        told |= {one.name + end: set(one.labels) for end in ends}
    return told


def labels_in(expression: str) -> set[str]:
    """Return the labels that an expression names: in selectors and in groupings."""
    matched = re.findall(r"(\w+)\s*(?:=~|!~|!=|=)\s*\"", expression)
    grouped = [name for found in re.findall(r"\b(?:by|on) \(([^)]*)\)", expression) for name in found.split(",")]
    return {name.strip() for name in [*matched, *grouped]} - {""}


@pytest.mark.parametrize(("place", "expression"), list(expressions()), ids=lambda word: word[:40])
def test_an_expression_asks_only_for_what_is_told(place: str, expression: str) -> None:
    known = series()
    plain = re.sub(r"\"[^\"]*\"", '""', expression)
    names = set(re.findall(r"\b(?:rungs_\w+|up)\b", plain))
    assert names and names <= known.keys()
    assert labels_in(expression) <= ALWAYS.union(*(known[name] for name in names))
    assert expression.count("(") == expression.count(")") and expression.count("{") == expression.count("}")
    rest = re.sub(r"\{[^}]*\}|\[\w+\]|\b(?:by|on) \([^)]*\)", " ", plain)
    words = set(re.findall(r"[a-z_]\w*", rest)) - names
    assert words <= FUNCTIONS | WORDS
    # A gauge is no count: what several nodes tell of one database is not added up.
    for gauge in {one.name for one in GAUGED} & names:
        assert not re.search(rf"\b(?:rate|increase|sum)\b[^{{]*\(+{gauge}\b", plain), place


def test_each_alert_waits_a_while_and_says_what_to_do() -> None:
    found = rules()
    assert len({rule["alert"] for rule in found}) == len(found) >= 15
    for rule in found:
        assert re.fullmatch(r"\d+[mh]", rule["for"]), rule["alert"]
        assert rule["labels"]["severity"] in ("page", "ticket")
        told = rule["annotations"]
        assert told.keys() == {"summary", "action", "runbook"}
        assert told["summary"].endswith(".") and told["action"].endswith(".")
        assert told["runbook"] == f"docs/operators/alerts.md#{rule['alert'].lower()}"


def test_the_docs_say_of_each_alert_what_to_do_and_of_no_other() -> None:
    assert re.findall(r"^## (Rungs\w+)$", PAGE, re.MULTILINE) == [rule["alert"] for rule in rules()]


def test_what_was_asked_for_is_watched() -> None:
    """Issue 15: errors, oldest due work, verify failed or old, broker, webhooks, disk, latency, nobody asking."""
    watched = " ".join(rule["expr"] for rule in rules())
    for name in (
        'status="500"', "rungs_due_oldest_seconds", 'outcome="differs"', "rungs_verify_last_seconds", "rungs_broker_up",
        "rungs_webhooks", "rungs_disk_free_bytes", "rungs_request_seconds_bucket", "absent(up", "rungs_swept_seconds",
        "rungs_backup_last_seconds",
    ):  # fmt: skip
        assert name in watched


def test_the_dashboard_shows_every_metric_and_its_panels_do_not_overlap() -> None:
    panels = board()["panels"]
    shown = " ".join(target["expr"] for panel in panels for target in panel["targets"])
    known = {one.name for one in (*COUNTED, *GAUGED)}
    assert {name for name in known if name not in shown} == set()
    assert len({panel["id"] for panel in panels}) == len(panels)
    taken: set[tuple[int, int]] = set()
    for panel in panels:
        at = panel["gridPos"]
        cells = {(at["x"] + x, at["y"] + y) for x in range(at["w"]) for y in range(at["h"])}
        assert not cells & taken and at["x"] + at["w"] <= 24
        taken |= cells


def test_prometheus_asks_as_the_docs_say() -> None:
    told = yaml.safe_load((DEPLOY / "prometheus" / "prometheus.yml").read_text())
    assert told["rule_files"] == ["rules.yml"]
    (job,) = told["scrape_configs"]
    assert job["job_name"] == "rungs" and job["static_configs"] == [{"targets": ["127.0.0.1:9100"]}]
    assert "metrics_path" not in job  # /metrics
