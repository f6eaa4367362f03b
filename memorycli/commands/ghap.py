"""`memory ghap`: the journal of goals, hypotheses, actions and predictions."""

from __future__ import annotations

import argparse
import json
import textwrap
from collections.abc import Callable
from typing import TypeVar

from ghap.local import Domain, GHAPEntry, Journal, OutcomeStatus, Strategy, corrections
from ghap.local.rendering import render
from memorycli.arguments import examples
from memorycli.arguments import learned as learned_options
from memorycli.arguments.inputs import TEXT_HELP, choice, metavar, one_of, read_text, required_text, whole_number
from memorycli.arguments.journal import add_command, adopt_or_abandon, none_active, none_resolved, run_command
from memorycli.arguments.journal import change as change_journal
from memorycli.arguments.journal import command as journal_command
from memorycli.arguments.journal import read as read_journal
from memorycli.arguments.journal import run as on_journal
from memorycli.errors import CommandError
from memorycli.hook import learning_questions, ownership
from memorycli.rendering import journal_entries, terminal
from memoryserver.client import agent_processes, places
from memoryserver.common import text

_Result = TypeVar("_Result")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `memory ghap`."""
    commands = parser.add_subparsers(dest="ghap_command", metavar="COMMAND", required=True)
    _configure_start(_add(commands, "start", _start, "begin an entry"))
    _configure_update(_add(commands, "update", _update, "change the active entry, or add a note"))
    _configure_resolve(_add(commands, "resolve", _resolve, "record the outcome of the active entry"))
    _configure_amend(_add(commands, "amend", _amend, "add what was learned to a resolved entry"))
    abandon = _add(commands, "abandon", _abandon, "abandon the active entry")
    _text_option(abandon, "--reason", "why", required=True)
    show = _add(commands, "show", _show, "show the active entry, or the one named")
    show.add_argument("id", nargs="?", metavar="ID", help="an entry of this journal")
    listing = _add(commands, "list", _list, "list the entries resolved in this session")
    listing.add_argument("--all", action="store_true", help="include those of earlier sessions")
    listing.add_argument("--limit", type=whole_number(1), default=20, metavar="N", help="the newest N (default 20)")
    _add(commands, "adopt", _adopt, "take over the entry that an earlier session left")
    orphan = _add(commands, "abandon-orphan", _abandon_orphan, "abandon the entry that an earlier session left")
    _text_option(orphan, "--reason", "why", required=True)


def run(args: argparse.Namespace) -> int:
    """Run the command that `args` names and return the exit status."""
    return run_command(args)


def _add(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    action: Callable[[argparse.Namespace], None],
    help_line: str,
) -> argparse.ArgumentParser:
    example = f"example:\n  {examples.GHAP[name]}\n\n{TEXT_HELP}" if name in examples.GHAP else None
    plain = argparse.RawDescriptionHelpFormatter
    parser = add_command(commands, name, action, help_line, epilog=example, formatter_class=plain)
    parser.set_defaults(ghap_parser=parser)
    return parser


def _text_option(parser: argparse.ArgumentParser, option: str, help_line: str, *, required: bool = False) -> None:
    parser.add_argument(option, metavar="TEXT", required=required, help=help_line)


def _configure_start(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--domain", type=choice(Domain), required=True, metavar=metavar(Domain), help=one_of(Domain))
    parser.add_argument(
        "--strategy", type=choice(Strategy), required=True, metavar=metavar(Strategy), help=one_of(Strategy)
    )
    _text_option(parser, "--goal", "what is to be achieved", required=True)
    _text_option(parser, "--hypothesis", "what is believed to be true", required=True)
    _text_option(parser, "--action", "what is done because of it", required=True)
    _text_option(parser, "--prediction", "what will be seen if it is true", required=True)
    _text_option(parser, "--check", "the command whose result will decide it")


def _configure_update(parser: argparse.ArgumentParser) -> None:
    _text_option(parser, "--hypothesis", "a new hypothesis")
    _text_option(parser, "--action", "a new action")
    _text_option(parser, "--prediction", "a new prediction")
    parser.add_argument("--strategy", type=choice(Strategy), metavar=metavar(Strategy), help=one_of(Strategy))
    _text_option(parser, "--note", "something to remember; starts no new iteration")
    _text_option(parser, "--check", "the command whose result will decide it; empty to remove it")


def _configure_resolve(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("status", type=choice(OutcomeStatus), metavar="STATUS", help=one_of(OutcomeStatus))
    _text_option(parser, "--result", "what was seen", required=True)
    learned_options.configure(parser)


def _configure_amend(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", nargs="?", metavar="ID", help="an entry of this journal (default: the last resolved)")
    learned_options.configure(parser)
    _text_option(parser, "--note", "something to remember")
    parser.add_argument(
        "--status",
        type=choice(OutcomeStatus),
        metavar="STATUS",
        help=f"how it came out after all: {one_of(OutcomeStatus)}",
    )
    _text_option(parser, "--result", "what was seen, with --status")


def _start(args: argparse.Namespace) -> None:
    names = ("goal", "hypothesis", "action", "prediction")
    texts = {name: required_text(getattr(args, name), f"--{name}") for name in names}
    check = read_text(args.check, "--check")

    def start(journal: Journal) -> tuple[GHAPEntry, bool]:
        _refuse_if_anothers(args, journal)
        had_session = journal.get_session_id() is not None
        return journal.create_ghap(args.domain, args.strategy, **texts, check=check), had_session

    entry, had_session = on_journal(args, start)
    _print_entry(args, entry, f"started {entry.id}" + ("" if had_session else f" and {entry.session_id}"))


def _change_own(args: argparse.Namespace, action: Callable[[Journal], _Result]) -> _Result:
    """Return the result of `action` on the active entry, which is not that of another agent's session at work."""

    def checked(journal: Journal) -> _Result:
        _refuse_if_anothers(args, journal)
        return action(journal)

    return change_journal(args, checked)


def _refuse_if_anothers(args: argparse.Namespace, journal: Journal) -> None:
    """Raise CommandError if an agent runs this command, and another session is at work on the active entry."""
    session = agent_processes.session_of_command()
    entry = journal.get_current() if session else None
    owner = ownership.at_work(journal.journal_dir, entry, session) if entry else ""
    if entry and owner:
        raise CommandError(text.one_line(ownership.refusal(entry, owner, journal_command(args, "ghap adopt"))))


def _update(args: argparse.Namespace) -> None:
    names = ("hypothesis", "action", "prediction", "note", "check")
    if args.strategy is None and all(getattr(args, name) is None for name in names):
        args.ghap_parser.error(
            "nothing to update; give --hypothesis, --action, --prediction, --strategy, --note or --check"
        )
    removes_check = args.check is not None and not args.check.strip()
    texts = {name: read_text(getattr(args, name), f"--{name}") for name in names if name != "check"}
    check = "" if removes_check else read_text(args.check, "--check")
    entry = _change_own(args, lambda journal: journal.update_ghap(strategy=args.strategy, check=check, **texts))
    removed = "; its check is removed" if removes_check else ""
    _print_entry(args, entry, f"updated {entry.id}, iteration {entry.iteration_count}{removed}")


def _resolve(args: argparse.Namespace) -> None:
    result = required_text(args.result, "--result")
    learned = learned_options.read(args)
    session = agent_processes.session_of_command()
    entry, done = _change_own(
        args, lambda journal: corrections.resolve(journal, args.status, result, learned, session=session)
    )
    is_new = done.startswith("Resolved")
    _print_entry(args, entry, f"resolved {entry.id}: {args.status.value}" if is_new else done)
    _ask_what_surprised(args, entry)


def _amend(args: argparse.Namespace) -> None:
    learned = learned_options.read(args)
    note, result = read_text(args.note, "--note"), read_text(args.result, "--result")
    if (args.status is None) != (result is None):
        args.ghap_parser.error("--status STATUS and --result TEXT go together")
    if note is None and result is None and not learned:
        args.ghap_parser.error(
            "nothing to add; give --surprise, --root-cause and --cause, --lesson, --note, or --status and --result"
        )

    def amend(journal: Journal) -> GHAPEntry:
        if result is None:
            return journal.amend_ghap(args.id, note=note, **learned)
        entry = journal.correct_ghap(args.status, result, **learned, entry_id=args.id)
        return entry if note is None else journal.amend_ghap(entry.id, note=note)

    entry = change_journal(args, amend, none_resolved(args))
    _print_entry(args, entry, f"amended {entry.id}")
    _ask_what_surprised(args, entry)


def _ask_what_surprised(args: argparse.Namespace, entry: GHAPEntry) -> None:
    if (
        entry.surprise
        and not args.json
        and (question := learning_questions.after_surprise(entry.id, places.project_root()))
    ):
        print(textwrap.fill(question, terminal.text_width(), break_on_hyphens=False))


def _abandon(args: argparse.Namespace) -> None:
    reason = required_text(args.reason, "--reason")
    entry = _change_own(args, lambda journal: journal.abandon_ghap(reason))
    _print_entry(args, entry, f"abandoned {entry.id}")


def _show(args: argparse.Namespace) -> None:
    def find(journal: Journal) -> tuple[GHAPEntry | None, str]:
        state = journal.state()
        if args.id in (None, state.entry and state.entry.id):
            return state.entry, _whose(args, journal, state.entry, is_orphan=state.orphan is not None)
        return next((entry for entry in journal.get_all_entries() if entry.id == args.id), None), ""

    entry, whose = read_journal(args, find, (None, ""))
    if entry is None and args.id is not None:
        listing = journal_command(args, "ghap list --all")
        raise CommandError(f"this journal has no entry {text.one_line(args.id)!r}; see: {listing}")
    if args.json:
        print(json.dumps(entry and entry.to_dict(), indent=2))
        return
    print(none_active(args) if entry is None else render(entry, width=terminal.text_width()))
    if whose:
        print(f"\n{whose}")


def _whose(args: argparse.Namespace, journal: Journal, entry: GHAPEntry | None, *, is_orphan: bool) -> str:
    """Return a sentence if the active entry is of another session, "" if not."""
    session = agent_processes.session_of_command()
    if entry is None:
        return ""
    if owner := ownership.at_work(journal.journal_dir, entry, session):
        return f"It is the entry of a session that is at work now: {text.printable(owner)[:40]}"
    is_left = is_orphan and ownership.is_left(journal.journal_dir, entry, session)
    return f"An earlier session left it: {adopt_or_abandon(args)}" if is_left else ""


def _list(args: argparse.Namespace) -> None:
    def find(journal: Journal) -> tuple[list[GHAPEntry], bool]:
        entries = journal.get_all_entries() if args.all else journal.get_session_entries()
        return entries, bool(entries or journal.get_all_entries())

    entries, has_any = read_journal(args, find, ([], False))
    shown = entries[-args.limit :]
    if args.json:
        print(json.dumps([entry.to_dict() for entry in shown], indent=2))
        return
    for entry in shown:
        print(journal_entries.line(entry))
    if len(shown) < len(entries):
        print(f"{len(entries) - len(shown)} older entries are not shown; see them with --limit N")
    if not entries:
        earlier = f" in this session; see those of earlier ones with: {journal_command(args, 'ghap list --all')}"
        print(f"no entries{earlier if has_any else ''}")


def _adopt(args: argparse.Namespace) -> None:
    def adopt(journal: Journal) -> GHAPEntry | None:
        session, entry, current = agent_processes.session_of_command(), journal.adopt_orphan(), journal.get_current()
        if entry is None and current and ownership.at_work(journal.journal_dir, current, session):
            entry = journal.take_over()
        if entry is not None and session:
            ownership.take(journal.journal_dir, entry, session)
        return entry

    entry = read_journal(args, adopt, None)
    if entry is None:
        raise CommandError("there is no entry of an earlier session to adopt")
    _print_entry(args, entry, f"adopted {entry.id} into {entry.session_id}")


def _abandon_orphan(args: argparse.Namespace) -> None:
    reason = required_text(args.reason, "--reason")

    def abandon(journal: Journal) -> GHAPEntry | None:
        _refuse_if_anothers(args, journal)
        return journal.abandon_orphan(reason)

    entry = read_journal(args, abandon, None)
    if entry is None:
        raise CommandError("there is no entry of an earlier session to abandon")
    _print_entry(args, entry, f"abandoned {entry.id} of {entry.session_id}")


def _print_entry(args: argparse.Namespace, entry: GHAPEntry, line: str) -> None:
    print(json.dumps(entry.to_dict(), indent=2) if args.json else line)
