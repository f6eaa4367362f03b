"""Whether a text is in a language whose words the rules do not know: they are made for English.

Without a model of languages: by the alphabet, and for the Latin one by small words. Where neither shows anything, as in
"pnpm, not npm", a text counts as English.
"""

from __future__ import annotations

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_CODE = re.compile(r"`[^`]*`|\S*[/_=<>{}\[\]$]\S*")
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")
_LATIN = re.compile(r"[a-z\u00aa-\u024f\u1e00-\u1eff]", re.IGNORECASE)
_ENGLISH = _words(
    """
    the an is are was were be been of not with for from by when if must should never always this that it its we you they
    don't does doesn't isn't before after instead and or but only all each every can will has have had because since no
    use uses used run runs make never into than then there your our their what which while without until so at as
    """
)
# Small words of the languages that developers write most, without those that English has too.
_OTHER = _words(
    """
    der das und nicht kein keine keinen ist sind wird werden mit für auf von zu zum zur dem ein eine einen immer nie
    niemals statt nur vor nach bei wenn weil aber oder auch noch muss müssen soll darf wir ihr nimm im beim alle jede
    erst dann
    le les des une pas est sont avec pour dans sur et ou ne que qui du au aux jamais toujours sans il faut nous vous ce
    cette utilise utiliser avant après
    el los las uno del con para por como pero siempre nunca sin son está usa usar antes cuando se al hay esta este
    os uma não mas sempre sem são dos das em ao
    gli della dello delle mai senza sono nella nel prima di quando ogni usare
    het een niet geen van voor wordt zijn altijd nooit naar maar ook gebruik plaats
    och inte att det som är till aldrig alltid ikke og skal brug bruk använd
    nie zamiast jest przed zawsze nigdy oraz tylko dla
    není jsou vždy nikdy místo pro před
    değil yerine için ile ve her kullan
    ei ja käytä aina älä ennen
    bukan gunakan jangan selalu untuk dengan yang tidak
    không dùng cho của với
    """
)
_MOST_OTHER_LETTERS = 0.3


def is_in_another_language(text: str) -> bool:
    """Return whether the words of `text`, outside its code, are in another language than English."""
    plain = _CODE.sub(" ", text)
    words = _WORD.findall(plain.lower())
    letters = "".join(words)
    foreign = sum(1 for letter in letters if letter.isalpha() and not _LATIN.match(letter))
    if foreign > _MOST_OTHER_LETTERS * len(letters):
        return True
    marked = sum(1 for word in words if word in _OTHER or not word.isascii())
    return marked > sum(1 for word in words if word in _ENGLISH)
