"""What the server has in the end: asked by its API, and of what that does not tell by its tables."""

from __future__ import annotations

import json
import urllib.request
from typing import Any
from urllib.parse import urlencode

import psycopg

from memoryserver.database import embedded_socket_dir
from tests.support.processes.server_process import Server

_OF_PROJECT = "JOIN accounts_project AS project ON project.id = project_id WHERE project.key = %s"


class AtServer:
    """What there is of one project."""

    def __init__(self, server: Server, token: str, project: str) -> None:
        self._server = server
        self._token = token
        self._project = project

    def get(self, path: str, **query: str) -> Any:
        return self._ask(urllib.request.Request(f"{self._server.address}/api/v1{path}?{urlencode(query)}"))

    def post(self, path: str, body: Any) -> Any:
        data = json.dumps(body).encode()
        return self._ask(urllib.request.Request(f"{self._server.address}/api/v1{path}", data))

    def entries(self) -> list[tuple[str, str, str]]:
        """Goal, outcome and tier of each journal entry."""
        return self._rows(f"SELECT goal, outcome_status, collector_tier FROM ghap_entry {_OF_PROJECT} ORDER BY ghap_id")

    def calls(self, session: str, agent: str = "") -> list[str]:
        """The ids that the agent gave its calls, in the order in which they were recorded."""
        query = (
            "SELECT body ->> 'tool_use_id' FROM trajectory_toolcall WHERE session_id = %s AND agent_id = %s "
            "ORDER BY call_index"
        )
        return [found for (found,) in self._query(query, session, agent)]

    def sessions(self) -> list[tuple[str, str, int]]:
        """Session, agent and number of calls, as the API has them."""
        found = self.get("/trajectory/sessions", project=self._project)["sessions"]
        return sorted((one["session_id"], one["agent_id"], one["calls"]) for one in found)

    def findings(self, session: str, agent: str = "") -> list[tuple[str, str]]:
        """Observer and severity of what ever stood."""
        query = (
            "SELECT observer, severity FROM trajectory_assessmentrecord AS finding JOIN trajectory_trajectory AS t "
            "ON t.id = trajectory_id WHERE session_id = %s AND agent_id = %s ORDER BY finding.id"
        )
        return self._query(query, session, agent)

    def learnings(self) -> dict[str, int]:
        """How often each was met."""
        found = self.get("/learnings", project=self._project, limit="200")["learnings"]
        assert len({one["content"] for one in found}) == len(found)
        return {one["content"]: one["seen_count"] for one in found}

    def sources(self, content: str) -> list[tuple[str, str]]:
        """Context and agent of each message that a learning was met in."""
        found = self.get("/learnings", project=self._project, text=content)["learnings"]
        (one,) = [one for one in found if one["content"] == content]
        sources = self.get(f"/learnings/{one['id']}")["sources"]
        return sorted((source["context_id"], source["agent"]) for source in sources)

    def uses(self, content: str) -> list[tuple[str, str]]:
        """Kind and session of each answer that had the learning, the latest first."""
        found = self.get("/learnings", project=self._project, text=content)["learnings"]
        (one,) = [one for one in found if one["content"] == content]
        return [(use["kind"], use["session_id"]) for use in self.get(f"/learnings/{one['id']}/uses")["uses"]]

    def compactions(self, context: str) -> list[str]:
        """What set off each compaction of a context."""
        query = "SELECT trigger FROM capture_compaction WHERE context_id = %s ORDER BY happened_at, id"
        return [found for (found,) in self._query(query, context)]

    def _rows(self, query: str) -> list[Any]:
        return self._query(query, self._project)

    def _query(self, query: str, *values: str) -> list[Any]:
        where = str(embedded_socket_dir(self._server.data_dir))
        with psycopg.connect(host=where, user="memoryserver", dbname="memoryserver") as connection:
            return connection.execute(query.encode(), values).fetchall()

    def _ask(self, request: urllib.request.Request) -> Any:
        request.add_header("Authorization", f"Bearer {self._token}")
        request.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)
