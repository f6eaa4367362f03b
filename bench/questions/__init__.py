"""What a question costs over HTTP: `python -m bench.questions`."""
