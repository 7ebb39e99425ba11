"""The Python interface: estimators with scikit-learn's conventions, metrics, readers.

Everything public is imported from ``xcbench`` itself, which loads it on first use.
"""
