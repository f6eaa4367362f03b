"""`memory mcp`: serve the memory to an agent as tools."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter

from memorycli.delivery import connection
from memorycli.errors import CommandError, UsageError
from memorycli.installation import layout

MISSING = f"the MCP tools need the official SDK; run: {layout.mcp_command()}"
_DESCRIPTION = """\
Serve the memory to an agent as tools over standard input and output, until the
agent closes them. With --http, serve a team: each caller's token is sent on to
the memory server, and tools that need a laptop's files are not offered.
"""
_EXAMPLES = """\
examples:
  claude mcp add memory -- memory mcp
  memory mcp --http 127.0.0.1:8765 --server https://memory.example.org
"""


def configure(parser: ArgumentParser) -> None:
    """Add the options: the tools are served over standard input and output, or over HTTP for a team."""
    parser.description = _DESCRIPTION
    parser.epilog = _EXAMPLES
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.add_argument("--http", metavar="HOST:PORT", help="serve over HTTP at this address, path /mcp")
    parser.add_argument(
        "--server", metavar="URL", help="with --http: the memory server (default: the one you are logged in to)"
    )
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="with --http: a host name that callers use, such as a proxy's (repeatable)",
    )


def run(args: Namespace) -> int:
    """Serve until the agent closes the connection, or until Ctrl-C."""
    if args.http is None and (args.server or args.allow_host):
        raise UsageError("--server and --allow-host need --http")
    parent = os.getppid()  # before the SDK is loaded, during which the agent may end
    try:
        import mcp.server.lowlevel  # noqa: F401
    except ImportError as error:
        raise CommandError(MISSING) from error
    if args.http is None:
        from memorycli.mcp import stdio

        stdio.serve(parent)
    from memorycli.mcp import http

    return http.serve(args.http, args.server and connection.typed_address(args.server), args.allow_host)
