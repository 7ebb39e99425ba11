"""What is wrong or unusual in the files of a dataset, and what to do about it."""
