import re

import pytest
from pydantic import ValidationError

from xcbench.data.catalogue import Download, catalogue, common_layouts

# The XC repository's dataset table: n_train, n_test, d, l, points/label, labels/point; A, B.
PUBLISHED = {
    "mediamill": (30993, 12914, 120, 101, 1902.15, 4.38, 0.55, 1.5),
    "bibtex": (4880, 2515, 1836, 159, 111.71, 2.4, 0.55, 1.5),
    "delicious": (12920, 3185, 500, 983, 311.61, 19.03, 0.55, 1.5),
    "rcv1-2k": (623847, 155962, 47236, 2456, 1218.56, 4.79, 0.55, 1.5),
    "eurlex": (15539, 3809, 5000, 3993, 25.73, 5.31, 0.55, 1.5),
    "amazoncat": (1186239, 306782, 203882, 13330, 448.57, 5.04, 0.55, 1.5),
    "wiki10": (14146, 6616, 101938, 30938, 8.52, 18.64, 0.55, 1.5),
    "delicious-200k": (196606, 100095, 782585, 205443, 72.29, 75.54, 0.55, 1.5),
    "wikilshtc": (1778351, 587084, 1617899, 325056, 17.46, 3.19, 0.5, 0.4),
    "amazon-670k": (490449, 153025, 135909, 670091, 3.99, 5.45, 0.6, 2.6),
}


def test_table_1_is_as_published():
    entries = {name: entry for name, entry in catalogue().items() if entry.table1}
    found = {
        name: (
            *(entry.n_train, entry.n_test, entry.n_features, entry.n_labels),
            *(entry.points_per_label, entry.labels_per_point),
            *(entry.propensity.a, entry.propensity.b),
        )
        for name, entry in entries.items()
    }
    assert found == PUBLISHED
    assert all(entry.page for entry in entries.values())


def test_published_averages_agree_with_the_published_counts():
    # points/label = labels/point * rows / l, over all rows or over the training rows alone.
    for entry in catalogue().values():
        rows = (entry.n_train, entry.n_train + entry.n_test)
        implied = [entry.labels_per_point * n / entry.n_labels for n in rows]
        assert min(abs(entry.points_per_label / value - 1) for value in implied) < 0.01, entry.name


def test_the_sets_with_splits_have_ten():
    ten = [name for name, entry in catalogue().items() if entry.n_splits == 10]
    assert ten == ["mediamill", "bibtex", "delicious"]
    assert all(catalogue()[name].layouts[0].kind == "splits" for name in ten)


def test_no_folder_belongs_to_two_datasets():
    folders = [
        folder.lower() for e in catalogue().values() for folder in set(map(str.lower, e.folders))
    ]
    assert len(folders) == len(set(folders))


def test_every_entry_is_found_by_its_name_and_the_common_layouts():
    common = common_layouts()
    for name, entry in catalogue().items():
        assert entry.folders[0] == entry.name == name
        assert entry.layouts[-len(common) :] == common


def test_every_set_of_table_1_has_an_address_and_nothing_is_fetched_without_tls():
    entries = catalogue().values()
    assert all(entry.downloads for entry in entries if entry.table1)
    urls = [download.url for entry in entries for download in entry.downloads]
    assert all(url.startswith("https://") for url in urls)
    assert len(urls) == len(set(urls))


def test_the_addresses_on_drive_are_of_its_form():
    form = (
        r"https://drive\.google\.com/uc\?export=download&id=[\w-]{28,33}(&resourcekey=0-[\w-]{22})?"
    )
    for entry in catalogue().values():
        for download in entry.downloads:
            assert re.fullmatch(form, download.url), download.url


def test_no_archive_name_belongs_to_two_datasets():
    # A file put into the data folder by hand is told by its name.
    owners = {}
    for entry in catalogue().values():
        for download in entry.downloads:
            assert owners.setdefault(download.archive.lower(), entry.name) == entry.name


@pytest.mark.parametrize(
    "wrong",
    [
        {"url": "ftp://a.example/a.zip"},
        {"url": "file:///a.zip"},
        {"archive": "../a.zip"},
        {"archive": ".a"},
        {"checksum": "md5:123"},
        {"checksum": "crc32:00000000"},
        {"bytes": 3},
    ],
)
def test_an_address_that_cannot_be_is_refused(wrong):
    right = {"url": "https://a.example/a.zip", "archive": "a.zip", "checksum": "md5:" + "0" * 32}
    Download.model_validate(right)
    with pytest.raises(ValidationError):
        Download.model_validate(right | wrong)
