"""Places of passwords in commands and sentences: the words before one show that it is one, not its form."""

from __future__ import annotations

from memoryserver.common.secrets.values import LITERAL, PASSWORD, USUAL


class Place:
    """A pattern with what is before a password as group 1, and the password as group 2.

    A text that has it has one of the lower-case texts `hints`; `firmness` is that of `values`.
    """

    __slots__ = ("firmness", "hints", "pattern")

    def __init__(self, hints: str, pattern: str, firmness: str) -> None:
        self.hints = tuple(hints.split("|"))
        self.pattern = pattern
        self.firmness = firmness


# Arguments may be those of a shell or of a list, such as `["redis-cli", "-a", "secret"]`.
_ARGUMENTS = r"""(?:[^\n|;&]|\\\n){0,300}?[\s"',]"""
_GAP = r"""(?:=|[\s"',\\]{1,6})"""
_QUOTE = r"""\\*["']?"""
_GIVEN = r"""([^\s"'\\|;&]{4,})"""


def _command(hints: str, programs: str, option: str, arguments: str = _ARGUMENTS) -> Place:
    """Return the place after `option` of one of `programs`, by which these take a password."""
    return Place(hints, rf"""((?<![\w.-])(?:{programs})\b{arguments}{option}{_QUOTE}){_GIVEN}""", LITERAL)


_OPTION = (
    r"""(?i)((?<![^\s"'`])--?(?:(?!no-)(?:[a-z]+-)?pass(?:word|wd|phrase)?|(?:src|dest)?(?:store|key)pass|token|secret"""
    r"""|api-?key|auth-token|access-token|client-secret)(?:=|\s+)\\*["']?)([^\s"'\\]{4,})"""
)
_OPENSSL = r"""(\s-pass(?:in|out)?\s+["']?pass:)([^\s"'\\]{4,})"""
_CURL_USER = r"""((?<!\S)(?:-u|--user|--proxy-user)(?:=|\s*)\\*["']?[^\s:"'\\\[]+:)([^\s"'\\@]{3,})"""
_PIPED = (
    r"""(\b(?:echo|printf)\s+(?:-n\s+)?["']?)([^\s"'|]{4,})(?=["']?\s*\|[^\n|;&]{0,200}(?:--password-stdin|sudo -S))"""
)
_COMMANDS = (
    Place("-pass|-pwd|-token|-secret|-api|storepass|keypass", _OPTION, PASSWORD),
    Place("pass:", _OPENSSL, LITERAL),
    Place("-u", _CURL_USER, LITERAL),
    Place("--password-stdin|sudo -s", _PIPED, LITERAL),
    _command("mysql|mariadb|7z", r"mysql(?:dump|admin|import|show|check|pump)?|mariadb(?:-\w+)?|7za?", "-p"),
    _command("sshpass", "sshpass", rf"-p{_GAP}?", arguments=r"""(?:\s+-v)?[\s"',]{1,4}"""),
    _command(
        "login|mongo|mycli|twine|rabbitmqadmin",
        r"(?:docker|podman|nerdctl|buildah|skopeo|oc|cf|az|helm registry) login|mongo(?:sh|dump|restore|export|import)?"
        r"|mycli|twine upload|rabbitmqadmin",
        rf"-p{_GAP}",
    ),
    _command("redis-cli|valkey-cli", "(?:redis|valkey)-cli", rf"-a{_GAP}"),
    _command("ldap", r"ldap(?:search|modify|add|delete|whoami|passwd|compare)", rf"-w{_GAP}"),
    _command("zip|sqlcmd|bcp|mosquitto", r"(?:un)?zip|sqlcmd|bcp|mosquitto_(?:pub|sub)", rf"-P{_GAP}"),
    _command("smbclient|rpcclient", "smbclient|rpcclient", rf"-U{_GAP}?[^\s%]{{1,60}}%"),
    _command("-a|--auth", r"(?:https?|xh)(?=\s)", rf"(?:-a|--auth){_GAP}[^\s:\"']{{1,60}}:"),
    _command("lftp", "lftp", r"-u\s*[^\s,]{1,60},"),
    _command("htpasswd", "htpasswd", r"-\w*n\w*\s+[^\s-]\S*\s+", arguments=r"(?=[^\n|;&]*\s-\w*b)\s+"),
    _command("htpasswd", "htpasswd", r"-[a-mo-z]+\s+[^\s-]\S*\s+\S+\s+", arguments=r"(?=[^\n|;&]*\s-\w*b)\s+"),
)

# Of Windows, whose options begin with a slash: what is no option is the password.
_NET_USE = r"""(?i)(\bnet\s+use\s[^\n|;&]{0,200}?\s/u(?:ser)?:\S{1,60}\s+["']?)([^\s"'/]\S{3,})"""
_NET_USE_BEFORE = (
    r"""(?i)(\bnet\s+use\s+(?:[a-z*]:?\s+)?\\{2,8}\S{1,200}\s+["']?)"""
    r"""([^\s"'/][^\s"']{3,})(?=[^\n|;&]{0,100}\s/u(?:ser)?:)"""
)
_NET_USER = r"""(?i)(\bnet\s+user\s+\S{1,60}\s+["']?)([^\s"'/][^\s"']{3,})(?=["']?\s+/(?:add|domain)\b)"""

_VERBS = r"is|was|ist|lautet|war|est|este|\u00e9tait|es|era|je|er|on|\u00e8|\u00e9|\u00e4r"
_FOR = r"(?:\s+(?:for|of|to|on|f\u00fcr|von|zu|der|des|de|du|pour|del|para|da|do|van|voor|till)\s+[^.:;\r\n]{1,40}?)?"
_OPENING = r"""["'`\u00ab\u201e\u201c\u2018]?\s*"""
_SAID_VALUE = r"""([^\s"'`,;\u00bb\u201c\u201d\u2019]{6,})"""
_OTHER_LANGUAGES = (
    r"passwort|kennwort|mots?\sde\spasse|contrase\u00f1a|senha|palavra-passe|wachtwoord|has\u0142o|l\u00f6senord"
    r"|\u043f\u0430\u0440\u043e\u043b\u044c|parol[a\u0103]|\u015fifre|heslo|salasana|passord|adgangskode|jelsz\u00f3"
)
_HINTS = (
    "passwort|kennwort|de passe|contrase\u00f1a|senha|palavra-passe|wachtwoord|has\u0142o|l\u00f6senord"
    "|\u043f\u0430\u0440\u043e\u043b\u044c|parol|\u015fifre|heslo|salasana|passord|adgangskode|jelsz\u00f3"
)
_OF_EAST_ASIA = "\u5bc6\u7801|\u5bc6\u78bc|\u53e3\u4ee4|\u30d1\u30b9\u30ef\u30fc\u30c9|\ube44\ubc00\ubc88\ud638"


def _said(hints: str, nouns: str) -> Place:
    """Return the place after a sentence such as "the password for the database is"."""
    is_said = rf"{_FOR}\s+(?:{_VERBS})(?:\s*:)?\s+{_OPENING}"
    return Place(hints, rf"(?i)(\b(?:{nouns})\b{is_said}){_SAID_VALUE}", PASSWORD)


# Directly after the noun only what has letters and digits and is no name: not "the password sha512crypt".
_RANDOM = (
    r"(?!(?:argon2|md5|sha\d|bcrypt|scrypt|pbkdf2|base\d|utf-?\d|ntlm|pkcs|oauth2|x509|ipv\d|rfc\d)|\S+@\S+\.\w|\d+x\d)"
    r"((?=[^\s\d]*\d)(?:[A-Za-z0-9]{8,64}|(?=[^\s!#$%&*+@^~?]*[!#$%&*+@^~])[^\s\"'`,;()<>/]{8,64})(?![\w!#$%&*+@^~(/-]))"
)
_PW = r"""(?i)((?<![\w$.-])pw\s*[:=]\s*["'`]?)(?!\d+x\d|\d+px)([^\s"'`,;(){}\[\]<>|&]{6,64})(?![\w(\[{<])"""
_AFTER_USER = (
    r"""(?i)(\b(?:user(?:name)?|login|account)\s?/\s?(?:pass|pw)\s*(?:[:=]|\bis\b|\bare\b)\s*["'`]?"""
    r"""[^\s/:|"'`]{1,60}\s?[/:|]\s?)([^\s"'`,;/]{6,64})"""
)

_SENTENCES = (
    Place("net use", _NET_USE, LITERAL),
    Place("net use", _NET_USE_BEFORE, LITERAL),
    Place("net user", _NET_USER, LITERAL),
    Place("pw", _PW, PASSWORD),
    Place("/pass|/ pass|/pw|/ pw", _AFTER_USER, PASSWORD),
    Place(
        "token|secret|api key|api-key|apikey",
        r"""(?i)(\b(?:api[ -]?key|(?:access |auth |api )?token|secret)\s+(?:is|was)(?:\s*:)?\s+["'`]?)"""
        r"""([^\s"'`,;]{6,})""",
        PASSWORD,
    ),
    _said("password|passphrase|passcode", "password|passphrase|passcode"),
    _said(_HINTS, _OTHER_LANGUAGES),
    Place("password|passphrase|passcode", rf"""(?i)(\b(?:password|passphrase|passcode)\s+["'`]?){_RANDOM}""", USUAL),
    Place(_HINTS, rf"""(?i)(\b(?:{_OTHER_LANGUAGES})\s+["'`]?){_RANDOM}""", USUAL),
    Place(_HINTS, rf"(?i)(\b(?:{_OTHER_LANGUAGES})\s*[:=\u2014]\s*{_OPENING}){_SAID_VALUE}", PASSWORD),
    Place(
        "with password|with the password|using password|using the password|password to",
        r"""(?i)(\b(?:(?:with|using)\s+(?:the\s+)?password|password\s+to)\s+["'`]?)([^\s"'`,;]{8,})""",
        USUAL,
    ),
    Place(
        _OF_EAST_ASIA,
        rf"""((?:{_OF_EAST_ASIA})\s*[\u662f\u4e3a\u70ba\u306f\ub294:\uff1a=]\s*["'`\u300c]?)"""
        r"""([^\s"'`,;\x80-\uffff]{6,})""",
        PASSWORD,
    ),
)


def _by_hint(places: tuple[Place, ...]) -> tuple[tuple[str, tuple[Place, ...]], ...]:
    """Return each hint with its places; several of them share the names of passwords in other languages."""
    of_hint: dict[str, tuple[Place, ...]] = {}
    for place in places:
        for hint in place.hints:
            of_hint[hint] = (*of_hint.get(hint, ()), place)
    return tuple(of_hint.items())


_OF_COMMANDS = _by_hint(_COMMANDS)
_OF_SENTENCES = _by_hint(_SENTENCES)
_OF_ASCII_SENTENCES = tuple([pair for pair in _OF_SENTENCES if pair[0].isascii()])


def hinted_places(lowered: str) -> list[Place]:
    """Return the places of which one can be in the lower-case text `lowered`, in their order; mostly none."""
    found = [places for hint, places in _OF_COMMANDS if hint in lowered] if "-" in lowered else []
    of_sentences = _OF_ASCII_SENTENCES if lowered.isascii() else _OF_SENTENCES
    found += [places for hint, places in of_sentences if hint in lowered]
    if not found:
        return []
    possible = {place for places in found for place in places}
    return [place for place in (*_COMMANDS, *_SENTENCES) if place in possible]
