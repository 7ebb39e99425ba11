"""Documents as texts: their files, and the vocabulary that makes features of them."""
