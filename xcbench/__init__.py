"""xcbench: re-run the extreme-classification benchmarks from one YAML config."""

__version__ = "0.1.0"
