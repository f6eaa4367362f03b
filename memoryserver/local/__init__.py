"""What every laptop package stands on: files, text, time, places, the outbox and the server's client.

Standard library only, and each module imports no more than it needs: the hook pays for every import
on every tool call.
"""
