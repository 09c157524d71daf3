"""The league server: stores games as facts and derives ratings, ladders and boards from them."""
