"""Training and test rows: how they are drawn, and the files that list them."""
