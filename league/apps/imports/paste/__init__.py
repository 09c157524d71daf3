"""What people paste: text from a spreadsheet, a mail or a chat, read to games. No database and no framework here.

``text`` cuts it to cells, ``roles`` guesses what the columns mean, ``figures`` and ``days`` read cells, and
``games`` puts the lines together. What is not clear is asked or refused with its line, never guessed in silence.
"""
