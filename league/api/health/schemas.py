"""The shape of the answer about a league's health; ``render`` builds it."""

from rest_framework import serializers as s

from league.api.core.schemas import Shape

LOW = "The lower end of its interval (95 %, drawn by evenings); null: fewer than ten evenings."


class MeanShape(Shape):
    """A mean with its interval."""

    value = s.FloatField()
    low = s.FloatField(allow_null=True, help_text=LOW)
    high = s.FloatField(allow_null=True)
    count = s.IntegerField(help_text="Of so many: games, for seats pairs.")


class SeatShape(MeanShape):
    """What a seat takes of the points at tables of the usual size, ½ where seats are alike."""

    seat = s.IntegerField()


class OftenShape(Shape):
    """Somebody with 20 games or more who meets one opponent in half of them or more."""

    player = s.CharField()
    opponent = s.CharField()
    games = s.IntegerField(help_text="All games of the player.")
    together = s.IntegerField()
    gained = s.FloatField(help_text="What the games together brought the player in all.")


class StretchShape(Shape):
    """What was played in some time of the league's clock."""

    games = s.IntegerField()
    players = s.IntegerField()
    newcomers = s.IntegerField()
    mean_rating = s.FloatField(help_text="Of those who played, after it.")
    added = s.FloatField(help_text="What its games added to all ratings together.")


class MonthShape(StretchShape):
    """A month of the league's clock in which somebody played, such as 2024-03."""

    month = s.CharField()


class YearShape(StretchShape):
    """A year of the league's clock in which somebody played, such as 2024."""

    year = s.CharField()


class HealthShape(Shape):
    """What a league's ratings can be trusted for."""

    games = s.IntegerField()
    players = s.IntegerField()
    groups = s.ListField(
        child=s.IntegerField(), help_text="Sizes of the groups between which nobody has played, the largest first."
    )
    apart = s.ListField(
        child=s.ListField(child=s.CharField()), help_text="Who is in the groups but the largest; 100 groups at most."
    )
    one_table = s.BooleanField(help_text="Everybody was at every game.")
    added_a_game = MeanShape(help_text="What a game adds to all ratings together; 0 where points only change hands.")
    table = s.IntegerField(help_text="The usual number of players without sides, to whose games seats belong; 0: none.")
    seats = SeatShape(many=True)
    often = OftenShape(many=True, help_text="Those with the most games together first; 500 at most.")
    months = MonthShape(many=True)
    years = YearShape(many=True)
