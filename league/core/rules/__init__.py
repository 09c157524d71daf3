"""Reading of the dated rules of leagues: their systems, parameters and seasons of ratings."""
