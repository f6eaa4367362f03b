"""What several commands share: options, long texts from files or standard input, the examples below --help."""
