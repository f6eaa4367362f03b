"""The keys and tokens that are known by their own form, wherever they stand in a text."""

from __future__ import annotations

import re
from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# Before a token: no letter or digit, save those of an escape (`\n`, `%3D`, `\u003d`, a terminal's `[32m`) that stand
# right before it.
_START = (
    r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf])|(?<=%[0-9A-Fa-f]{2})|(?<=\\u[0-9A-Fa-f]{4})|(?<=[\[;]m)|(?<=[\[;]\dm)"
    r"|(?<=[\[;]\d\dm))"
)
_WORD = "[A-Za-z0-9_-]"
# As they stand in an address, and in JSON inside of JSON.
_SLASH = r"(?:\\*/|%(?:25)*2[Ff]|\\u002[Ff])"
_BASE64 = r"(?:[A-Za-z0-9+/_-]|\\/|%(?:25)*(?:2[BbFf]|3[Dd])|\\u00(?:2[BbFf]|3[Dd])|=)"


class Kind:
    """One form of secret: its name, the lower-case texts of which one is in every such secret, its pattern.

    `open_ended`: how long it is, is not told by its form.
    """

    __slots__ = ("_compiled", "_source", "hints", "name", "open_ended")

    def __init__(self, name: str, hints: str, source: str, *, open_ended: bool = True) -> None:
        self.name = name
        self.hints = tuple(hints.split())
        self._source = source
        self._compiled: re.Pattern[str] | None = None
        self.open_ended = open_ended

    def pattern(self) -> re.Pattern[str]:
        """Compiled when it is first needed, since most never are."""
        if self._compiled is None:
            self._compiled = re.compile(self._source)
        return self._compiled


def _fixed(name: str, hints: str, source: str) -> Kind:
    return Kind(name, hints, source, open_ended=False)


CREDENTIALS = (
    Kind("jwt", "eyj", r"eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_-]*){1,3}"),
    _fixed("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{36,255}"),
    Kind("github-token", "github_pat_", r"github_pat_[A-Za-z0-9_]{22,255}"),
    Kind(
        "gitlab-token",
        "glpat- glptt- gldt- glrt- glcbt- glft- glsoat-",
        rf"gl(?:pat|ptt|dt|rt|cbt|ft|soat)-{_WORD}{{20,}}",
    ),
    _fixed("aws-key", "akia asia abia acca", _START + r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}"),
    Kind("anthropic-key", "sk-ant-", rf"sk-ant-{_WORD}{{20,}}"),
    Kind("openrouter-key", "sk-or-", rf"sk-or-{_WORD}{{30,}}"),
    Kind("openai-key", "sk-", _START + rf"sk-(?:(?:proj|svcacct|admin|None)-{_WORD}{{20,}}|[A-Za-z0-9]{{20,}})"),
    Kind("langsmith-key", "lsv2_", r"lsv2_(?:pt|sk)_[a-f0-9_]{32,}"),
    Kind("slack-token", "xox xapp-", r"(?:xox[abeoprs](?:\.xox[bp])?|xapp)-[A-Za-z0-9-]{16,}"),
    Kind(
        "slack-webhook",
        "hooks.slack.com",
        rf"hooks\.slack\.com{_SLASH}(?:services|workflows|triggers){_SLASH}(?:[A-Za-z0-9_+-]|{_SLASH}){{20,}}",
    ),
    _fixed("google-key", "aiza", r"AIza[A-Za-z0-9_-]{35}"),
    Kind("google-oauth", "ya29. gocspx-", rf"(?:ya29\.|GOCSPX-){_WORD}{{20,}}"),
    Kind("google-oauth", "1//0 1\\/ 1%", rf"{_START}1{_SLASH}{_SLASH}0{_WORD}{{30,}}"),
    Kind("stripe-key", "sk_live_ sk_test_ rk_live_ rk_test_", r"[sr]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    Kind("webhook-secret", "whsec_", rf"whsec_{_BASE64}{{20,}}"),
    _fixed("npm-token", "npm_", r"npm_[A-Za-z0-9]{36}"),
    Kind("pypi-token", "pypi-a", rf"pypi-A{_WORD}{{50,}}"),
    Kind("sendgrid-key", "sg.", rf"SG\.{_WORD}{{16,}}\.{_WORD}{{16,}}"),
    _fixed("twilio-key", "sk", r"SK[0-9a-f]{32}"),
    Kind("huggingface-token", "hf_ api_org_", _START + r"(?:hf|api_org)_[A-Za-z0-9]{30,}"),
    _fixed("digitalocean-token", "_v1_", r"do[opr]_v1_[a-f0-9]{64}"),
    Kind("docker-token", "dckr_", rf"dckr_(?:pat|oat)_{_WORD}{{20,}}"),
    Kind("vault-token", "hvs. hvb. hvr.", rf"hv[sbr]\.{_WORD}{{20,}}"),
    _fixed("databricks-token", "dapi", r"dapi[a-f0-9]{32}"),
    Kind("linear-key", "lin_api_ lin_oauth_", r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}"),
    Kind("notion-token", "ntn_ secret_", _START + r"(?:ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43})"),
    Kind(
        "discord-webhook",
        "webhooks",
        rf"discord(?:app)?\.com{_SLASH}api{_SLASH}webhooks{_SLASH}\d+{_SLASH}{_WORD}{{30,}}",
    ),
    Kind("discord-token", "discord", rf"{_START}[MNO][A-Za-z0-9_-]{{23,27}}\.{_WORD}{{6}}\.{_WORD}{{27,}}"),
    _fixed("telegram-token", ":aa", r"(?<!\d)\d{8,10}:AA[A-Za-z0-9_-]{33}"),
    _fixed("mailgun-key", "key-", r"key-[0-9a-f]{32}"),
    Kind("mailchimp-key", "-us", _START + r"[0-9a-f]{32}-us\d{1,2}"),
    _fixed("shopify-token", "shpat_ shpca_ shppa_ shpss_", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    Kind("square-token", "sq0", rf"sq0(?:atp|csp|idp)-{_WORD}{{22,}}"),
    Kind("postman-key", "pmak-", r"PMAK-[A-Za-z0-9-]{50,}"),
    Kind("atlassian-token", "atatt3 atctt3", r"AT[AC]TT3[A-Za-z0-9_=-]{50,}"),
    Kind(
        "azure-key", "accountkey sharedaccesskey", rf"(?:(?<=Key=)|(?<=Key%3[Dd])|(?<=Key\\u003[Dd])){_BASE64}{{40,}}"
    ),
    Kind("grafana-token", "glsa_ glc_", rf"gl(?:sa|c)_{_BASE64}{{30,}}"),
    _fixed("newrelic-key", "nrak-", r"NRAK-[A-Z0-9]{27}"),
    Kind("sentry-token", "sntrys_ sntryu_", rf"sntry[su]_{_BASE64}{{30,}}"),
    Kind("doppler-token", "dp.", _START + r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{40,}"),
    Kind("terraform-token", ".atlasv1.", rf"[A-Za-z0-9]{{14}}\.atlasv1\.{_WORD}{{60,}}"),
    Kind("supabase-key", "sbp_ sb_secret_", rf"sb(?:p_[a-f0-9]{{40}}|_secret_{_WORD}{{20,}})"),
    _fixed("replicate-token", "r8_", r"r8_[A-Za-z0-9]{37}"),
    Kind("groq-key", "gsk_", _START + r"gsk_[A-Za-z0-9]{40,}"),
    Kind("perplexity-key", "pplx-", r"pplx-[A-Za-z0-9]{40,}"),
    Kind("xai-key", "xai-", _START + r"xai-[A-Za-z0-9]{60,}"),
    Kind("fly-token", "fm1_ fm2_ fo1_", _START + rf"f[mo][12]_{_BASE64}{{40,}}"),
    Kind("netlify-token", "nfp_", _START + r"nfp_[A-Za-z0-9]{36,}"),
    Kind("planetscale-token", "pscale_", r"pscale_(?:tkn|oauth|pw)_[A-Za-z0-9_.-]{30,}"),
    _fixed("rubygems-key", "rubygems_", r"rubygems_[a-f0-9]{48}"),
    Kind("circleci-token", "ccipat_ ccipr", r"CCIP(?:AT|RJ)_[A-Za-z0-9_]{30,}"),
    Kind("figma-token", "figd_", rf"figd_{_WORD}{{30,}}"),
    _fixed("airtable-token", "pat", r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
    _fixed("age-key", "age-secret-key-1", r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    _fixed("memoryserver-token", "msv_", r"msv_[A-Za-z0-9]{46}"),
)
_HINTS = tuple((hint, kind) for kind in CREDENTIALS for hint in kind.hints)
# Most hints have one of these marks, and most texts lack one: it is looked for once instead of in each of them.
_MARKS = ("_", "-", ".")
OPEN_ENDED = frozenset(kind.name for kind in CREDENTIALS if kind.open_ended)


def hinted(lowered: str) -> list[Kind]:
    """Return the kinds of which one can be in the lower-case text `lowered`, in their order; mostly none."""
    hints = _hints_without(tuple([mark for mark in _MARKS if mark not in lowered]))
    return list(dict.fromkeys([kind for hint, kind in hints if hint in lowered]))


@cache
def _hints_without(marks: tuple[str, ...]) -> tuple[tuple[str, Kind], ...]:
    return tuple([(hint, kind) for hint, kind in _HINTS if not any(mark in hint for mark in marks)])


_AWS_KEY = "[redacted:aws-key]"
_NEAR = 200  # characters between the id of an access key and its secret
_AWS_SECRET = (
    _START + r"((?:[A-Za-z0-9+/]|\\+/|%(?:25)*2[BbFf]|\\u002[BbFf]){40})(?![A-Za-z0-9+/=%]|\\+/|\\u00)"
)  # and a base64 text that goes on is none


def without_aws_secrets(text: str, placeholder: Callable[[], str]) -> str:
    """Return `text` with a placeholder for each secret of AWS beside the id of its key, which is cut already.

    The secret has no form of its own but its length, so it is known by the id: in a file of credentials, in
    `aws configure`, or behind a colon.
    """
    if _AWS_KEY not in text:
        return text

    def replace(match: re.Match[str]) -> str:
        near = text[max(0, match.start() - _NEAR) : match.end() + _NEAR]
        return placeholder() if _AWS_KEY in near and _is_mixed(match[1]) else match[0]

    return re.compile(_AWS_SECRET).sub(replace, text)


def _is_mixed(value: str) -> bool:
    """Return whether `value` has digits and letters of both cases: neither a commit's id nor a path has them all."""
    return all(re.search(kind, value) for kind in ("[0-9]", "[a-z]", "[A-Z]"))
