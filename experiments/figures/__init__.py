"""The figures, one file each. reproduce.py says what a figure has."""
