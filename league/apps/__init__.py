"""Django apps that a site may leave out, each whole in one folder."""
