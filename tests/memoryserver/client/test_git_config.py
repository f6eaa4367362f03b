"""What is read of git's configuration, beside what git itself says."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from memoryserver.client import git_config
from tests.support.laptops.repositories import git, repository, worktree

ORIGIN = '[remote "origin"]\n\turl = https://github.com/acme/shop.git\n'
CONFIGURATIONS = {
    "plain": ORIGIN,
    "quoted": '[remote "origin"]\n\turl = "https://github.com/acme/shop.git"\n',
    "half quoted": '[remote "origin"]\n\turl = https://"github.com"/acme/shop.git\n',
    "comment after the header": '[remote "origin"] # mine\n\turl = https://github.com/acme/shop.git ; and yours\n',
    "comment without a blank": '[remote "origin"]\n\turl = https://github.com/acme/shop#1\n',
    "comment sign in quotes": '[remote "origin"]\n\turl = "https://github.com/acme/shop#1" # 2\n',
    "upper case": '[Remote "origin"]\n\tURL = https://github.com/acme/shop.git\n',
    "one line": '[remote "origin"] url = https://github.com/acme/shop.git',
    "dotted header": "[remote.Origin]\n\turl = https://github.com/acme/shop.git\n",
    "byte order mark": "\ufeff" + ORIGIN,
    "carriage returns": ORIGIN.replace("\n", "\r\n"),
    "continuation": '[remote "origin"]\n\turl = https://github.com/\\\nacme/shop.git\n',
    "continuation with carriage returns": '[remote "origin"]\r\n\turl = https://github.com/\\\r\nacme/shop.git\r\n',
    "escapes": '[remote "origin"]\n\turl = "a\\tb\\\\c\\"d"\n',
    "blanks within": '[remote "origin"]\n\turl =   a  b  c  \n',
    "escape in the name": '[remote "or\\igin"]\n\turl = https://github.com/acme/shop.git\n',
    "several urls": ORIGIN + "\turl = https://example.org/other\n",
    "two sections": ORIGIN + "[core]\n\tbare = false\n" + ORIGIN.replace("acme", "other"),
    "push url": ORIGIN + "\tpushurl = git@example.org:push/shop\n",
    "key without a value": '[core]\n\tbare\n[remote "origin"]\n\tmirror\n\turl = https://example.org/a/b\n',
    "no last line break": ORIGIN.rstrip("\n"),
    "instead of": '[url "git@github.com:"]\n\tinsteadOf = gh:\n[remote "origin"]\n\turl = gh:acme/shop.git\n',
    "longest instead of": (
        '[url "https://a.org/"]\n\tinsteadOf = gh:\n[url "https://b.org/"]\n\tinsteadOf = gh:acme/\n'
        '\tinsteadOf = other:\n[remote "origin"]\n\turl = gh:acme/shop.git\n'
    ),
    "instead of for pushes": '[url "git@x.org:"]\n\tpushInsteadOf = https://github.com/\n' + ORIGIN,
    "no remote": "[core]\n\tbare = false\n",
    "remote without a url": '[remote "origin"]\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n',
    "url of another section": '[submodule "origin"]\n\turl = https://github.com/acme/wrong.git\n',
    "blank lines and comments": f"\n\n  # hello\n;\n\n   {ORIGIN}",
}


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return repository(home / "work" / "shop")


def write(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode())


def read(folder: Path) -> str:
    return git_config.remote_url(str(folder / ".git"))


def as_git_says(folder: Path) -> str:
    """Return the URL, "" where git has none: it then takes the remote's name for one."""
    url = git(folder, "remote", "get-url", "origin", check=False)
    return "" if url == "origin" else url


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_url_is_the_one_that_git_reads(name: str, shop: Path) -> None:
    write(shop / ".git" / "config", CONFIGURATIONS[name])
    assert read(shop) == as_git_says(shop)


def test_remote_with_a_name_in_upper_case_is_another_one(shop: Path) -> None:
    write(shop / ".git" / "config", ORIGIN.replace("origin", "ORIGIN").replace("acme", "other") + ORIGIN)
    assert read(shop) == as_git_says(shop) == "https://github.com/acme/shop.git"


def test_what_comes_before_a_line_that_git_refuses_counts(shop: Path) -> None:
    write(shop / ".git" / "config", ORIGIN + '[core]\n\tx = "\\q"\n' + ORIGIN.replace("acme", "other"))
    assert read(shop) == "https://github.com/acme/shop.git"


def test_random_configurations_are_read_as_git_reads_them(shop: Path) -> None:
    chance = random.Random(7)
    pieces = ['"', "\\", " ", "#", ";", "a", "B", "://", "/", "\\\n", "\\t", "\\\\", '\\"', "é", "="]
    compared = 0
    for _ in range(250):
        keys = [
            f"{chance.choice(['url', 'URL', 'fetch', 'pushurl'])}{chance.choice([' = ', '=', ' =  '])}" for _ in "123"
        ]
        lines = [f"{key}{''.join(chance.choices(pieces, k=chance.randint(1, 4)))}\n" for key in keys]
        header = chance.choice(['[remote "origin"]', '[REMOTE\t"origin"] ', '[remote "origin"];x\n'])
        write(shop / ".git" / "config", f"[core]\n\tbare = false\n{header}{''.join(lines)}")
        urls = git(shop, "config", "--get-all", "remote.origin.url", check=False).split("\n")
        if (says := as_git_says(shop)) and "" not in urls:  # an empty one takes back the others only since git 2.46
            assert read(shop) == says, lines
            compared += 1
    assert compared > 30


@pytest.mark.parametrize(
    ("condition", "includes"),
    [
        ("gitdir:~/work/", True),
        ("gitdir:~/other/", False),
        ("gitdir:work/", True),
        ("gitdir:**/shop/.git", True),
        ("gitdir:shop", False),
        ("gitdir:~/WORK/", False),
        ("gitdir/i:~/WORK/", True),
        ("gitdir:~/w?rk/*/.git", True),
        ("gitdir:~/*/.git", False),
        ("gitdir:./work/", True),
        ("gitdir:~/[uvw]ork/", True),
        ("onbranch:main", True),
        ("onbranch:feature/", False),
        ("hasconfig:remote.*.url:gh:acme/**", True),
        ("hasconfig:remote.*.url:gh:other/**", False),
        ("unknown:x", False),
    ],
)
def test_conditional_include_is_read_where_git_reads_it(condition: str, includes: bool, shop: Path) -> None:
    home = shop.parents[1]
    write(home / ".gitconfig", f'[includeIf "{condition}"]\n\tpath = extra\n')
    write(home / "extra", '[url "git@github.com:"]\n\tinsteadOf = gh:\n')
    write(shop / ".git" / "config", '[remote "origin"]\n\turl = gh:acme/shop\n')

    assert read(shop) == as_git_says(shop) == ("git@github.com:acme/shop" if includes else "gh:acme/shop")


def test_included_files_are_read_in_their_place_and_missing_ones_passed_over(shop: Path) -> None:
    write(shop / ".git" / "config", "[include]\n\tpath = missing\n\tpath = more/extra\n" + ORIGIN)
    write(shop / ".git" / "more" / "extra", '[include]\n\tpath = deeper\n[remote "origin"]\n\turl = first\n')
    write(shop / ".git" / "more" / "deeper", '[remote "origin"]\n\turl = deeper\n')

    assert read(shop) == as_git_says(shop) == "deeper"


def test_file_that_includes_itself_ends(shop: Path) -> None:
    write(shop / ".git" / "config", ORIGIN + "[include]\n\tpath = config\n")
    assert read(shop) == "https://github.com/acme/shop.git"


@pytest.mark.parametrize("file", [".gitconfig", ".config/git/config"])
def test_users_files_are_read(file: str, shop: Path) -> None:
    write(shop.parents[1] / file, '[url "https://github.com/"]\n\tinsteadOf = gh:\n')
    git(shop, "remote", "add", "origin", "gh:acme/shop")
    assert read(shop) == as_git_says(shop) == "https://github.com/acme/shop"


def test_configuration_of_the_worktree_counts_where_it_is_enabled(shop: Path) -> None:
    git(shop, "config", "extensions.worktreeConfig", "true")
    write(shop / ".git" / "config.worktree", ORIGIN)
    assert read(shop) == as_git_says(shop) == "https://github.com/acme/shop.git"


def test_variables_of_git_name_the_users_and_the_systems_file(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(shop, "remote", "add", "origin", "gh:acme/shop")
    write(shop.parents[1] / "mine", '[url "https://github.com/"]\n\tinsteadOf = gh:\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(shop.parents[1] / "mine"))
    assert read(shop) == as_git_says(shop) == "https://github.com/acme/shop"

    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.delenv("GIT_CONFIG_NOSYSTEM")
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", str(shop.parents[1] / "mine"))
    assert read(shop) == "https://github.com/acme/shop"


@pytest.mark.parametrize(
    ("remotes", "url"),
    [
        (("fork", "origin"), "origin/shop"),
        (("fork",), "fork/shop"),
        (("fork", "upstream"), "upstream/shop"),
        (("fork", "other"), "fork/shop"),
        ((), ""),
    ],
)
def test_remote_is_origin_else_upstream_else_the_first(remotes: tuple[str, ...], url: str, shop: Path) -> None:
    for name in remotes:
        git(shop, "remote", "add", name, f"{name}/shop")
    assert read(shop) == url


def test_worktree_of_a_submodule_is_named_by_the_configuration(tmp_path: Path, shop: Path) -> None:
    part = repository(tmp_path / "part")
    git(shop, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(part), "lib")
    assert git_config.worktree(str(shop / ".git" / "modules" / "lib")) == "../../../lib"
    worktree(shop, tmp_path / "beside")
    assert git_config.worktree(str(shop / ".git")) == ""
