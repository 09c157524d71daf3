"""The organiser's pages of reports and links."""
