"""The downloads; who may open them is in tests/test_every_door.py."""

from __future__ import annotations

import json

from django.test import Client

from ghap.intake import receive
from memoryserver.accounts.models import Project, User
from tests.support.rows.ghap_entries import body


def test_page_links_files_of_all_that_is_the_users_and_of_each_project(
    alice: User, bob: User, shared_project: Project
) -> None:
    receive(alice, shared_project, [body()])
    client = Client()
    client.force_login(bob)
    page = client.get("/teams/").content.decode()
    found = {}
    for path in ("/export/", f"/export/{shared_project.pk}/"):
        assert f'href="{path}"' in page
        answer = client.get(path)
        rows = [json.loads(line) for line in answer.getvalue().splitlines()]
        found[answer["Content-Disposition"]] = [row["author"] for row in rows if row.get("kind") == "ghap.entry"]

    assert found == {
        'attachment; filename="memory.jsonl"': [],
        f'attachment; filename="memory-of-project-{shared_project.pk}.jsonl"': ["alice"],
    }
