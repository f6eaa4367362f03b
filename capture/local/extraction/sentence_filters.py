"""Filters sentences: whether one is a statement, is informative and can be understood without its context."""

from __future__ import annotations

import re
from collections.abc import Sequence

from capture.local.extraction.learning import LONGEST_CONTENT
from capture.local.extraction.patterns import wording
from capture.local.extraction.sentences import Sentence


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_OPENING = (
    r"(?:(?:(?:now|next(?! time)|first|second|then|so|ok(?:ay)?|yes|right|great|good|perfect|excellent|alright|also"
    r"|finally|and|but"
    r"|one (?:more|last|other) thing|by the way|btw|fyi"
    r"|actually|hmm|wait|oh|ah|sure|understood|got it|interesting|done|thanks|well|however|therefore|hence)\b"
    r"[,!.:;\u2014-]*|no[,!.:;\u2014-]+)\s+)*"
)
_PLAN = wording(
    rf"^{_OPENING}(?:let me|let's|let us|lets|I'll|I will|I'm going to|I am going to|I'm (?:now )?\w+ing|we'll|we"
    rf" will"
    r"|(?:I|we) (?:need|have|want|plan|should|could|can|would|might|must)\b|I'd|we'd|shall|please|you can|you could"
    r"|you may|you might|you should|you'll|you're|you need|you want|if you|do you|would you|could you|can you"
    r"|to do this|time to|going to|(?:my|the) (?:recommendation|suggestion|advice|proposal|plan|hypothesis|theory"
    r"|guess)"
    r"|one (?:would|could|might)|(?:ready|about|trying) to\b|(?:what remains|next steps?|the next step)\b"
    r"|(?:before|once|until|when|as soon as) (?:I|we) (?:decide|know|have|can|release|deploy)\b"
    r"|(?:check|update|fix|add|run|create|implement|test|verify|look|see|try|make|use|remove)ing?\s"
    r"(?:the|this|that|it|if|whether|how|what|for|a|an)\b(?!.*\b(?:because|instead of|so that)\b))"
)
_HEDGE = wording(
    r"\b(?:might|maybe|perhaps|possibly|probably|presumably|likely|seem(?:s|ed)?|appear(?:s|ed)?|suspect|guess|not"
    r" sure"
    r"|unsure|unclear|could be|may be|may have|should (?:now|be|work|fix|have|also|probably)|hopefully|I think|I"
    r" believe"
    r"|I assume|assuming|or something|wonder(?:ing)?|let me|I'll|let's|would(?! (?:otherwise|have|never|not)\b)"
    r"|(?:we|I|you|one|this|that|it) could(?! not)\b"
    r"|if (?:this|that) (?:is|works|was)|(?:is|are|was|remains?|isn't|wasn't) (?:still |yet |not )*(?:yet "
    r")?(?:unknown|unclear"
    r"|clear(?: yet)?$|known yet)|hypothesis|theory|what could possibly|I'm sure\b.{0,60}\b(?:will|would)"
    r"|(?:it|this|that|which|everything|all) looks? (?:like|as if|good|correct|right|fine))\b"
)
_BACK_REFERENCE = wording(
    rf"^{_OPENING}(?:because (?:of )?)?"
    r"(?!it turn(?:s|ed) out\b|it(?:'s| is) (?:not )?(?:possible|important|worth|necessary|safe|better|best|enough)\b"
    r"|this (?:project|repo|repository|codebase|code base|package|team|app|service|monorepo)\b)"
    r"(?:this|that|these|those|it|they|he|she|its|their|such|the former|the latter|both|neither|either|same|another"
    r"|others?|here|there|which|all of (?:this|that|them|these)|one of (?:them|these)|that's|it's"
    r"|as (?:mentioned|noted|shown|described|I did)|the (?:above|following|rest|same|other|previous|next)\b)(?!\w)"
)
_LATER_REFERENCE = wording(
    r"\b(?:this|that|these|those) (?:is|was|are|were|means|fixes|works|one|issue|problem|bug|error|approach|idea|way"
    r"|change|fix|case|thing)\b|\b(?:as )?(?:above|below|earlier|the following)\b[:.]?$"
    r"|\b(?:option|step|phase|round|task|item) [A-Z\d]\b"
)
_SPECIFIC = re.compile(
    r"""`[^`]+`                                    # code
    |(?<![\w/])(?:[\w.@-]+/)+[\w.@-]+              # a path
    |\b\w+(?:_\w+)+\b|\b[a-z]+(?:[A-Z][a-z0-9]+)+\b|\b(?:[A-Z][a-z0-9]+){2,}\b   # identifiers
    |\b\w+\.(?:py|jsx?|tsx?|rs|go|java|rb|c|h|cpp|cs|md|toml|ya?ml|json|sql|sh|html|css|env|cfg|ini|lock)\b
    |\b[a-z]\w+\(\)|(?<!\S)--?[a-z][\w-]+
    |\bv?\d+(?:\.\d+)+\b
    |\b\d+(?:\.\d+)?\s?(?:%|ms|s|seconds?|minutes?|hours?|days|[KMG]i?B|x|times|rows|requests|bytes)\b
    |\b[A-Z][A-Z0-9]{2,}\b
    |(?<=[a-z,;:]\s)[A-Z][a-z]+\b(?<!\bI)          # a name inside the sentence
    |"[^"]{3,}"|\bline \d+""",
    re.VERBOSE,
)
_CODE = re.compile(r"`[^`]+`|\w+_\w+|\w\.\w+\(|\b[a-z]+[A-Z]\w+|[\w-]+/[\w./-]+\w")
_INTERROGATIVE = wording(
    rf"^{_OPENING}(?:what|why|how|who|when|where|which|whose|is|are|was|were|do|does|did|can|could|should|would"
    rf"|will|shall"
    r"|has|have|had|may|might|isn't|aren't|doesn't|don't|didn't|won't|wouldn't|couldn't|shouldn't)\b"
)
_LABEL = wording(r"^(?:\w+ )?(?:takeaways?|lessons?|insights?|findings?|conclusions?)\b[^:.]{0,40}:")
_OWN_MISTAKE = wording(
    r"\b(?:I'm|I am|I was|I forgot|I made|because I|since I|my own|(?:noticed|reali[sz]ed|found|see|saw) (?:that )?I\b"
    r"|(?:issue|problem) (?:is|was) that (?:the|this|my|our) (?:test|assertion|mock)\b"
    r"|my (?:test|code|script|change|edit|fix|mistake|approach|command|regex|previous|earlier))\b"
)
_CLAUSE_FIRST = wording(
    r"^((?:when|if|while|after|before|because|since|once|as)\b[^,]{3,160}), (?:it|they|this|that)\b"
)
_ABOUT_IT = wording(
    r"^(?:I|we)(?:'ve)? (?:(?:have|then|also|now|finally) )*\w+ (?:it|this|them"
    r"|that(?=[,.;]| (?:by|with|in|to|from|and|so|because|via)\b))\b"
)
_QUOTED = re.compile(r'"(?:[^"\s]+\s+){2,}[^"\s]+"|\u201c(?:[^\u201c\u201d\s]+\s+){2,}[^\u201c\u201d\s]+\u201d')
_COMMON = _words(
    """
    the and for but not nor with without from into onto out off over about after before again all any both each few
    other same such own too what which who whom whose why how where when while because since than then there here
    this that these those they them their its it's our your his her she you was were are been being have has had will
    would could should can may might must does did doing done let's i'm i've we've that's now just also only really
    very more most less many much well like one two three first last next new old way lot some part time thing things
    something everything anything nothing code codebase file files test tests function functions issue issues problem
    problems bug bugs error errors fix fixed fixes fixing change changes changed changing update updated updates make
    makes made making use used uses using need needs needed work works working worked fine good great better best
    right wrong get gets got getting let see saw seen look looks looking know knew known think thought find found
    finds want wants wanted try tried trying run running ran pass passes passed fail fails failed turn turns turned
    learned learnt realised realized discovered noticed understood implementation feature add added adding remove
    removed still even yet already always never please properly correctly successfully
    """
)
_TOKEN = re.compile(r"[^\W\d_][\w'-]{2,}|\d[\d.,]*")
_ASCII_TOKEN = re.compile(r"[a-z][a-z0-9_'-]{2,}|[0-9][0-9.,]*")  # the same in ASCII in lower case, in half the time
_MIN_UNCOMMON_WORDS = 4
_DENIAL = re.compile(
    r"^(?:no[,.:;]? )?that(?:'s| is) (?:wrong|not (?:right|correct|true|how (?:we|it|this)\b))"
    r"[^,.:;]{0,40}[,.:;] (?=\S)",
    re.IGNORECASE,
)
_FILLER = "lorem ipsum dolor"
_VAGUE_ENDING = re.compile(r"(?:\betc\.?|:)$")
_WORD = re.compile(r"[^\W\d_]{2,}")


def is_specific(text: str) -> bool:
    """Return whether `text` names something: code, a path, a tool, a figure, a person's or product's name."""
    return _SPECIFIC.search(text) is not None


def is_informative(text: str) -> bool:
    """Return whether `text` names something or has enough uncommon words."""
    return is_specific(text) or count_uncommon_words(text) >= _MIN_UNCOMMON_WORDS


def count_uncommon_words(text: str) -> int:
    """Return how many different words and figures in `text` are not common in reports of programming work."""
    return len(uncommon_words(text))


def uncommon_words(text: str) -> set[str]:
    """Return the words and figures in `text`, in lower case, that are not common in reports of programming work."""
    lowered = text.lower()
    return set((_ASCII_TOKEN if lowered.isascii() else _TOKEN).findall(lowered)).difference(_COMMON)


def without_quotations(text: str) -> str:
    """Return `text` with the content of its quotations removed, except those of one or two words."""
    return _QUOTED.sub('""', text) if '"' in text or "\u201c" in text else text


def names_code(text: str) -> bool:
    """Return whether `text` names code, a file or a command."""
    return _CODE.search(text) is not None


def is_plan(text: str) -> bool:
    """Return whether `text` announces, offers or requests an action."""
    return _PLAN.match(text.lower()) is not None


def is_hedged(text: str) -> bool:
    """Return whether `text` is worded as a guess."""
    return _HEDGE.search(text.lower()) is not None


def is_question(text: str) -> bool:
    """Return whether `text` is a question; a statement that only ends with a question mark is not."""
    return text.rstrip().endswith("?") and _INTERROGATIVE.match(text.lower()) is not None


def is_own_mistake(text: str) -> bool:
    """Return whether `text` is about a mistake that the agent has just made, or about the test it is writing."""
    return _OWN_MISTAKE.search(text.lower()) is not None


def count_words(text: str) -> int:
    """Return the number of words in `text`."""
    return len(_WORD.findall(text))


def self_contained(passage: Sequence[Sentence], *, by_person: bool = False) -> str:
    """Return `passage` as a text that can be understood alone, if need be with the sentence before it; else "".

    A sentence that begins with "this" or "it" needs the one before it. An agent's passage must name something; a
    person's wish need not ("always run the linter before committing"). Filler text says nothing.
    """
    text = _tidy(" ".join(sentence.text for sentence in passage))
    if _FILLER in text.lower() or _LATER_REFERENCE.search(_tidy(passage[0].text).lower(), 1):
        return ""
    is_enough = by_person or is_informative(text) or _LABEL.match(text.lower()) is not None
    if refers_back(text) or not is_enough:
        before = _tidy(passage[0].before)
        if not before or not is_informative(before) or refers_back(before) or not _is_statement(before):
            return ""
        text = f"{before} {text}"
    return text if len(text) <= LONGEST_CONTENT and count_words(text) >= 4 else ""


def refers_back(text: str) -> bool:
    """Return whether `text` refers to something named before it: "this fails", "when it is empty, it fails"."""
    lowered = text.lower()
    if _BACK_REFERENCE.match(lowered) or _ABOUT_IT.match(lowered):
        return True
    clause = _CLAUSE_FIRST.match(lowered)
    return clause is not None and not names_code(text[: clause.end(1)])


def _is_statement(text: str) -> bool:
    return not (is_plan(text) or is_hedged(text) or text.endswith("?") or _LATER_REFERENCE.search(text.lower()))


def _tidy(text: str) -> str:
    text = _DENIAL.sub("", text, count=1)
    text = re.sub(rf"^{_OPENING}(?=\S)", "", text, flags=re.IGNORECASE) or text
    text = _VAGUE_ENDING.sub("", text).rstrip(" ,;\u2014-")
    if text and (text[-1] not in ".!?\u2026\"'\u3002\uff01\uff1f" or text.endswith(("`", ")"))):
        text += "."
    return text[:1].upper() + text[1:]
