"""No tool that writes puts a secret or a private part into a file that is sent, or onto the server."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from memorycli.mcp import catalogue
from memoryserver.accounts.models import User
from memoryserver.common.redaction import redact
from tests.memoryserver.test_write_paths import PRIVATE, TEXT, TOKEN, stored_text
from tests.support.agents.mcp_agent import Agent, environment
from tests.support.requests.request_bodies import body_of

KNOWN = {"type": "gotcha", "source": f"agent:{TOKEN}", "project": "shop", "root_cause_category": "oversight"}


def test_no_tool_that_writes_sends_a_secret(agent: Agent, alice: User, folder: Path) -> None:
    writing = [tool for tool in catalogue.ALL if not tool.read_only]
    for tool in writing:
        known = {name: value for name, value in KNOWN.items() if "enum" not in tool.properties.get(name, {})}
        agent.answer(tool.name, body_of(tool.input_schema, {}, TEXT, known))

    command = [sys.executable, "-m", "memorycli", "sync"]
    subprocess.run(command, cwd=folder / "shop", env=environment(folder / "home"), check=True, capture_output=True)
    sent = [path.read_text() for path in (folder / "home" / "outbox").rglob("*.json")]
    written = "\n".join([stored_text(), *sent]).lower()

    assert {tool.name for tool in writing} >= {"start_ghap", "store_learning", "observation_append"}
    assert (TOKEN[4:].lower() in written, PRIVATE in written) == (False, False)
    assert redact(TOKEN).text in written
