"""Files of competitions, read and written without the database: TRF16 and TRF26, CSV of fixtures."""
