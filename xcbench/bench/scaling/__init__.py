"""How time and memory grow with points, features, labels and processes, on made data."""
