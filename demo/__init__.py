"""A made-up team with six weeks of work, to look at and for the screenshots of the docs: `manage.py seed_demo`."""
