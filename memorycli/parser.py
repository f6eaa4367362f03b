"""The parser of the `memory` command line; it imports the module of no command but those that are asked for."""

from __future__ import annotations

import argparse
import difflib
import importlib
import re
import shlex
from collections.abc import Sequence
from typing import Any, NoReturn

from memorycli.arguments import examples
from memoryserver import __version__
from memoryserver.common import text

COMMANDS = {
    "capture": "learnings from transcripts: scan transcripts, deliver what was found",
    "completion": "print a script that completes commands in your shell",
    "config": "show and change this laptop's settings",
    "context": "show what a session in this project begins with, and why",
    "doctor": "find what is wrong, and say how to fix it",
    "export": "write all your data, or a project's, as JSON lines",
    "forget": "hide a learning that does not hold, or show it again",
    "ghap": "the journal: goal, hypothesis, action, prediction, outcome",
    "hook": "run by an agent's hook; reads the event from standard input",
    "import": "store data that export wrote, as yours",
    "install": "add the hooks and the MCP server to an agent's settings",
    "learn": "store one fact that later sessions would be glad to know",
    "log": "write to and read from the observation log",
    "login": "log in to the server that this laptop uses",
    "logout": "revoke this laptop's token and forget it",
    "mcp": "offer the memory to an agent as tools (MCP)",
    "open": "open the page of an entry, learning, observation or session in the browser",
    "projects": "list the projects that you see, with team and role, and rename one",
    "search": "find entries and learnings by meaning",
    "session": "start, end or show the journal's session",
    "show": "show an entry, learning, observation or session, by its id",
    "status": "show what runs, what waits and what failed last",
    "sync": "send what the server does not have yet",
    "trajectory": "record tool calls, show their assessment",
    "uninstall": "remove from an agent's settings what install added, or all of it",
    "update": "bring this client to the version that its server ships",
}

ALIASES = {"journal": "ghap"}
"""Further names of commands."""

_MODULES = {"import": "import_data", "learn": "learnings.learn", "forget": "learnings.forget"}
"""Those of commands whose name is a word of Python, or which share a folder."""
_FEW = 12  # choices that an error lists
_GLOBAL_OPTIONS = ("-c", "--version")
_WITHOUT_VALUE = re.compile(r"argument (-[\w/-]+): expected .*argument")


class _Parser(argparse.ArgumentParser):
    """A parser, and by it all of its subparsers, that guesses what a mistyped word was meant to be.

    It also says how to give a value that begins with a dash.
    """

    _words: Sequence[str] = ()

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse `args`, which `error` looks at. Words that the command does not know end it."""
        self._words = list(args or ())
        namespace, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}{self._meant(unknown)}")
        return namespace, unknown

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Raise ArgumentError, with a guess, where `value` is none of the choices."""
        if action.choices is None or value in action.choices:
            return
        words = [str(word) for word in action.choices]
        word = text.shorten(text.one_line(str(value)), 40)
        choices = f"choose one of {', '.join(words)}" if len(words) <= _FEW else f"see: {self.prog} --help"
        raise argparse.ArgumentError(action, f"{word!r} is unknown{_guess(word, words)}; {choices}")

    def _meant(self, unknown: Sequence[str]) -> str:
        """Return a guess at the option that the first of the `unknown` words was meant to be; empty without one."""
        word = unknown[0].partition("=")[0]
        if word in _GLOBAL_OPTIONS and word not in self._option_string_actions:
            return f"; {word} comes before the command: memory {word} ... {self.prog.removeprefix('memory ')}"
        return _guess(word, list(self._option_string_actions))

    def error(self, message: str) -> NoReturn:
        """Exit with status 2 and `message`, with a hint where a value was taken for an option."""
        super().error(text.readable(message + self._hint(message)))

    def _hint(self, message: str) -> str:
        if match := _WITHOUT_VALUE.match(message):
            names = match[1].split("/")
            for option, following in zip(self._words, self._words[1:], strict=False):
                if option in names and following.startswith("-"):
                    return f"; a value that begins with a dash is given as {option}=VALUE"
            return ""
        word = self._unknown_option()
        if not word and message.startswith("the following arguments"):
            return self._choices_of(message.rpartition(": ")[2].split(", ")[0])
        if word and not self._has_texts() and message.startswith("the following arguments"):
            return f"; {word} is unknown{self._meant([word])}"
        if word and self._has_texts() and message.startswith(("unrecognized arguments", "the following arguments")):
            return f'; a text that begins with a dash comes after "--": {self.prog} [OPTIONS] -- {shlex.quote(word)}'
        return ""

    def _choices_of(self, missing: str) -> str:
        """Return what the argument of that name may be; empty where it may be any text, or one of many."""
        named = [action for action in self._actions if missing in (action.metavar, action.dest)]
        words = [str(word) for action in named for word in action.choices or getattr(action.type, "words", ()) or ()]
        return f"; {missing} is one of {', '.join(words)}" if 0 < len(words) <= _FEW else ""

    def _has_texts(self) -> bool:
        """Return whether an argument without a name may be any text."""
        return any(
            not action.option_strings and action.choices is None and not hasattr(action.type, "words")
            for action in self._actions
        )

    def _unknown_option(self) -> str:
        """Return the first word that looks like an option and is none of this parser's; empty without one."""
        options = self._words[: self._words.index("--")] if "--" in self._words else self._words
        known = self._option_string_actions
        return next((word for word in options if word[:1] == "-" != word and word.split("=")[0] not in known), "")


def _guess(word: str, words: Sequence[str]) -> str:
    """Return the question whether the nearest of `words` was meant, in brackets; empty if none is near."""
    near = difflib.get_close_matches(word.lower(), words, n=1)
    return f" (did you mean {near[0]}?)" if near and near[0] != word else ""


def parser_of(*names: str) -> argparse.ArgumentParser:
    """Return the parser of `memory`: it lists every command, and has the arguments of those in `names` (or aliases).

    The parsed namespace's `module` is the chosen command's module.
    """
    parser = _Parser(
        prog="memory",
        description="The memory that coding agents share.",
        epilog=examples.overview(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"memory {__version__}")
    parser.add_argument(
        "-c", metavar="KEY=VALUE", action="append", default=[], dest="settings", help="a setting, for this run only"
    )
    loaded = {ALIASES.get(name, name) for name in names}
    # Stands for every other command: a parser for each takes 10 ms, the rest 1.
    unused = _Parser(add_help=False)

    def command_parser(**words: Any) -> _Parser:
        return _Parser(**words) if words["prog"].rpartition(" ")[2] in loaded else unused

    commands = parser.add_subparsers(  # type: ignore[call-overload]  # a function will do for argparse
        dest="command", metavar="COMMAND", required=True, parser_class=command_parser
    )
    for name, help_line in COMMANDS.items():
        aliases = [alias for alias, of in ALIASES.items() if of == name]
        command = commands.add_parser(name, help=help_line, description=help_line, aliases=aliases)
        if name in loaded and name != "hook":  # which takes no arguments, and is nearly always reached without this
            module = importlib.import_module(f"memorycli.commands.{_MODULES.get(name, name)}")
            if epilog := examples.of(name):
                command.epilog, command.formatter_class = epilog, argparse.RawDescriptionHelpFormatter
            module.configure(command)
            command.set_defaults(module=module)
    return parser
