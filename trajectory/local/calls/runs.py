"""Whether a shell command runs tests or a build: by its program, or by what it printed."""

from __future__ import annotations

import re

from trajectory.local.calls import commands, suite_report

_RUNS = re.compile(
    r"(?:\S*/)?(?:pytest|py\.test|tox|nox|jest|vitest|mocha|ava|karma|playwright|cypress|rspec|phpunit|ctest|gtest\w*"
    r"|mypy|pyright|tsc|make|ninja|cmake --build|bazel|gradlew?|mvnw?|ant|sbt|xcodebuild|msbuild)\b"
    r"|(?:python[\d.]*|py) -m (?:pytest|unittest|tox|nox|mypy|build)\b|python[\d.]* \S*manage\.py test\b"
    r"|(?:npm|pnpm|yarn|bun|deno)(?: run)? (?:\S*test\S*|build|t|typecheck|check)\b"
    r"|(?:cargo|go|dotnet|swift|mix|zig|stack|cabal|flutter|dart|lein) (?:test|build|check|nextest|vet|clippy)\b"
    r"|(?:uv|poetry|pipenv|pdm|hatch|npx|bundle exec|rails|rake|php artisan|\./\S*) ?(?:run )?\S*(?:test|spec|build)\S*"
)


def is_test_or_build(command: str, printed: str) -> bool:
    """Whether `command` runs tests or a build, or printed a report of some."""
    if any(map(_RUNS.match, commands.parts(command))):
        return True
    return not commands.only_looks(command) and suite_report.of_output(printed)[0] is not None
