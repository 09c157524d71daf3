"""What can go wrong with a backup: one kind of error, a sentence for whoever looks after the site."""


class BackupProblem(Exception):
    """A backup cannot be made, or must not be brought back; nothing that stood was changed."""
