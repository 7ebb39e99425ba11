"""Getting a catalogue dataset: download, check, unpack, and put into the data folder whole."""
