"""The league's log: entries written with the change that they tell of, and published heads."""
