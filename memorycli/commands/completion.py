"""`memory completion`: print a completion script for the shell, generated from the commands' own parsers.

shtab and argcomplete do the same, but a laptop needs nothing beyond the standard library, and argcomplete would start
Python at every Tab.
"""

from __future__ import annotations

import argparse
import re
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from dataclasses import dataclass, field

from memorycli.arguments.inputs import choice
from memorycli.parser import COMMANDS, parser_of

SHELLS = ("bash", "zsh", "fish")


@dataclass(frozen=True)
class Option:
    """An option: its names, its help, whether it takes a value, and which values (none: a file name)."""

    names: tuple[str, ...]
    about: str
    takes_word: bool
    words: tuple[str, ...] = ()


@dataclass
class Place:
    """What may follow a chain of commands such as `memory config set`: sub-commands, words and options."""

    chain: tuple[str, ...]
    commands: dict[str, str] = field(default_factory=dict)
    words: tuple[str, ...] = ()
    options: list[Option] = field(default_factory=list)


def configure(parser: ArgumentParser) -> None:
    """Add the shell."""
    parser.add_argument("shell", choices=SHELLS)


def run(args: Namespace) -> int:
    """Print the script."""
    places = list(places_of(parser_of(*COMMANDS), ("memory",)))
    print("\n".join({"bash": _bash, "zsh": _zsh, "fish": _fish}[args.shell](places)))
    return 0


def places_of(parser: ArgumentParser, chain: tuple[str, ...]) -> Iterator[Place]:
    """Yield the place after `chain`, and all places after its sub-commands."""
    place = Place(chain)
    below: dict[str, ArgumentParser] = {}
    for action in parser._actions:  # argparse has no public way to them, and has kept this one for twenty years
        if isinstance(action, argparse._SubParsersAction):
            below = dict(action.choices)
            helps = {command.dest: command.help or "" for command in action._choices_actions}
            place.commands = {name: _plain(helps.get(name, "")) for name in below}
        elif action.option_strings and action.help != argparse.SUPPRESS:
            place.options.append(_option(action))
        else:
            place.words += _words(action)
    yield place
    for name, command in below.items():
        yield from places_of(command, (*chain, name))


def _option(action: argparse.Action) -> Option:
    takes_word = action.nargs != 0 and not isinstance(action, argparse._HelpAction | argparse._VersionAction)
    return Option(tuple(action.option_strings), _plain(action.help or ""), takes_word, _words(action))


def _words(action: argparse.Action) -> tuple[str, ...]:
    if isinstance(action.type, choice):
        return action.type.words
    return tuple(str(word) for word in action.choices or ())


def _plain(about: str) -> str:
    """Return a help text as one short line without characters that a shell would interpret."""
    return re.sub(r"[^\w .,;/=<>-]+", " ", " ".join(about.split()))[:70].strip()


def _bash(places: list[Place]) -> Iterator[str]:
    """Yield a function that follows the words so far down the commands, and then offers what may follow there."""
    yield "# bash completion for memory; made by `memory completion bash`"
    yield "_memory() {"
    yield "  local at=memory word current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} offered= i"
    yield "  COMPREPLY=()"
    yield "  for ((i = 1; i < COMP_CWORD; i++)); do"
    yield '    word="$at ${COMP_WORDS[i]}"'
    yield '    case "$word" in'
    for place in places[1:]:
        yield f'      "{" ".join(place.chain)}") at=$word ;;'
    yield "    esac"
    yield "  done"
    yield '  case "$at $previous" in'
    for place in places:
        for option in place.options:
            if option.takes_word:
                patterns = "|".join(f'"{" ".join(place.chain)} {name}"' for name in option.names)
                words = " ".join(option.words)
                reply = f'COMPREPLY=($(compgen -W "{words}" -- "$current")); ' if words else ""  # else readline's files
                yield f"    {patterns}) {reply}return ;;"
    yield "  esac"
    yield '  case "$at" in'
    for place in places:
        yield f'    "{" ".join(place.chain)}") offered="{" ".join(_offered(place))}" ;;'
    yield "  esac"
    yield '  COMPREPLY=($(compgen -W "$offered" -- "$current"))'
    yield "}"
    yield "complete -o default -F _memory memory"


def _offered(place: Place) -> list[str]:
    names = [
        name for option in place.options for name in option.names if name.startswith("--") or len(option.names) == 1
    ]
    return [*place.commands, *place.words, *names]


def _zsh(places: list[Place]) -> Iterator[str]:
    yield "#compdef memory"
    yield "# zsh completion for memory; made by `memory completion zsh`"
    yield "_memory() {"
    yield "  local at=memory i previous=${words[CURRENT-1]}"
    yield "  local -a offered"
    yield "  for ((i = 2; i < CURRENT; i++)); do"
    yield '    case "$at ${words[i]}" in'
    for place in places[1:]:
        yield f'      "{" ".join(place.chain)}") at="$at ${{words[i]}}" ;;'
    yield "    esac"
    yield "  done"
    yield '  case "$at $previous" in'
    for place in places:
        for option in place.options:
            if option.takes_word:
                patterns = "|".join(f'"{" ".join(place.chain)} {name}"' for name in option.names)
                reply = f"compadd -- {' '.join(option.words)}" if option.words else "_files"
                yield f"    {patterns}) {reply}; return ;;"
    yield "  esac"
    yield '  case "$at" in'
    for place in places:
        pairs = [*place.commands.items(), *((word, "") for word in place.words)]
        pairs += [(name, option.about) for option in place.options for name in option.names]
        offered = " ".join(f'"{name}:{about}"' if about else f'"{name}"' for name, about in pairs)
        yield f'    "{" ".join(place.chain)}") offered=({offered}) ;;'
    yield "  esac"
    yield "  _describe -V memory offered || _files"
    yield "}"
    yield 'if [ "$funcstack[1]" = _memory ]; then _memory "$@"; else compdef _memory memory; fi'


def _fish(places: list[Place]) -> Iterator[str]:
    """Yield a function that tests the chain so far, and a rule for each place."""
    yield "# fish completion for memory; made by `memory completion fish`"
    yield "function __memory_at"
    yield "  set -l at memory"
    yield "  for word in (commandline -opc)[2..-1]"
    yield '    switch "$at $word"'
    chains = " ".join(f'"{" ".join(place.chain)}"' for place in places[1:])
    yield f"      case {chains}"
    yield '        set at "$at $word"'
    yield "    end"
    yield "  end"
    yield '  test "$at" = "$argv"'
    yield "end"
    yield "complete -c memory -f"
    for place in places:
        here = f"complete -c memory -n '__memory_at {' '.join(place.chain)}'"
        for name, about in place.commands.items():
            yield f"{here} -a {name} -d '{about}'"
        if place.words:
            yield f"{here} -a '{' '.join(place.words)}'"
        for option in place.options:
            names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)
            words = f" -x -a '{' '.join(option.words)}'" if option.words else " -r -F" if option.takes_word else ""
            yield f"{here} {names}{words} -d '{option.about}'"
