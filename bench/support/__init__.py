"""What the benches share: data, labels, and their parts that are no bench by themselves."""
