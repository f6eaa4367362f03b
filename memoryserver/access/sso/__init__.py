"""Single sign-on: people sign in with their account at an OpenID Connect provider. Off without settings."""
