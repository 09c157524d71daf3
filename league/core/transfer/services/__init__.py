"""Services that store exports and restore leagues from them."""
