"""Choosing hyper-parameters on held-out training rows."""
