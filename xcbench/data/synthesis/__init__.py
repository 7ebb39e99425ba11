"""Made-up data of a given shape."""
