"""The observers, one in a file; each cites the calls that its finding rests on."""
