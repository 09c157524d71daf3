"""The laboratory: which system foretells a league's own games best, with intervals and in sentences."""
