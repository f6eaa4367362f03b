"""English words as quality and the labels of clusters look at them: which carry meaning, and which say the same."""

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
"""Each with what stands instead, the first that fits; those that stay as they are keep the `s` off."""
_ENDING = re.compile(r"(?<=\w{4})e$")
_BEGINNING = 4  # letters that two words of one family share at least


def words(text: str) -> list[str]:
    """The words of `text` in lower case, "isn't" as "is" and "not"."""
    found = []
    for word in _WORD.findall(text.lower()):
        affirmed, negations = _NEGATED.subn("", word)
        found.append({"ca": "can", "wo": "will"}.get(affirmed, affirmed) if negations else re.split("['’]", word)[0])
        if negations:
            found.append("not")
    return found


@lru_cache(maxsize=10_000)
def stem(word: str) -> str:
    """`word` without the commonest endings; only to be compared with another word's."""
    return _ENDING.sub("", _undoubled(_without_inflection(word)))


def stems(text: str) -> list[str]:
    """The stems of the words of `text` that carry meaning, in its order."""
    return [stem(word) for word in words(text) if word not in FUNCTION_WORDS]


def without(some: Iterable[str], others: Iterable[str]) -> list[str]:
    """Those stems of `some` that are of no word of `others`, nearly the same words included: connect and connection,
    slow and slowness."""
    alike = _by_beginning(frozenset(others))
    return [one for one in some if not any(_same(one, other) for other in alike.get(one[:_BEGINNING], ()))]


@lru_cache(maxsize=64)
def _by_beginning(stems: frozenset[str]) -> Mapping[str, Sequence[str]]:
    """Only words that begin alike can be the same."""
    found: dict[str, list[str]] = defaultdict(list)
    for one in stems:
        found[one[:_BEGINNING]].append(one)
    return dict(found)


def _same(one: str, other: str) -> bool:
    shortest = min(len(one), len(other))
    beginning = max(_BEGINNING, round(0.8 * shortest))
    return one == other or (shortest >= _BEGINNING and one[:beginning] == other[:beginning])


def _without_inflection(word: str) -> str:
    for ending, instead in _ENDINGS.items():
        if word.endswith(ending) and len(word) - len(ending) + len(instead) >= 3:
            return word[: -len(ending)] + instead
    return word


def _undoubled(word: str) -> str:
    """`stopp` as `stop`; `miss` and `call` stay."""
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz" else word


def _stems_of(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in _listed(text))


def _listed(text: str) -> list[str]:
    return text.split()


# A word that is in none of these lists counts as telling. So text in another language is never called empty: the
# rules then find nothing, which is the safe side.
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
"""Words that carry no meaning of their own."""

COMPLAINTS = _stems_of(
    """
    bad broke broken bug defect error fault incorrect issue mistake problem somehow something somewhere trouble
    wrong
    """
)
"""Words that say that something is amiss, not what."""

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
"""What a hypothesis may be full of and still name no cause."""

HOPES = _stems_of(
    """
    correct expect fine fix good help resolve resolved solve solved succeed success well work
    """
)
"""Words that promise that all will be well."""

BETTER = _stems_of(
    """
    better cleaner easier efficient elegant enhance faster flexible happier improve improvement maintainable nicer
    optimal performant quicker readable reliable robust safer scalable simpler slower smoother stable stabler
    """
)
"""Comparisons, which say nothing without a measure."""

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
"""What a prediction may be full of and still foretell nothing."""

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
"""What somebody sees, counts or runs: with one of these a prediction can be held against the world."""

TURNS = _stems_of(
    """
    after again anymore disappear gone instead once pass rather remain stay stop until vanish
    """
)
"""Words by which something is other than it was."""

DENIALS = _stems_of("not no never without nothing none neither cannot longer")
"""Those of denial, "no longer" among them."""

PLACEHOLDERS = frozenset({
    "todo", "tbd", "n a", "na", "none", "nil", "null", "unknown", "test", "x", "xxx", "foo", "placeholder", "fixme",
})  # fmt: skip
"""What is written where nothing is to be said, as `words` gives it."""
