"""Who types a command: somebody with the keys of the house, who may see and do everything."""

from league.selectors.permissions import Viewer

OPERATOR = Viewer(name="operator", scope="organise")
