"""One process that embeds for all others on a machine: its server and its client.

They speak OpenAI's form of `/v1/embeddings` over a socket in the data folder, which only this user can open.
"""
