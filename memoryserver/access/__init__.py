"""How people and laptops get in: pages of tokens, the device flow of `memory login`, invitations, laptops."""
