"""The hook's messages to an agent about its journal: short, with the commands to continue with."""

from __future__ import annotations

from memorycli.hook.calls import call
from memoryserver.common import hook_answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ghap.local.active import Active

MAX_SHOWN = 600  # characters of what a run printed
_RESULT = 'ghap resolve confirmed|falsified --result "WHAT WAS SEEN"'
_UPDATE = 'ghap update --hypothesis "..." --prediction "..."'
_LESSON = 'ghap amend --lesson "WHAT WORKED" --takeaway "WHAT TO REMEMBER"'
_GIVE_UP = 'ghap abandon-orphan --reason "WHY"'
_FALSIFIED = '--surprise "WHAT WAS NOT EXPECTED" --root-cause CATEGORY --cause "WHY"'


def check_in(entry: Active) -> str:
    """Return the question after so many tool calls."""
    return _lines(
        f"GHAP check-in: the entry {entry.id} is open.",
        *entry.lines("goal", "hypothesis", "prediction", "check"),
        f"Is it decided? Then: {_resolve()} (falsified: {_FALSIFIED}).",
        f"Do you believe something else now? Then: {call('update_ghap', _UPDATE)}.",
        "Else go on.",
    )


def check_in_again(entry: Active) -> str:
    """Return the question for an entry of which it was asked before."""
    return f"GHAP check-in: the entry {entry.id} is open still. If it is decided: {_resolve()}. Else go on."


def after_run(entry: Active, shown: str) -> str:
    """Return the question after a run of tests or of a build that is not the entry's check."""
    return _lines(
        f"The GHAP entry {entry.id} is open, and tests or a build ran.",
        *entry.lines("prediction", "check"),
        _printed(shown),
        f"If this decides the entry: {_resolve()} (falsified: {_FALSIFIED}). Else go on; this is asked once.",
    )


def undecided(entry: Active, shown: str) -> str:
    """Return the question after the check ran in a way that hides how it ended."""
    return _lines(
        f"The check of the GHAP entry {entry.id} ran, but its exit status cannot be told: it was piped, chained, "
        "interrupted or in the background, or the tests did not start.",
        *entry.lines("prediction", "check"),
        _printed(shown),
        "Run the check alone and the entry is resolved by it, or decide yourself: " + _resolve(),
    )


def early(entry: Active, *, tests_only: bool) -> str:
    """Return why a run of the check decided nothing: before it nothing was changed, or files of tests alone."""
    when = "when only tests were changed" if tests_only else "before anything was changed"
    return _lines(
        f"The check of the GHAP entry {entry.id} ran {when}, so it decided nothing; it decides once the action is "
        f"done. If that was the action, resolve the entry yourself: {_resolve()}",
        *entry.lines("prediction"),
    )


def crashed(entry: Active, line: str) -> str:
    """Return that the check crashed, with the `line` that says so, and therefore decided nothing."""
    shown = line.replace("`", "'").replace("<", "‹")
    return _lines(
        f"The check of the GHAP entry {entry.id} crashed (`{shown}`), so it decided nothing. Run it again when it can "
        f"run; if this is the outcome, resolve the entry yourself: {_resolve()}",
        *entry.lines("prediction"),
    )


def resolved(entry: Active, verdict: str) -> str:
    """Return what became of an entry whose check ran."""
    if verdict == "confirmed":
        return _lines(
            f"The GHAP entry {entry.id} is resolved by its check: confirmed.",
            *entry.lines("prediction"),
            f"If something is worth keeping, or this is wrong: {call('resolve_ghap', _LESSON)}.",
        )
    return _lines(
        f"The GHAP entry {entry.id} is resolved by its check: falsified.",
        *entry.lines("hypothesis", "prediction"),
        f"Say what you learned while you know it: {call('resolve_ghap', f'ghap amend {_FALSIFIED}')}. Is this wrong? "
        "Then resolve it again as it was.",
        f"Then begin the next entry with: {call('start_ghap', 'ghap start')}",
    )


def orphan(entry: Active) -> str:
    """Return the offer of an entry that an earlier session left."""
    return _lines(
        f"An earlier session left the GHAP entry {entry.id} open.",
        *entry.lines("goal", "hypothesis", "prediction", "check"),
        f"Go on with it: {call('adopt_orphan', 'ghap adopt')}",
        f"It is decided: {_resolve()}",
        f"Give it up: {call('abandon_ghap', _GIVE_UP)}",
    )


def still_open(entry: Active) -> str:
    """Return the entry that is active, after the conversation was compacted."""
    return _lines(
        f"The GHAP entry {entry.id} is open (iteration {entry.iteration}).",
        *entry.lines("goal", "hypothesis", "action", "prediction", "check"),
        f"When it is decided: {_resolve()}. See all of it: {call('get_active_ghap', 'ghap show')}",
    )


def renamed(key: str, earlier: tuple[str, ...]) -> str:
    """Return that the memory has this project under another key; "" where it has not."""
    if not earlier:
        return ""
    *before, now = (name[:120].replace("`", "'").replace("<", "‹") for name in (*earlier, key))
    names = "` and `".join(before)
    return (
        f"The memory of this project is under its former name, `{names}`, and not under `{now}`; tell the person that "
        "`memory projects rename` brings it over."
    )


def _resolve() -> str:
    return call("resolve_ghap", _RESULT)


def _printed(shown: str) -> str:
    return hook_answer.quoted("It printed this at its end.", shown, MAX_SHOWN + 200)


def _lines(*lines: str) -> str:
    return "\n".join(filter(None, lines))
