"""Models kept for use: fitting into a folder, opening it anywhere, predicting and explaining."""

from xcbench.inference.fitted import FittedModel, open_model

__all__ = ["FittedModel", "open_model"]
