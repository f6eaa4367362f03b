"""memoryserver: a shared memory for coding agents.

Importing this package costs nothing: the laptop's hook passes through here on every tool call.
"""

__version__ = "0.1.0"
