"""Mulan's form of a multi-label dataset: an ARFF file and an XML file that names the labels."""
