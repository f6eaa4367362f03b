"""What both sides use: text, ids, times, crash-safe files, redaction, and what an agent's events and commands say.

Standard library only. Each module imports no more than it needs: the hook pays for every import at every tool call.
"""
