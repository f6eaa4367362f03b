"""The purpose of a shell command: to look, to wait, to change something, or to run tests or a build.

A command is judged by its simple commands, each by its program, as `shell` reads them. Programs that are not in the
tables are for none of these.
"""

from __future__ import annotations

from memoryserver.common import shell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memoryserver.common.shell_reader import Part

Words = tuple[str, ...]


def _set(names: str) -> frozenset[str]:
    return frozenset(names.split())


_READS = _set(
    "ls cat head tail less more grep egrep fgrep rg ag find fd tree wc file stat pwd echo printf which type whereis"
    " diff cmp comm sort uniq cut awk sed jq yq tr nl tac column du df ps env printenv date whoami id uname hostname"
    " history man true false test [ [[ command readlink realpath basename dirname md5sum sha256sum xxd od strings"
    " for case select"
)
_SETS_UP = _set("cd pushd popd export set unset shopt ulimit alias local declare readonly")  # this shell alone
_GIT_READS = _set(
    "log status diff show blame grep ls-files ls-tree rev-parse rev-list describe cat-file shortlog reflog"
)
_ASKS = _set("--help --version --markers --collect-only --co --list --dry-run --showConfig")
_CHANGERS = _set(
    "mv cp rm rmdir mkdir touch ln chmod chown tee patch truncate install rsync unzip dd make ninja"
    " black prettier isort gofmt rustfmt createdb dropdb psql mysql sqlite3"
)
_PACKAGE_TOOLS = _set("pip pip3 npm pnpm yarn uv cargo go gem apt apt-get brew conda poetry bundle")
_PACKAGE_VERBS = _set("add install remove uninstall update upgrade get mod i sync ci fmt")
_CONTAINER_TOOLS = _set("docker podman kubectl terraform")
_CONTAINER_VERBS = _set("build run rm apply delete create exec start stop restart compose")
_CHANGING_VERBS = {
    "git": _set(
        "add apply am checkout switch commit merge rebase reset restore revert cherry-pick clean clone pull push"
        " rm mv init"
    ),
    **dict.fromkeys(_PACKAGE_TOOLS, _PACKAGE_VERBS),
    **dict.fromkeys(_CONTAINER_TOOLS, _CONTAINER_VERBS),
    "ruff": _set("format"),
}
_WAITS = _set("sleep watch wait jobs pgrep uptime ps squeue sacct nvidia-smi")
_GITHUB_WAITS = _set("watch view status checks list")
_WAITING_VERBS = {
    "gh run": _GITHUB_WAITS,
    "gh pr": _GITHUB_WAITS,
    "glab": _set("ci"),
    "systemctl": _set("status is-active"),
    "kubectl": _set("get wait describe"),
    "kubectl rollout": _set("status"),
    "docker": _set("ps wait logs inspect"),
}
_BESIDE_WAITS = _set("echo true tail head cat grep wc date for curl jq [ [[ test")
_POLLED_URLS = ("health", "ready", "status", "localhost", "127.0.0.1")
_TESTS = _set(
    "pytest py.test tox nox jest vitest mocha ava karma playwright cypress rspec phpunit ctest mypy pyright tsc"
    " unittest build make ninja bazel gradle gradlew mvn mvnw ant sbt xcodebuild msbuild"
)
_SCRIPT_RUNNERS = _set("npm pnpm yarn bun deno")
_SCRIPTS = _set("build t typecheck check")
_TOOL_VERBS = _set("test build check nextest vet clippy")
_TOOLS = _set("cargo go dotnet swift mix zig stack cabal flutter dart lein")
_MAKES = _set("make ninja gradle gradlew bazel")
_RUN_TARGETS = _set("run start demo serve example examples")
_TASK_RUNNERS = _set("rails rake")
_TASKS = ("test", "spec", "build")
_VALUED = _set("-C -c --git-dir --work-tree -n --namespace --context -f --file -p --prefix --cwd --dir -w --workspace")


def only_looks(command: str) -> bool:
    """Return whether `command` reads and does nothing else; False for an empty one.

    Every one of its simple commands must look. One looks if its program is known to read (`ls`, `git log`, `awk`), if
    it only sets up the shell that it is in (`cd`, `export`, `set -e`, `A=1`, `source venv/bin/activate`), or if it
    only asks its program (`--help`, `--version`, `--dry-run`, `--collect-only`; `-h` or `-V` alone). One that changes
    something (`sed -i`, `find -delete`, output that goes into a file) does not, nor does one that waits (`sleep`) or
    runs an unknown program. What `xargs` and `find -exec` run is judged by the same rules; what is in `$(...)` is
    not.
    """
    parts = list(shell.parts(command))
    return bool(parts) and all(map(_looks, parts)) and not changes(command)


def changes(command: str) -> bool:
    """Return whether a simple command in `command` is known to change files, or its output goes into one."""
    if any(part.writes for part in shell.read(command).parts):
        return True
    return any(part.writes or _is_change(_program(part)) for part in shell.parts(command))


def waits(command: str) -> bool:
    """Return whether `command` does nothing but wait for something or ask how it is getting on."""
    programs = [words for part in shell.parts(command) if (words := _program(part))]
    waiting = [_waits(words) for words in programs]
    return any(waiting) and all(
        wait or words[0] in _BESIDE_WAITS for wait, words in zip(waiting, programs, strict=True)
    )


def runs_tests_or_build(command: str) -> bool:
    """Return whether a program in `command` is known to run tests, type checks or a build."""
    return any(_is_test_or_build(shell.without_keywords(part.words)) for part in shell.parts(command))


def verb_of(words: Words) -> str:
    """Return the first argument that is neither an option nor an option's value; `push` of `git -C x push -f`."""
    arguments = iter(words[1:])
    for word in arguments:
        if word in _VALUED:
            next(arguments, None)
        elif not word.startswith("-"):
            return word
    return ""


def _program(part: Part) -> Words:
    """Return the program of `part` with its arguments, behind `xargs` too."""
    return _behind_xargs(shell.program_words(shell.without_keywords(part.words)))


def _behind_xargs(words: Words) -> Words:
    if words[:1] != ("xargs",):
        return words
    rest = words[1:]
    while rest and rest[0].startswith("-"):
        rest = rest[2 if rest[0] in ("-I", "-P", "-n", "-L", "-d", "-s", "-a", "-E") else 1 :]
    return shell.program_words(rest) or ("echo",)


def _looks(part: Part) -> bool:
    words = _program(part)
    if not words or words[0] in _SETS_UP or _only_asks(words):
        return True
    if words[0] in ("source", "."):
        return words[-1].endswith("/activate")
    if words[0] == "find":
        return all(inner and inner[0] in _READS for inner in _found_commands(words))
    return words[0] in _READS or (words[0] == "git" and _git_looks(words))


def _only_asks(words: Words) -> bool:
    options = words[1 : words.index("--") if "--" in words else None]
    return not _ASKS.isdisjoint(options) or options in (("-h",), ("-V",))


def _git_looks(words: Words) -> bool:
    verb = verb_of(words)
    rest = words[words.index(verb) + 1 :] if verb else ()
    if verb == "branch":
        return all(word.startswith("-") for word in rest) and {"-d", "-D", "-m", "-M", "-u"}.isdisjoint(rest)
    if verb == "stash":
        return rest[:1] in (("list",), ("show",))
    if verb in ("remote", "config", "worktree"):
        return rest[:1] in ((), ("-v",), ("show",), ("get-url",), ("list",), ("--get",))
    return not verb or verb in _GIT_READS


def _found_commands(words: Words) -> list[Words]:
    """Return what `find` runs for each file, without the arguments after the first `;`."""
    starts = [number + 1 for number, word in enumerate(words) if word in ("-exec", "-execdir", "-ok", "-okdir")]
    return [shell.program_words(words[start:]) for start in starts]


def _is_change(words: Words) -> bool:
    if not words or _only_asks(words) or _makes_run(words):
        return False
    name = words[0]
    is_special_change = _SPECIAL_CHANGES.get(name)
    if is_special_change is not None and is_special_change(words):
        return True
    return name in _CHANGERS or verb_of(words) in _CHANGING_VERBS.get(name, ())


def _makes_run(words: Words) -> bool:
    """Return whether `make` is asked to run the program, which is neither a change nor a test."""
    return words[0] in _MAKES and verb_of(words) in _RUN_TARGETS


def _find_changes(words: Words) -> bool:
    return "-delete" in words or any(map(_is_change, _found_commands(words)))


def _edits_in_place(words: Words) -> bool:
    options = [word for word in words[1:] if word.startswith("-")]
    return "--in-place" in options or any("i" in option for option in options if not option.startswith("--"))


def _extracts(words: Words) -> bool:
    return "--extract" in words or any("x" in word for word in words[1:2] if not word.startswith("--"))


def _git_changes_a_list(words: Words) -> bool:
    return verb_of(words) in ("stash", "branch", "worktree", "remote") and not _git_looks(words)


def _fixes(words: Words) -> bool:
    return verb_of(words) == "check" and "--fix" in words


_SPECIAL_CHANGES = {
    "find": _find_changes,
    "sed": _edits_in_place,
    "perl": _edits_in_place,
    "tar": _extracts,
    "git": _git_changes_a_list,
    "ruff": _fixes,
}


def _waits(words: Words) -> bool:
    name, verb = words[0], verb_of(words)
    if name == "curl":
        return any(mark in word for word in words[1:] for mark in _POLLED_URLS)
    if name in ("aws", "gcloud"):
        return any(word in ("wait", "describe") or word.startswith("describe-") for word in words[2:])
    following = words[words.index(verb) + 1 :][:1] if verb else ()
    return (
        name in _WAITS
        or verb in _WAITING_VERBS.get(name, ())
        or bool(following and following[0] in _WAITING_VERBS.get(f"{name} {verb}", ()))
    )


def _is_test_or_build(words: Words) -> bool:
    program = shell.program_words(words)
    return _is_named_task(shell.unwrapped(words)) or bool(program and _is_test_program(program))


def _is_named_task(words: Words) -> bool:
    """Return whether a runner (`uv run`, `rake`, `./x`) runs something with `test`, `spec` or `build` in its name."""
    runner = ("php", "artisan") if words[:2] == ("php", "artisan") else shell.runner_of(words)
    if not runner and words[:1] and not words[0].startswith("./") and words[0] not in _TASK_RUNNERS:
        return False
    names = words[len(runner) :][:1] if runner else words[:2]
    return any(task in name for name in names for task in _TASKS)


def _is_test_program(words: Words) -> bool:
    name, verb = words[0], verb_of(words)
    if _makes_run(words):
        return False
    if name in _SCRIPT_RUNNERS:
        script = words[2] if verb == "run" and len(words) > 2 else verb
        return "test" in script or script in _SCRIPTS
    if shell.is_python(name):
        return verb.endswith("manage.py") and "test" in words[2:3]
    if name == "cmake":
        return "--build" in words[1:2]
    return name in _TESTS or name.startswith("gtest") or (name in _TOOLS and verb in _TOOL_VERBS)
