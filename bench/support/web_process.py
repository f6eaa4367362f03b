"""A web server as the product runs it, as a process: `python -m bench.support.web_process product|bare PORT`."""

from __future__ import annotations

import os
import socket
import sys

from django.conf import settings

from memoryserver.ops.webserver import WebServer


def main(which: str, port: int) -> None:
    """Serve the product's application, or the bare endpoint, by the product's web server; returns when ended."""
    if which == "bare":
        settings.ROOT_URLCONF = "bench.support.bare_api"
        settings.WSGI_APPLICATION = "bench.support.bare_api.application"
    listener = socket.create_server(("127.0.0.1", port), backlog=2048)
    os.set_inheritable(listener.fileno(), True)
    WebServer(listener.fileno()).run()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
