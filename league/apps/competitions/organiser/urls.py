"""URLs of the organiser's pages of competitions."""

from django.urls import path

from league.apps.competitions.organiser import (
    check_in,
    competition_settings,
    create_competition,
    entries,
    entry,
    exchange_number,
    fixture,
    halls,
    import_competition,
    listed_people,
    new_fixture,
    now,
    print_sheets,
    prizes,
    seasons,
    trail,
)

LIST = "<str:slug>/competitions/"
SEASONS = "<str:slug>/seasons/"
HALLS = "<str:slug>/halls/"
ONE = f"{LIST}<str:competition>/"
ORGANISER = [
    path(LIST, now.list_all, name="competitions"),
    path(f"{LIST}+new/", create_competition.new_competition, name="new_competition"),
    path(f"{LIST}+import/", import_competition.import_file, name="import_competition"),
    path(ONE, now.show_now, name="competition"),
    path(f"{ONE}settings/", competition_settings.change_settings, name="competition_settings"),
    path(f"{ONE}entries/", entries.list_entries, name="entries"),
    path(f"{ONE}entries/<int:number>/", entry.show_entry, name="entry"),
    path(f"{ONE}entries/<int:number>/number/", exchange_number.exchange_number, name="exchange_number"),
    path(f"{ONE}rating-lists/", listed_people.show_listed_people, name="listed_people"),
    path(f"{ONE}prizes/", prizes.show_prizes, name="prizes"),
    path(f"{ONE}changes/", trail.show_changes, name="competition_changes"),
    path(f"{ONE}check-in/", check_in.check_in_entries, name="check_in"),
    path(f"{ONE}fixtures/+new/", new_fixture.new_fixture, name="new_fixture"),
    path(f"{ONE}fixtures/<int:number>/", fixture.show_fixture, name="fixture"),
    path(f"{ONE}print/<str:sheet>/", print_sheets.print_sheet, name="print_round"),
    path(f"{SEASONS}+new/", seasons.new_season, name="new_season"),
    path(f"{SEASONS}<str:season>/", seasons.show_season, name="season"),
    path(f"{HALLS}+new/", halls.new_hall, name="new_hall"),
    path(f"{HALLS}<str:hall>/", halls.show_hall, name="hall"),
    path(f"{HALLS}<str:hall>/tables/", halls.print_hall, {"sheet": "tables"}, name="print_hall"),
    path(f"{HALLS}<str:hall>/names/", halls.print_hall, {"sheet": "names"}, name="print_hall_names"),
]
