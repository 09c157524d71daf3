"""Commands of the operation of a site."""
