"""Rating lists of federations: whom they have, with ratings and titles. Never players of the site until entered."""
