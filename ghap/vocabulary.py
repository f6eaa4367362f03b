"""English word lists and stemming, for quality and for the terms of clusters."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)?")
_NEGATED = re.compile(r"n['’]t$")
_ENDINGS = {
    "sses": "ss", "shes": "sh", "ches": "ch", "xes": "x", "ies": "y", "ied": "y", "ing": "", "ed": "", "ly": "",
    "ss": "ss", "us": "us", "is": "is", "s": "",
}  # fmt: skip
"""Endings and their replacements; the first match counts. The ones replaced by themselves protect a final `s`."""
_ENDING = re.compile(r"(?<=\w{4})e$")
_MIN_PREFIX = 4  # letters that two words of one family share


def words(text: str) -> list[str]:
    """Return the words of `text` in lower case, "isn't" as "is" and "not"."""
    result = []
    for word in _WORD.findall(text.lower()):
        affirmed, negations = _NEGATED.subn("", word)
        result.append({"ca": "can", "wo": "will"}.get(affirmed, affirmed) if negations else re.split("['’]", word)[0])
        if negations:
            result.append("not")
    return result


@lru_cache(maxsize=10_000)
def stem(word: str) -> str:
    """Return `word` without the most common endings, for comparison with other stems only."""
    return _ENDING.sub("", _undoubled(_without_inflection(word)))


def stems(text: str) -> list[str]:
    """Return the stems of the content words of `text`, in order."""
    return [stem(word) for word in words(text) if word not in FUNCTION_WORDS]


def without(stems: Iterable[str], excluded: Iterable[str]) -> list[str]:
    """Return `stems` without those of the same family as one of `excluded`, such as connect and connection."""
    by_prefix = _by_prefix(frozenset(excluded))
    return [item for item in stems if not any(_same(item, other) for other in by_prefix.get(item[:_MIN_PREFIX], ()))]


@lru_cache(maxsize=64)
def _by_prefix(stems: frozenset[str]) -> Mapping[str, Sequence[str]]:
    """Return `stems` by their prefix: only stems with the same prefix can be of the same family."""
    groups: dict[str, list[str]] = defaultdict(list)
    for item in stems:
        groups[item[:_MIN_PREFIX]].append(item)
    return dict(groups)


def _same(first: str, second: str) -> bool:
    shortest = min(len(first), len(second))
    prefix = max(_MIN_PREFIX, round(0.8 * shortest))
    return first == second or (shortest >= _MIN_PREFIX and first[:prefix] == second[:prefix])


def _without_inflection(word: str) -> str:
    for ending, replacement in _ENDINGS.items():
        if word.endswith(ending) and len(word) - len(ending) + len(replacement) >= 3:
            return word[: -len(ending)] + replacement
    return word


def _undoubled(word: str) -> str:
    """Return `word` without a doubled final consonant: `stopp` becomes `stop`; `miss` and `call` stay."""
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz" else word


def _stems_of(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in _listed(text))


def _listed(text: str) -> list[str]:
    return text.split()


# Words in none of these lists count as specific, so text in another language is never called empty: the rules then find
# nothing wrong, which is the safe side.
FUNCTION_WORDS = frozenset(
    _listed(
        """
        a about above actually after again against all also although am an and any anyway are as at basically be because
        been before being below both but by can cannot could d did do does doing done due during each
        either else ever every few for from further get gets getting given go goes going got had has have having he
        hence her here hers him his how however i if in into is it its itself just let like ll m made make makes making
        many may maybe me might more most much must my neither nor not now of often on once one only onto or other
        our ours out over own per perhaps please quite rather re really s same shall she should simply since so some
        still such t than that the their theirs them then there therefore these they this those though through thus till
        to too until up upon us ve very via was we were what when where whether which while who whom whose why
        will with within would yet you your yours
        """
    )
)
"""Words without a meaning of their own."""

COMPLAINTS = _stems_of(
    """
    bad broke broken bug defect error fault incorrect issue mistake problem somehow something somewhere trouble
    wrong
    """
)
"""Words for unspecific problems."""

EMPTY_IN_HYPOTHESIS = _stems_of(
    """
    able analyse analyze anything appear apply approach attempt bad behave behavior behaviour believe best better
    break broke broken bug buggy case cause change check clean cleaner code complete complex component correct
    current debug deep deeper defect different easy error everything exist expect fail failure fault faulty feature
    find fix flawed function going good guess happen help idea implement implementation improper improve inadequate
    incomplete incorrect inefficient insufficient investigate involved issue kind know likely logic look lot main
    messy mistake multiple need new nice normal nothing number occur part people place poor possible possibly
    potential presumably previous probable probably problem proper reason recent related result review right root
    see seem several situation solution solve somehow something sometime somewhere sort source state stuff
    suboptimal succeed success suppose sure suspect system there thing think trouble try ugly unclear underlying
    unexpected unknown unsure use usual various want way weird work wrong yet
    """
)
"""Words that name no cause in a hypothesis."""

HOPES = _stems_of(
    """
    correct expect fine fix good help resolve resolved solve solved succeed success well work
    """
)
"""Words that promise success."""

BETTER = _stems_of(
    """
    better cleaner easier efficient elegant enhance faster flexible happier improve improvement maintainable nicer
    optimal performant quicker readable reliable robust safer scalable simpler slower smoother stable stabler
    """
)
"""Comparisons, which are empty without a measure."""

EMPTY_IN_PREDICTION = _stems_of(
    """
    acceptable answer approach become behave behavior behaviour better bug case cause change clean cleaner code
    complete correct desired different easier easy effect everything expect finally fine finish fix function good
    great happen happier happy help hopefully idea implementation improve improvement insight issue know lead learn
    less likely lot matter nice ok okay outcome people performance positive possible possibly potential probably
    problem progress proper quality ready resolve result right robust run situation smooth solution solve somehow
    something stable succeed success successful sure system thank thing think understand understood useful way well
    work yes
    """
)
"""Words that predict nothing specific."""

OBSERVED = _stems_of(
    """
    abort accept alert appear assert assertion blank block boot browser build byte click compile connect console
    contain count crash curl decrease diff disappear display double drop duplicate eight empty equal error exception
    exist exit fail fetch fewer five four fourth gone green grep grow half hang header identical increase invisible
    lint log match minute miss nine output pass print profile prompt raise red refuse reject render report respond
    response return screen screenshot second send sent seven show shown shrink six start status survive ten test
    third three throw timeout trace twice two unchanged unique vanish visible warn zero
    """
)
"""Words for things that can be seen, counted or run, so that a prediction with one of them can be tested."""

TURNS = _stems_of(
    """
    after again anymore disappear gone instead once pass rather remain stay stop until vanish
    """
)
"""Words for a change of state."""

DENIALS = _stems_of("not no never without nothing none neither cannot longer")
"""Negations, including "no longer"."""

PLACEHOLDERS = frozenset({
    "todo", "tbd", "n a", "na", "none", "nil", "null", "unknown", "test", "x", "xxx", "foo", "placeholder", "fixme",
})  # fmt: skip
"""Placeholders, as returned by `words` and joined by spaces."""
