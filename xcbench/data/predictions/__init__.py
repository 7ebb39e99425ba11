"""Files of predictions, whoever made them, and the truth they are measured against."""
