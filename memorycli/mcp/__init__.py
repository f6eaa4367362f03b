"""The memory as tools of an agent, by the Model Context Protocol.

    tool        what a tool is; arguments checked against its schema
    answers     what goes back to a model: quoted, within a budget
    place       where a call works: the project on a laptop, or a caller of a team's server
    *_tools     the tools
    resources   the journal and the assessment as things to read
    serving     the official SDK's server around them
    stdio, http the two ways to it

Only `serving`, `stdio` and `http` know the SDK, which takes most of a second to load; no hook comes near it.
"""
