"""`memory mcp`: offer the memory to an agent as tools."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter

from memorycli.errors import CommandError

HELP = "offer the memory to an agent as tools (MCP)"
MISSING = 'the MCP tools need the official SDK; run: pip install "memoryserver[mcp]"'
_EXAMPLES = """\
examples:
  claude mcp add memory -- memory mcp
  memory mcp --http 127.0.0.1:8765 --server https://memory.example.org
"""


def configure(parser: ArgumentParser) -> None:
    """How the tools are offered: by standard input and output, or over HTTP for a team."""
    parser.description = (
        "Offer the memory to an agent as tools, by standard input and output until the agent closes them. "
        "With --http, for a team: each caller's token goes on to the server; what needs a laptop's files is left out."
    )
    parser.epilog = _EXAMPLES
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.add_argument("--http", metavar="HOST:PORT", help="serve over HTTP there, at the path /mcp")
    parser.add_argument("--server", metavar="URL", help="with --http: the memory server (default: that of the login)")
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="with --http: a host name that callers use, such as the proxy's; repeatable",
    )


def run(args: Namespace) -> int:
    """Serve until the agent is done, or until Ctrl-C."""
    if args.http is None and (args.server or args.allow_host):
        raise CommandError("--server and --allow-host go with --http")
    try:
        import mcp.server.lowlevel  # noqa: F401
    except ImportError as error:
        raise CommandError(MISSING) from error
    if args.http is None:
        from memorycli.mcp import stdio

        return stdio.serve()
    from memorycli.mcp import http

    return http.serve(args.http, args.server, args.allow_host)
