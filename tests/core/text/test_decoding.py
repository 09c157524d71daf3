"""A file in any encoding is read as it was written, or its encoding is asked for."""

import random

import pytest
from django.utils import translation
from hypothesis import given, settings
from hypothesis import strategies as st

from league.core.errors import Invalid
from league.core.text.decoding import ENCODINGS, UnclearEncoding, decode_text
from tests.helpers.tiers import examples

#: Names of people by language, and the encodings that such lists are written in.
PEOPLE = {
    "Polish": (
        "windows-1250 iso-8859-2 windows-1257 cp852",
        "Łuczak Łucja Żak Żaneta Bąk Wójcik Gąsior Paweł Śliwa Ćwikła Kaźmierczak Zieliński Dąb Józef Hańża "
        "Święch Grześ Błażejczyk Ździebło Mączka",
    ),
    "Czech": (
        "windows-1250 iso-8859-2 cp852",
        "Čech Čeněk Dvořák Jiří Žofie Růžička Šimůnek Ťoupalík Řezáč Kubíček Vojtěch Ďásek Ondřej Štěpán Bartoš "
        "Hůlka Vaněk Ježek",
    ),
    "Hungarian": (
        "windows-1250 iso-8859-2 cp852",
        "Erdős Szőke László Ágnes Kovács Tóth Gergő Fűzfa Zoltán Győrfi Szűcs Ödön Nagy Bíró Hegedűs Vörös",
    ),
    "German": (
        "windows-1252 windows-1250 iso-8859-15",
        "Jäger Jürgen Müller Groß Böhm Käthe Häring Öhler Weiß Schröder Krüger Bärbel Ünal Kästner",
    ),
    "French": (
        "windows-1252 iso-8859-15",
        "François Hélène Rivière Lefèvre Benoît Anaïs Noël Étienne Gaël Jérôme Cédric Françoise Lemaître Agnès",
    ),
    "Serbian": (
        "windows-1250 iso-8859-2",
        "Petrović Đoković Šarić Čolić Jovanović Živković Željko Đurđa Miloš Nikolić Žarko Šćepan Anđela Lučić",
    ),
    "Serbian in Cyrillic": (
        "windows-1251 iso-8859-5",
        "Петровић Ђоковић Шарић Јовановић Жика Љиљана Његош Џони Милош Николић Анђела Ћирић",
    ),
    "Russian": (
        "windows-1251 koi8-r cp866 iso-8859-5",
        "Иванов Пётр Сидоров Щербакова Юлия Жданов Алла Ефимович Логинов Кузнецов Ольга Фёдор Цветков Ярослав",
    ),
    "Turkish": (
        "windows-1254",
        "Yıldız Doğan Şahin Çağlar Güneş İsmail Öztürk Işıl Kılıç Ağaoğlu Şükrü Hüseyin Gökçe Türkoğlu",
    ),
    "Lithuanian": (
        "windows-1257",
        "Žukauskas Ąžuolas Jūratė Šimkutė Čepaitis Gražina Rūta Kęstutis Žemaitė Šarūnas Dalė Vaičiūnas",
    ),
    "Latvian": (
        "windows-1257",
        "Bērziņš Kalniņš Jānis Šķēle Ģirts Liepiņa Mārtiņš Žanis Ķirsons Āboliņš Zvirgzdiņš Kārlis",
    ),
}
TRF_NAMES = "Łuczak, Łucja; Żak, Żaneta; Čech, Čeněk"
CASES = [(people, encoding) for people, (encodings, _) in PEOPLE.items() for encoding in encodings.split()]


def draw_list(people: str, numbers: random.Random, count: int) -> str:
    """Return a list of names: two words a line, in any order."""
    words = PEOPLE[people][1].split()
    return "".join(
        f"{numbers.choice(words)}, {numbers.choice(words)};{numbers.randint(0, 9)}\r\n" for _ in range(count)
    )


@pytest.mark.parametrize(("people", "encoding"), CASES)
@settings(max_examples=examples(40))
@given(seed=st.integers(0, 2**32), count=st.integers(1, 12))
def test_names_are_read_as_they_were_written_or_asked_about(people: str, encoding: str, seed: int, count: int) -> None:
    text = draw_list(people, random.Random(seed), count)
    data = text.encode(encoding)
    try:
        assert decode_text(data).text == text
    except UnclearEncoding as unclear:
        readings = {data.decode(name) for name, _ in unclear.choices}
        assert len(readings) > 1 and text in readings
    assert decode_text(data, encoding).text == text


@pytest.mark.sampled(every=2)
@pytest.mark.parametrize(("people", "encoding"), CASES)
def test_a_list_of_a_club_is_hardly_ever_asked_about(people: str, encoding: str) -> None:
    numbers = random.Random(45)
    lists = [draw_list(people, numbers, 12) for _ in range(5)]
    asked = 0
    for text in lists:
        try:
            assert decode_text(text.encode(encoding)).text == text
        except UnclearEncoding:
            asked += 1
    assert asked <= 1


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        ("Zoë;1".encode(), "Zoë;1", "utf-8"),
        ("\ufeffZoë;1".encode(), "Zoë;1", "utf-8"),
        ("\ufeffZoë;1".encode("utf-16-le"), "Zoë;1", "utf-16-le"),
        ("\ufeffZoë;−1".encode("utf-16-be"), "Zoë;−1", "utf-16-be"),
        ("Zoë;–1".encode("cp1252"), "Zoë;–1", "windows-1252"),
        ("Jürgen;½–½;“Ben”".encode("cp1252"), "Jürgen;½–½;“Ben”", "windows-1252"),
        (TRF_NAMES.encode("cp1250"), TRF_NAMES, "windows-1250"),
        (b"", "", "utf-8"),
    ],
)
def test_the_encoding_is_told(data: bytes, text: str, encoding: str) -> None:
    decoded = decode_text(data)
    assert (decoded.text, decoded.encoding) == (text, encoding)
    assert decoded.mark + text.encode(encoding) == data


def test_the_question_shows_the_names() -> None:
    with pytest.raises(UnclearEncoding) as asked:
        decode_text("player\nGoń\n".encode("windows-1250"))
    assert dict(asked.value.choices)["windows-1250"] == "Goń"
    assert "“Goń” (windows-1250)" in asked.value.detail
    assert decode_text("player\nGoń\n".encode("windows-1250"), "Windows-1250").text == "player\nGoń\n"


def test_bytes_that_are_unicode_by_chance_are_asked_about() -> None:
    with pytest.raises(UnclearEncoding) as asked:
        decode_text("Ďásek, Ďásek;9\r\n".encode("cp852"))
    choices = dict(asked.value.choices)
    assert (choices["cp852"], choices["utf-8"]) == ("Ďásek", "\u04a0sek")
    assert decode_text("Ďásek, Ďásek;9\r\n".encode()).text == "Ďásek, Ďásek;9\r\n"


@pytest.mark.parametrize(
    "text",
    [
        "\u0416uk;1\nZoë;2",
        "\u0416\u0443\u043a;1",
        "№1;5\u00b5",
        "\u0421\u043f\u0430\u0440\u0442\u0430\u043a–Real",
        "\u0421\u043c\u0438\u0440\u043d\u043e\u0432\u00a0FC",
        "«\u0422\u043e\u0440\u043f\u0435\u0434\u043e»Ajax",
        "Rubin’\u041a\u0430\u0437\u0430\u043d\u044c",
        "\u041b\u0438\u0433\u04302A",
        "\u0426\u0421\u041a\u0410II",
        "3D\u0448\u0430\u0445\u043c\u0430\u0442\u044b",
        "\u03a9mega",
        "\u03b2eta",
    ],
)
def test_unicode_of_two_scripts_is_read(text: str) -> None:
    assert decode_text(text.encode()).text == text


@pytest.mark.parametrize(
    ("data", "encoding", "code"),
    [
        (b"\xff\xfea", "", "not text in utf-16-le"),
        (b"a\n\0b", "", "Line 2: this is not text: it contains NUL characters"),
        (b"Ren\xe9", "utf-8", "not text in utf-8"),
        (b"anna", "ebcdic", "There is no encoding “ebcdic”; choose one of: utf-8"),
    ],
)
def test_what_is_no_text_is_refused(data: bytes, encoding: str, code: str) -> None:
    with pytest.raises(Invalid, match=code):
        decode_text(data, encoding)


def test_each_encoding_can_be_chosen() -> None:
    with translation.override("en"):
        assert {name: decode_text(b"anna", name).encoding for name in ENCODINGS} == {name: name for name in ENCODINGS}
