"""Declares what this app adds to a site."""

from league.core.capabilities import CapabilityConfig, Data


class RatingListsConfig(CapabilityConfig):
    """Rating lists of federations."""

    name = "league.apps.rating_lists"
    data = Data(people_directory="league.apps.rating_lists.selectors.directory.RatingListDirectory")
