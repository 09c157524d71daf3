"""The API of the log, its signed heads and exports."""
