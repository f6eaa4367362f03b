"""Failures that come back, as things with a name and a state: recounted every night, read, and changed by people."""
