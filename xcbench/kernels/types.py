"""Array types of the kernels' signatures.

Inputs are declared read-only, which accepts writable arrays too: memory-mapped files and the arrays
a worker process receives are read-only. Eager signatures compile when the module is first imported,
so the parent process fills the cache before any worker starts.
"""

from numba import types

_ITEMS: dict[str, types.Type] = {
    "u8": types.uint8,
    "u16": types.uint16,
    "i4": types.int32,
    "i8": types.int64,
    "f4": types.float32,
    "f8": types.float64,
}


def readonly(item: str, ndim: int = 1) -> types.Array:
    """C-contiguous input array of the given item ("f4", "i8", ...)."""
    return types.Array(_ITEMS[item], ndim, "C", readonly=True)


def writable(item: str, ndim: int = 1) -> types.Array:
    """C-contiguous output array of the given item."""
    return types.Array(_ITEMS[item], ndim, "C")
