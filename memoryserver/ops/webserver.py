"""The web server: gunicorn on a socket that its supervisor holds open."""

from __future__ import annotations

import gc
import http.client
import itertools
import os
import socket
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.utils.module_loading import import_string
from gunicorn.app.base import BaseApplication

from memoryserver.environment import whole_number

PROBE_TIMEOUT = 5.0
FIRST_REQUESTS = 500
"""Requests after which most of what a worker will ever load is there."""

_answered = itertools.count(1)


class WebServer(BaseApplication):  # type: ignore[misc]  # gunicorn has no types
    """Gunicorn without its command line, which reads modules and settings from the current folder."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        super().__init__()

    def load_config(self) -> None:
        """Set what differs from gunicorn's defaults, and that numpy, once a search needs it, computes by one thread.

        Several threads of requests would wait for each other's; one product of a search takes 1.0 ms by one thread, and
        1.5 to 2.5 in pieces so small that OpenBLAS starts no others.
        """
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        options = {
            "bind": f"fd://{self._descriptor}",
            "worker_class": "gthread",
            "workers": whole_number("MEMORYSERVER_WEB_WORKERS", default=1, at_least=1),
            "threads": whole_number("MEMORYSERVER_WEB_THREADS", default=8, at_least=1),
            # A query of 2,000 non-ASCII characters is a request line of 24,000, three times the highest limit.
            "limit_request_line": 0,
            "timeout": 120,
            "graceful_timeout": 20,
            "loglevel": "warning",
            "control_socket_disable": True,
            "post_request": keep_what_is_loaded,
        }
        for name, setting in options.items():
            self.cfg.set(name, setting)

    def load(self) -> Callable[..., Any]:
        """Return the WSGI application; called in each worker process."""
        application: Callable[..., Any] = import_string(settings.WSGI_APPLICATION)
        return application


def keep_what_is_loaded(_worker: object, _request: object, _environ: object, _response: object) -> None:
    """Have the garbage collector pass over what the first requests loaded; called by gunicorn after each answer.

    Views, templates and statements stay for good. With them a full collection, every few hundred pages, stops all
    threads for some 50 ms; without them for one or two.
    """
    if next(_answered) == FIRST_REQUESTS:
        gc.collect()
        gc.freeze()


def responds(listener: socket.socket) -> bool:
    """Return whether the web server that serves `listener` answers a request."""
    host, port = listener.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104
    connection = http.client.HTTPConnection(host, port, timeout=PROBE_TIMEOUT)  # no proxy, whatever the environment
    try:
        connection.request("GET", "/healthz")
        connection.getresponse()  # of any status: the host may not be in ALLOWED_HOSTS
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
    return True
