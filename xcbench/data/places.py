"""Places with coordinates from a CSV file, a flat map of them, and their geodesic distances."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from math import cos, isfinite, radians, sin
from pathlib import Path

import numpy as np
from scipy.spatial.distance import pdist

from xcbench.config.problems import suggestion
from xcbench.data.csv_rows import read_csv_rows
from xcbench.errors import DataError

EARTH_RADIUS = 6371.0088  # km, the mean radius of the WGS 84 ellipsoid
# Columns and the size their numbers may have.
COORDINATES = {"latitude": 90.0, "longitude": 180.0}
# Albers' projection as the US Geological Survey draws the conterminous states.
PARALLELS, ORIGIN = (29.5, 45.5), (37.5, -96.0)


@dataclass(frozen=True)
class Places:
    """Names and coordinates in degrees.

    Attributes
    ----------
    names : tuple of str
    latitudes, longitudes : ndarray of float64, shape (n,)
        In -90..90 and -180..180.
    """

    names: tuple[str, ...]
    latitudes: np.ndarray
    longitudes: np.ndarray

    def map_positions(self) -> np.ndarray:
        """Positions in km on Albers' equal-area conic map, (n, 2): eastings and northings.

        Snyder, "Map Projections: A Working Manual", USGS 1395 (1987), equations 14-1 to 14-6.
        """
        first, second = map(radians, PARALLELS)
        cone = (sin(first) + sin(second)) / 2.0
        constant = cos(first) ** 2 + 2.0 * cone * sin(first)

        def radius(latitude: np.ndarray) -> np.ndarray:
            distance: np.ndarray = EARTH_RADIUS * np.sqrt(constant - 2 * cone * np.sin(latitude))
            return distance / cone

        radii = radius(np.radians(self.latitudes))
        origin = radius(np.radians(ORIGIN[0]))
        # Longitudes east of the antimeridian are as far west of the centre.
        east = (self.longitudes - ORIGIN[1] + 180.0) % 360.0 - 180.0
        angles = cone * np.radians(east)
        return np.column_stack([radii * np.sin(angles), origin - radii * np.cos(angles)])

    def on_sphere(self) -> np.ndarray:
        """Positions (n, 3) on the sphere of radius 1."""
        latitudes, longitudes = np.radians(self.latitudes), np.radians(self.longitudes)
        return np.column_stack(
            [
                np.cos(latitudes) * np.cos(longitudes),
                np.cos(latitudes) * np.sin(longitudes),
                np.sin(latitudes),
            ]
        )

    def geodesic_distances(self) -> np.ndarray:
        """Distances in km along great circles, (n (n - 1) / 2,) in pdist's order."""
        chords = pdist(self.on_sphere())
        distances: np.ndarray = 2.0 * EARTH_RADIUS * np.arcsin(np.minimum(chords / 2.0, 1.0))
        return distances


def find_places(name: str, data_root: Path) -> Path:
    """The one CSV file of the folder ``name`` in the data folder.

    Raises
    ------
    DataError
        There is none, or more than one.
    """
    folder = data_root / name
    files = sorted(folder.glob("*.csv"))
    if len(files) != 1:
        found = f"{len(files)} of them" if files else "none"
        known = (path.parent.name for path in data_root.glob("*/*.csv"))
        hint = "" if files else suggestion(name, known)
        raise DataError(f"{folder}: expected one CSV file of places (*.csv); found {found}{hint}")
    return files[0]


def read_places(path: Path, rows: int) -> Places:
    """The first places of a CSV file with columns name, latitude and longitude among others.

    Raises
    ------
    DataError
        With file and line: what read_csv_rows refuses, a column missing, a coordinate that is no
        number or out of range, fewer rows than asked for.
    """
    found = list(islice(_places(path), rows))
    if len(found) < rows:
        raise DataError(f"{path}: found {len(found)} places; expected at least {rows}")
    names, latitudes, longitudes = zip(*found, strict=True)
    return Places(names, np.array(latitudes), np.array(longitudes))


def _places(path: Path) -> Iterator[tuple[str, float, float]]:
    rows = read_csv_rows(path)
    line, header = next(rows)
    for column in ("name", *COORDINATES):
        if column not in header:
            raise DataError(f"{path}:{line}: no column {column!r} in the header")
    name = header.index("name")
    for line, cells in rows:
        latitude, longitude = (
            _coordinate(f"{path}:{line}", column, cells[header.index(column)])
            for column in COORDINATES
        )
        yield cells[name], latitude, longitude


def _coordinate(where: str, column: str, text: str) -> float:
    bound = COORDINATES[column]
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not isfinite(value) or abs(value) > bound:
        raise DataError(
            f"{where}: {column} is {text!r}; expected degrees from -{bound:g} to {bound:g}"
        )
    return value
