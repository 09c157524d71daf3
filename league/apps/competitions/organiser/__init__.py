"""The organiser's and the arbiter's pages of competitions."""
