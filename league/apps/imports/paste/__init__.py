"""Reads games from pasted text (a spreadsheet, a mail, a chat). No database and no framework here.

``text`` splits it into cells, ``roles`` guesses the meaning of columns, ``scores`` and ``days`` parse cells, and
``games`` and ``notes`` build games. Unclear lines are reported, never guessed silently.
"""
