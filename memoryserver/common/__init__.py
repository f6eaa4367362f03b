"""Code that both sides use: text, ids, times, crash-safe files, redaction, and readers of agents' events and commands.

Standard library only. Each module imports no more than it needs: the hook pays for every import at every tool call.
"""
