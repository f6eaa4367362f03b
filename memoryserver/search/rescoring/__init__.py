"""A second look at the first results of a hybrid search, at what would cost too much to compare in the whole scope."""
