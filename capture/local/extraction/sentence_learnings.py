"""Extracts learnings from a text: passages whose sentences the model finds worth keeping."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from capture.local.extraction import own_output
from capture.local.extraction.learning import LONGEST_CONTENT, SHORTEST_CONTENT, Learning
from capture.local.extraction.patterns import one_of
from capture.local.extraction.rules.agent import AGENT_RULES
from capture.local.extraction.rules.person import PERSON_RULES
from capture.local.extraction.rules.rulebook import Rule
from capture.local.extraction.scoring.features import (
    REASONS,
    Place,
    features_of,
    rule_features,
    words_of,
    words_of_each,
)
from capture.local.extraction.scoring.model import Model, model_for
from capture.local.extraction.scoring.passages import SHARE, Passage, passages
from capture.local.extraction.sentence_filters import is_hedged, refers_back, self_contained, without_quotations
from capture.local.extraction.sentences import Sentence, in_their_order, is_document, paragraphs, sentences_of, split
from capture.local.transcripts.messages import Message, Role

MAX_PER_MESSAGE = 8
_LONGEST_PROMPT = 6_000  # a longer text was pasted or generated
_MOST_REASONS = 3
_LEAST_FOR_RULE = 0.08  # likelihood
SHARES = {Role.AGENT: SHARE, Role.PERSON: 0.3}  # people put a rule beside the task of the moment
_PATH = re.compile(r"(?<![\w/@.:-])(?:~?/|\./)?(?:[\w.@-]+/)*[\w@-][\w.@-]*\.[A-Za-z]\w{0,5}(?::\d+)?(?![\w/])")
_ENDING_START = re.compile(r"\.[A-Za-z]")
_FILE_ENDING = re.compile(
    r"\."
    + one_of(
        "py js ts tsx jsx mjs rs go java kt rb c h cc cpp hpp cs php md rst txt toml ya?ml json sql sh bash html"
        " css scss"
        " vue svelte env cfg ini lock xml proto tf ipynb swift lua exs? erl hs scala"
    )
    + r"\Z"
)
# The types of sentences for which no rule holds, by their features; the first one that a sentence has counts.
_AGENT_TYPES = (
    ("surprise", "gotcha"),
    ("arrow", "solution"),
    ("opening with what was done", "solution"),
)
_PERSON_TYPES = (
    ("decision", "decision"),
    ("preference", "preference"),
    ("question", "correction"),
    ("negation or contrast", "correction"),
)


class _Scored(NamedTuple):
    """A sentence with what its likelihood was computed from; `passed` if its words alone make it worth scoring.

    One that did not pass is scored for its neighbours, whose cause or cure it may be.
    """

    sentence: Sentence
    likelihood: float
    features: list[str]
    rule: Rule | None
    passed: bool


def learnings_in(
    message: Message, text: str, tools: tuple[str, ...], models: Callable[[Role], Model] = model_for
) -> Iterator[Learning]:
    """Yield the learnings in `text`, the words of `message`; if there are too many, the likeliest ones.

    `tools` are those used just before; `models` returns the model for a role.
    """
    if message.role == Role.PERSON and (len(text) > _LONGEST_PROMPT or is_document(text)):
        return
    model = models(message.role)
    learnings: dict[str, Learning] = {}  # by their contents
    for scored in _scored_paragraphs(text, message.role, model):
        lengths = [len(one.sentence.text) for one in scored]
        likelihoods, passed = [one.likelihood for one in scored], [one.passed for one in scored]
        found = passages(lengths, likelihoods, passed, share=SHARES[message.role])
        for passage in found if message.role == Role.AGENT else _separate_rules(scored, found, model):
            least = model.rule_threshold if _has_rule(scored, passage) else model.threshold
            if passage.likelihood >= least and not _is_guess(scored, passage, message.role):
                learning = _learning(scored, passage, message, tools, model)
                if learning is not None:
                    learnings.setdefault(learning.content, learning)
    best = sorted(learnings.values(), key=lambda learning: -learning.confidence)[:MAX_PER_MESSAGE]
    yield from (learning for learning in learnings.values() if learning in best)


def likelihood_of(text: str, role: Role, model: Model) -> float:
    """Return the likelihood that the likeliest sentence of `text` is worth keeping, whatever the screen says of it."""
    found = [sentences_of(paragraph) for paragraph in paragraphs(text)]
    flat = [sentence for paragraph in found for sentence in paragraph]
    places = [Place(len(text), number, len(flat)) for number in range(len(flat))]
    scored = (
        _score(sentence, words_of(sentence.text), place, role, model)
        for sentence, place in zip(flat, places, strict=True)
    )
    return max((one.likelihood for one in scored), default=0.0)


def least_likelihood_of(text: str, role: Role) -> float:
    """Return the highest least likelihood that a rule for `role` gives a sentence of `text`; 0 without one."""
    found = [first_rule(sentence.text, role) for paragraph in paragraphs(text) for sentence in sentences_of(paragraph)]
    return max((rule.least for rule in found if rule is not None), default=0.0)


def _scored_paragraphs(text: str, role: Role, model: Model) -> Iterator[list[_Scored]]:
    """Yield the sentences of each paragraph of which some may be a learning."""
    by_paragraph = [split(paragraph) for paragraph in paragraphs(own_output.without_injected(text))]
    all_words = words_of_each([text for texts in by_paragraph for text in texts])
    first = 0
    for texts in by_paragraph:
        words = all_words[first : first + len(texts)]
        passed = model.screened(words)
        if True in passed:
            scored = _scored_paragraph(texts, words, passed, Place(len(text), first, len(all_words)), role, model)
            if scored:
                yield scored
        first += len(texts)


def _scored_paragraph(
    texts: Sequence[str], words: Sequence[list[str]], passed: Sequence[bool], start: Place, role: Role, model: Model
) -> list[_Scored]:
    """Return the sentences of a paragraph, whose first one is at `start`; none if none of them may be a learning."""
    sentences = in_their_order(texts)

    def score(number: int) -> _Scored:
        place = Place(start.length, start.number + number, start.total)
        return _score(sentences[number], words[number], place, role, model, passed=passed[number])

    scored = {number: score(number) for number, passes in enumerate(passed) if passes}
    likelihood = 1 - math.prod(1 - one.likelihood for one in scored.values())
    has_rule = any(one.rule is not None for one in scored.values())
    # No passage is likelier than all of these together; scoring their neighbours costs as much again.
    if likelihood < (model.least_threshold if has_rule else model.threshold):
        return []
    return [scored[number] if passes else score(number) for number, passes in enumerate(passed)]


def _score(
    sentence: Sentence, words: list[str], place: Place, role: Role, model: Model, *, passed: bool = True
) -> _Scored:
    features, different_words = features_of(sentence, words, place), set(words)
    likelihood = model.likelihood(features, different_words)
    # Looking for a rule costs as much as all the features, and an agent's unlikely sentence is no learning with one.
    is_sought = role == Role.PERSON or likelihood >= _LEAST_FOR_RULE
    rule = first_rule(sentence.text, role) if is_sought else None
    if rule is not None:
        features += rule_features(rule)
        likelihood = max(model.likelihood(features, different_words), rule.least)
    return _Scored(sentence, likelihood, features, rule, passed)


def _separate_rules(scored: Sequence[_Scored], found: Sequence[Passage], model: Model) -> Iterator[Passage]:
    """Yield the passages of a person's paragraph, those with rules that stand alone as one passage for each.

    People put rules about different things beside each other, and each of them is replaced by itself. What comes
    before the first, mostly the task of the moment, is a passage of its own.
    """
    for passage in found:
        starts = [number for number in range(passage.first, passage.last + 1) if _stands_alone(scored[number], model)]
        if not starts:
            yield passage
            continue
        for first, after in pairwise(sorted({passage.first, *starts, passage.last + 1})):
            inside = range(first, after)
            likelihood = 1 - math.prod(1 - scored[number].likelihood for number in inside if scored[number].passed)
            best = max(inside, key=lambda number: scored[number].likelihood)
            yield Passage(first, after - 1, best, likelihood)


def _stands_alone(one: _Scored, model: Model) -> bool:
    """Return whether a sentence is a rule that would be a learning without its neighbours."""
    is_rule = one.passed and one.rule is not None and one.likelihood >= model.rule_threshold
    return is_rule and self_contained([one.sentence], by_person=True) != "" and not refers_back(one.sentence.text)


def _has_rule(scored: Sequence[_Scored], passage: Passage) -> bool:
    return any(one.rule is not None and one.passed for one in scored[passage.first : passage.last + 1])


def _is_guess(scored: Sequence[_Scored], passage: Passage, role: Role) -> bool:
    """Return whether an agent words a sentence of `passage` as a guess; a person's wish may be worded so."""
    inside = scored[passage.first : passage.last + 1]
    return role != Role.PERSON and any(is_hedged(one.sentence.text) for one in inside)


def first_rule(text: str, role: Role) -> Rule | None:
    """Return the first rule for `role` that holds for the sentence `text`, without its quotations."""
    lowered = without_quotations(text).lower().replace("\u2019", "'")
    return (PERSON_RULES if role == Role.PERSON else AGENT_RULES).first(lowered, text)


def files_named(text: str) -> tuple[str, ...]:
    """Return the files that `text` names, at most ten."""
    if _ENDING_START.search(text) is None:  # no file; the pattern of a path is tried at each word
        return ()
    names = (match[0].partition(":")[0] for match in _PATH.finditer(text))
    return tuple(dict.fromkeys(name for name in names if _FILE_ENDING.search(name)))[:10]


def _learning(
    scored: Sequence[_Scored], passage: Passage, message: Message, tools: tuple[str, ...], model: Model
) -> Learning | None:
    """Return the learning of `passage`; None if it cannot be understood alone or is too short or too long."""
    inside = scored[passage.first : passage.last + 1]
    text = " ".join(one.sentence.text for one in inside)
    if not SHORTEST_CONTENT <= len(text) <= LONGEST_CONTENT or own_output.repeats_learning(text):
        return None
    by_person = message.role == Role.PERSON
    content = self_contained([one.sentence for one in inside], by_person=by_person)
    if not content:
        return None
    best = scored[passage.best]
    rule = best.rule or next((one.rule for one in inside if one.rule is not None), None)
    reasons = [] if rule is None else [rule.reason]
    reasons += [REASONS[name] for name in model.in_favour(best.features) if name in REASONS]
    return Learning(
        rule.type if rule is not None else _type_of(best.features, message.role),
        content,
        round(passage.likelihood, 2),
        message.index,
        message.uuid,
        tuple(reasons[:_MOST_REASONS]),
        files_named(content),
        tools,
        message.time,
    )


def _type_of(features: Sequence[str], role: Role) -> str:
    """Return the type of a sentence for which no rule holds."""
    kinds, other = (_PERSON_TYPES, "preference") if role == Role.PERSON else (_AGENT_TYPES, "learning")
    return next((kind for feature, kind in kinds if feature in features), other)
