"""The laboratory: which system predicts a league's own games best, with intervals and explanations."""
