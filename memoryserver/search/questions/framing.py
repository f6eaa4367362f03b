"""Questions that ask what somebody found out about something: "what did Ana find out about the import".

Few texts have the words of the frame, and none is about them, so the question is searched without it: "the import". A
user of the scope whom it names is meant softly, like a time: what they stored is raised, and nothing is left out, since
another's text may tell what they found. With the name of anybody else the question stays as it is: they may be in the
texts (`speakers`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet

from memoryserver.accounts.models import User

_FOUND = (
    r"(?:(?:find|found|figured?|work(?:ed)?) out|find|found|discover(?:ed)?|learn(?:ed|t)?|know|knows|note[sd]?|say"
    r"|said|write|written|store[sd]?|conclude[sd]?|remember(?:ed|s)?)"
)
_FOUND_DE = (
    r"(?:heraus(?:gefunden|bekommen)|gefunden|gelernt|gesagt|geschrieben|notiert|festgestellt|gespeichert|erfahren)"
)
_WHO = r"(?P<who>[^\W\d_][\w.@+-]*)"
_ABOUT = r"(?:about|on(?! (?:\w+day|\d))|regarding|concerning)"
_THING = r"(?:what|anything|something|everything)"
_FRAMES = tuple(
    re.compile(frame + r"\s+(?P<topic>\S.*?)\s*\??", re.IGNORECASE | re.DOTALL)
    for frame in (
        rf"(?:{_THING} )?(?:did|do|does|has|have) {_WHO} (?:ever |already )?{_FOUND}(?: anything| something)? {_ABOUT}",
        rf"(?:tell me )?{_THING} (?:that )?{_WHO} (?:has |have )?{_FOUND} {_ABOUT}",
        rf"what(?: is|['’]s| was| has been) (?:already )?(?:known|{_FOUND}) {_ABOUT}",
        rf"(?:what (?:are|were) )?{_WHO}['’]s (?:findings|learnings|notes|results) {_ABOUT}",
        rf"was (?:hat|haben|hast|habe) {_WHO} (?:schon )?(?:über|zu|zum|zur)(?=.* {_FOUND_DE})",
        rf"was (?:weiß|weiss|wissen|wusste) {_WHO} (?:schon )?(?:über|von|vom|zu|zum|zur)",
        r"was ist (?:schon )?über(?=.* bekannt)",
    )
)
_END_DE = re.compile(rf"\s+(?:{_FOUND_DE}|bekannt)\s*\??$", re.IGNORECASE)
_ARTICLE_DE = re.compile(r"^(?:der|die|das|den|dem|des|ein|eine|einen|einem|einer)\s+", re.IGNORECASE)
_ASKING = frozenset({"i", "ich"})
_ANYBODY = frozenset(
    [
        *("we", "you", "they", "anybody", "anyone", "somebody", "someone", "everybody", "everyone", "it", "one"),
        *("wir", "ihr", "sie", "man", "jemand"),
    ]
)


@dataclass(frozen=True)
class Framed:
    """The topic of a question, and who is asked to have found something about it: "" for nobody in particular."""

    topic: str
    who: str = ""


def parsed(query: str) -> Framed | None:
    """Return the topic of `query` and whom it names, None if it has no such frame."""
    for frame in _FRAMES:
        if match := frame.fullmatch(query.strip()):
            topic = _ARTICLE_DE.sub("", _END_DE.sub("", match["topic"]))
            who = match.groupdict().get("who") or ""
            return Framed(topic, "" if who.lower() in _ANYBODY else who) if any(map(str.isalnum, topic)) else None
    return None


def unframed(query: str, user: User | AnonymousUser) -> tuple[str, frozenset[int]]:
    """Return the topic of `query` and the users whom it names, by key; `query` itself and none where it is no frame.

    They are searched among `user` and their team mates, by the name that they sign in with or their first name.
    """
    framed = parsed(query)
    if framed is None:
        return query, frozenset()
    if not framed.who:
        return framed.topic, frozenset()
    named = frozenset(_named(framed.who.lower(), user))
    return (framed.topic, named) if named else (query, named)


def _named(who: str, user: User | AnonymousUser) -> Iterable[int]:
    if not isinstance(user, User):
        return []
    if who in _ASKING:
        return [user.pk]
    mates: QuerySet[User] = User.objects.filter(teams__members=user) | User.objects.filter(pk=user.pk)
    names = mates.distinct().values_list("pk", "username", "first_name")
    return [pk for pk, *known in names if who in {name.lower() for name in known if name}]
