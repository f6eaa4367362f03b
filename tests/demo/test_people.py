from __future__ import annotations

from demo import people
from memoryserver.accounts.visibility import visible_projects


def test_everybody_sees_the_projects_of_the_team(db: None) -> None:
    team = people.create("open sesame please")
    seen = {name: set(visible_projects(user).values_list("key", flat=True)) for name, user in team.users.items()}
    assert seen == {name: set(team.projects) for name in people.NAMES}


def test_everybody_has_a_name_and_an_address_that_reaches_nobody(db: None) -> None:
    users = people.create("open sesame please").users.values()
    assert [user.first_name.lower() for user in users] == list(people.NAMES)
    assert {user.email.partition("@")[2] for user in users} == {"acme.example"}


def test_everybody_has_the_password(db: None) -> None:
    team = people.create("open sesame please")
    assert [user.check_password("open sesame please") for user in team.users.values()] == [True] * 4
