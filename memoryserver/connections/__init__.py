"""The engine of `DATABASES`: Django's for Postgres, with a check of a kept connection that asks the server nothing."""
