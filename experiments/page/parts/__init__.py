"""The pieces of the page: its shape, its tables and cells, its first screen."""
