"""What the benches share: data, labels, and parts of them that cannot be run alone."""
