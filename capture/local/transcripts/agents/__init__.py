"""One module for each agent whose transcripts are read; each gives its reader as `READER`. Adding one is enough."""
