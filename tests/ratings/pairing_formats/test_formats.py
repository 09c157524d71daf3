"""What every pairing format has."""

import pytest

from ratings.contract.competition import CompetitionData
from ratings.contract.pairing_format import CannotPair, PairingRequest
from ratings.registry import UnknownFormat, get_pairing_format, load_pairing_formats
from tests.ratings.pairing_formats.drawn_rounds import build_entries


def test_the_formats() -> None:
    assert list(load_pairing_formats()) == ["double_knockout", "free", "knockout", "round_robin", "swiss", "tables"]
    for pairing_format in load_pairing_formats().values():
        assert len(pairing_format.summary.split()) <= 20
        assert pairing_format.json_schema()["type"] == "object"
        for ruling in pairing_format.rulings:
            assert ruling.parameter in ("", *pairing_format.parameters())


def test_an_unknown_format_is_named() -> None:
    with pytest.raises(
        UnknownFormat, match=r"There is no pairing format “quad”; the formats are: double_knockout, free"
    ):
        get_pairing_format("quad")


def test_free_fixtures_are_not_paired() -> None:
    with pytest.raises(CannotPair, match=r"This competition has free fixtures: enter who meets whom\."):
        get_pairing_format("free")().pair(PairingRequest(CompetitionData(build_entries(4), ()), 1))


@pytest.mark.parametrize("key", ["knockout", "round_robin", "swiss", "tables"])
def test_the_same_request_gives_the_same_pairing(key: str) -> None:
    request = PairingRequest(CompetitionData(build_entries(12), ()), 1, seed=7)
    assert get_pairing_format(key)().pair(request) == get_pairing_format(key)().pair(request)
