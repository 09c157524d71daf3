"""Erasing personal data from notices: facts, reasons of adjustments, and mails of accounts."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from league.apps.notices.models import Notice, NoticeChoice, NoticeMail
from league.core.players.erasers import Eraser, ErasureRun
from league.models import League, LogEntry

#: Kind of the entry with the reason -> whether it voided the adjustment.
VOIDS: dict[str, bool] = {LogEntry.Kind.ADJUSTMENT_MADE: False, LogEntry.Kind.ADJUSTMENT_VOIDED: True}


class NoticeEraser(Eraser):
    """Notices and their mails."""

    @staticmethod
    def erase(erasure: ErasureRun, league: League) -> None:
        """Delete the facts of notices that name a person."""
        for notice in league.notices.with_facts():
            if erasure.words.within(notice.facts) != notice.facts:
                notice.facts = None
                notice.save(update_fields=["facts"])
                erasure.count("notices")

    @staticmethod
    def erase_reason(league: League, entry: LogEntry, payload: dict[str, Any], now: datetime, by: str) -> None:
        """Delete the reason of an adjustment, or of its voiding, from notices of evenings."""
        void = VOIDS.get(entry.kind)
        if void is None:
            return
        for notice in league.notices.with_facts().filter(kind=Notice.Kind.EVENING):
            facts: dict[str, Any] = notice.facts or {}
            adjustments = [
                adjustment
                for adjustment in facts["adjustments"]
                if (adjustment["number"], adjustment["void"]) == (payload["number"], void)
            ]
            for adjustment in adjustments:
                adjustment["reason"] = ""
            if adjustments:
                notice.save(update_fields=["facts"])

    @staticmethod
    def list_stored(league: League) -> Iterable[tuple[str, datetime, Any]]:
        """Return the facts of the notices of a league."""
        return [("notice", notice.at, notice.facts) for notice in league.notices.with_facts()]

    @staticmethod
    def describe_account(user: Any) -> dict[str, Any]:
        """Return the number of mails sent to an account, and its choices."""
        choices = NoticeChoice.objects.filter(user=user).select_related("league").order_by("pk")
        return {
            "mails_sent": NoticeMail.objects.filter(user=user).count(),
            "mails_chosen": [
                {"league": choice.league.slug, "kind": choice.kind, "wanted": choice.wanted} for choice in choices
            ],
        }
