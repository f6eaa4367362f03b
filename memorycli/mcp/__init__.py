"""The memory as tools for an agent, over the Model Context Protocol.

    tool        the definition of a tool
    arguments   the arguments of a call, read by the tool's schema
    answers     answers for a model: quoted and within a budget
    place       the context of a call: a project on a laptop, or a caller of a team's server
    *_tools     the tools
    resources   the journal and the assessment as resources
    serving     the official SDK's server around them
    messages    what agents send, cleaned or refused
    wire        messages on standard input and output
    stdio, http the two ways to serve

Only `serving`, `messages`, `wire`, `stdio` and `http` import the SDK, which takes most of a second to load; no hook
imports it.
"""
