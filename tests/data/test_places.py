"""Places from CSV files, their map and their distances."""

import numpy as np
import pytest
from scipy.spatial.distance import squareform

from xcbench.data.places import EARTH_RADIUS, Places, find_places, read_places
from xcbench.errors import DataError

HEADER = "id,name,latitude,longitude\n"


def places(*coordinates: tuple[float, float]) -> Places:
    degrees = np.array(coordinates)
    return Places(("",) * len(degrees), degrees[:, 0], degrees[:, 1])


def write(tmp_path, text: str | bytes):
    path = tmp_path / "places.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_first_rows_are_read_by_the_names_of_the_columns(tmp_path):
    path = write(tmp_path, HEADER + '1,"Here, MA",1.5,-2\n2,Thöre,-90,180\n3,x,oops,0\n')
    found = read_places(path, 2)
    assert found.names == ("Here, MA", "Thöre")
    np.testing.assert_array_equal(found.latitudes, [1.5, -90.0])
    np.testing.assert_array_equal(found.longitudes, [-2.0, 180.0])


def test_a_byte_order_mark_blank_lines_and_spaces_are_no_part_of_a_value(tmp_path):
    path = write(tmp_path, b"\xef\xbb\xbfname, latitude,longitude\r\n\r\na, 1 ,2\r\n \r\nb,3,4\r\n")
    found = read_places(path, 2)
    assert found.names == ("a", "b")
    np.testing.assert_array_equal(found.latitudes, [1.0, 3.0])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "places.csv: the file is empty"),
        ("id,latitude,longitude\n", "places.csv:1: no column 'name'"),
        ("name,latitude\n", "places.csv:1: no column 'longitude'"),
        (HEADER + "1,a,0,0\n2,b,0\n", "places.csv:3: found 3 cells; expected 4"),
        (HEADER + "1,a,90.5,0\n", "places.csv:2: latitude is '90.5'; expected degrees"),
        (HEADER + "1,a,0,-180.5\n", "places.csv:2: longitude is '-180.5'"),
        (HEADER + "1,a,,0\n", "places.csv:2: latitude is ''"),
        (HEADER + "1,a,nan,0\n", "places.csv:2: latitude is 'nan'"),
        (HEADER + "1,a,0,0\n", "places.csv: found 1 places; expected at least 2"),
        (HEADER + '1,"a,0,0\n', "places.csv:2: no CSV"),
        (HEADER.encode() + b"1,\xff,0,0\n", "places.csv:2: found bytes that are not UTF-8"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path, text, problem):
    with pytest.raises(DataError) as error:
        read_places(write(tmp_path, text), 2)
    assert problem in str(error.value)


def test_a_file_that_is_gone_is_a_data_error(tmp_path):
    with pytest.raises(DataError, match="cannot be read"):
        read_places(tmp_path / "none.csv", 2)


def test_the_one_csv_file_of_a_folder_is_found(tmp_path):
    with pytest.raises(DataError, match="found none"):
        find_places("towns", tmp_path)
    (tmp_path / "towns").mkdir()
    (tmp_path / "towns" / "README.md").touch()
    (tmp_path / "towns" / "a.csv").touch()
    assert find_places("towns", tmp_path) == tmp_path / "towns" / "a.csv"
    (tmp_path / "towns" / "b.csv").touch()
    with pytest.raises(DataError, match="found 2 of them"):
        find_places("towns", tmp_path)


def test_the_map_has_the_position_of_snyders_worked_example():
    """USGS 1395, page 291: (35 N, 75 W) seen from (23 N, 96 W), on a sphere of radius 1."""
    place, origin = places((35.0, -75.0), (23.0, -96.0)).map_positions() / EARTH_RADIUS
    np.testing.assert_allclose(place - origin, [0.2952720, 0.2416774], atol=1e-6)


def test_the_map_keeps_areas():
    """The area of a small rectangle of degrees is that on the sphere, wherever it lies."""
    for latitude in (20.0, 35.0, 65.0):
        d = 1e-3
        corner, east, north = places(
            (latitude, -110.0), (latitude, -110.0 + d), (latitude + d, -110.0)
        ).map_positions()
        area = np.linalg.det(np.array([east - corner, north - corner]))
        radians = np.radians(d)
        expected = (EARTH_RADIUS * radians) ** 2 * np.cos(np.radians(latitude + d / 2))
        assert area == pytest.approx(expected, rel=1e-4)


def test_places_across_the_antimeridian_are_near_on_the_map():
    west, east = places((52.0, 179.9), (52.0, -179.9)).map_positions()
    assert np.linalg.norm(west - east) < 20.0


def test_geodesic_distances_are_known_ones():
    found = squareform(places((0, 0), (0, 90), (90, 0), (0, 180), (0, 0)).geodesic_distances())
    quarter = EARTH_RADIUS * np.pi / 2
    np.testing.assert_allclose(
        found[0], [0, quarter, quarter, 2 * quarter, 0], rtol=1e-9, atol=1e-9
    )
    # New York and Los Angeles
    far = places((40.71427, -74.00597), (34.05223, -118.24368)).geodesic_distances()
    assert far[0] == pytest.approx(3936, abs=2)
