"""Long forms of tests: what `make test` tries a part of, they try in full."""
