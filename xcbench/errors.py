"""The exceptions of xcbench and the exit code each one ends a command with.

Only the command line turns them into text; everything below it raises.
"""


class XCBenchError(Exception):
    """Base of every error a user can mend; its text is one complete sentence or more."""

    exit_code = 1


class ConfigError(XCBenchError):
    """A config, an override or a command-line value is wrong."""

    exit_code = 2


class DataError(XCBenchError):
    """A dataset is missing or malformed; the text names file, line, what was found and expected."""

    exit_code = 3


class LockedError(XCBenchError):
    """Another run holds the job; the text names its pid, host and command."""

    exit_code = 4


class TaskError(XCBenchError):
    """One or more tasks of a fit failed; the text names each by its learner and cluster."""
