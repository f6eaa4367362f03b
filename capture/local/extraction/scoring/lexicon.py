"""Words that separate statements worth keeping from reports, plans and questions, by what they show.

Each word also has a weight of its own in the model; these groups let it judge words that it has seldom seen. They are
looked up word by word, since a search with a regular expression for each group costs more than all the rest.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

_GROUPS = {
    "negation or contrast": """
        not no never only instead without rather cannot unless except don't doesn't didn't isn't aren't wasn't weren't
        won't can't couldn't shouldn't wouldn't hasn't haven't
    """,
    "obligation": "always never must mandatory ensure require requires required expect expects needs",
    "contract": """
        expects requires only instead returns reads accepts supports uses treats means defaults falls depends assumes
        takes stored lives comes called
    """,
    "reason": "because since otherwise due caused reason",
    "condition": "when if while after before once until during whenever",
    "decision": """
        decided chose choose chosen opted decision tradeoff approach design pattern architecture convention
        intentional intentionally deliberate deliberately
    """,
    "cause": "issue problem bug cause culprit root error",
    "preference": "prefer want like should shouldn't please don't avoid use remember keep stop rather instead",
    "surprise": """
        gotcha caveat important beware careful warning insight actually surprising silently unlike however though
        despite but turns note
    """,
    "now": "now currently already still yet again far",
    "completion": "complete completed successfully ready finished passing passes pass passed correctly perfectly",
    "possibility": """
        might maybe perhaps possibly probably likely seems seem appears suspect could would guess think believe
        suggests
    """,
    "intention": "let let's i'll we'll going need next will",
    "report": """
        added updated fixed created removed changed implemented refactored moved renamed replaced extracted simplified
        deleted converted improved verified committed
    """,
    "first person": "i we my our me us let's i'm i've i'll we're we've we'll",
    "second person": "you your you're you'll",
    "fix": "fix fixed fixes resolve resolved solution workaround solved addressed",
    "praise": """
        maintainable maintainability readable readability clean robust comprehensive seamless consistent consistency
        flexible flexibility scalable professional better cleaner
    """,
}
_FIRST_WORDS = {
    "opening": """
        now let i'll great perfect excellent good done ok okay next first finally alright sure yes so then and but
    """,
    "opening with what was done": """
        added updated fixed all created removed changed implemented refactored moved renamed replaced extracted
        simplified deleted converted improved enhanced cleaned test tests verified committed modified successfully ran
        wrote build everything
    """,
    "opening with an order": """
        use run add make don't do never always keep avoid remember ensure set remove rename move put call check try
        create update write change please let's can could
    """,
    "opening with a reference": "this that these those it they its he she both here there",
}


def _by_word(groups: dict[str, str]) -> dict[str, tuple[str, ...]]:
    names: dict[str, list[str]] = defaultdict(list)
    for name, words in groups.items():
        for word in words.split():
            names[word].append(name)
    return {word: tuple(found) for word, found in names.items()}


_NAMES = _by_word(_GROUPS)
_NAMES_OF_FIRST = _by_word(_FIRST_WORDS)


def groups_of(words: Iterable[str]) -> set[str]:
    """Return the names of the groups that have one of `words`, which are in lower case."""
    return set().union(*filter(None, map(_NAMES.get, words)))


def groups_of_first(word: str) -> tuple[str, ...]:
    """Return the names of the groups of openings that have `word`, the first of a sentence, in lower case."""
    return _NAMES_OF_FIRST.get(word, ())
