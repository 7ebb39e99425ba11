"""The tables of the benchmark, built from results, data and published numbers."""

from xcbench.report.tables.table1 import table1
from xcbench.report.tables.table2 import table2
from xcbench.report.tables.table3 import table3

__all__ = ["table1", "table2", "table3"]
