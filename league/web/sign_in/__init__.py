"""The door of the admin site: who comes in, and how they sign in. The site itself is needed before its pages are."""
