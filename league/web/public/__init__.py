"""The public pages: a thin layer over ``league.core`` that contains no rules of its own."""
