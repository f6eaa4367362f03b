"""Tokens of well-known vendors, random in their random parts, and whether one is left in a text."""

from __future__ import annotations

import string

from hypothesis import strategies as st

WORD = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + string.digits

# kind, text before the random part, its alphabet, its length, text after it
VENDORS = [
    ("github-token", "ghp_", WORD, 36, ""),
    ("github-token", "ghs_", WORD, 36, ""),
    ("github-token", "github_pat_", WORD, 82, ""),
    ("gitlab-token", "glpat-", WORD, 20, ""),
    ("aws-key", "AKIA", UPPER, 16, ""),
    ("aws-key", "ASIA", UPPER, 16, ""),
    ("anthropic-key", "sk-ant-api03-", WORD + "-_", 95, ""),
    ("openrouter-key", "sk-or-v1-", HEX, 64, ""),
    ("openai-key", "sk-proj-", WORD + "-_", 120, ""),
    ("openai-key", "sk-", WORD, 48, ""),
    ("slack-token", "xoxb-", string.digits, 12, "-1234567890123-AbCdEfGhIjKlMnOpQrStUvWx"),
    ("slack-webhook", "https://hooks.slack.com/services/T00000000/B00000000/", WORD, 24, ""),
    ("google-key", "AIza", WORD + "-_", 35, ""),
    ("google-oauth", "GOCSPX-", WORD, 28, ""),
    ("stripe-key", "sk_live_", WORD, 24, ""),
    ("webhook-secret", "whsec_", WORD, 32, ""),
    ("npm-token", "npm_", WORD, 36, ""),
    ("pypi-token", "pypi-AgEIcHlwaS5vcmc", WORD + "-_", 80, ""),
    ("sendgrid-key", "SG.", WORD, 22, "." + "aB3_" * 10),
    ("twilio-key", "SK", HEX, 32, ""),
    ("huggingface-token", "hf_", WORD, 34, ""),
    ("digitalocean-token", "dop_v1_", HEX, 64, ""),
    ("docker-token", "dckr_pat_", WORD, 27, ""),
    ("vault-token", "hvs.", WORD, 90, ""),
    ("databricks-token", "dapi", HEX, 32, ""),
    ("linear-key", "lin_api_", WORD, 40, ""),
    ("notion-token", "ntn_", WORD, 46, ""),
    ("mailgun-key", "key-", HEX, 32, ""),
    ("shopify-token", "shpat_", HEX, 32, ""),
    ("newrelic-key", "NRAK-", UPPER, 27, ""),
    ("supabase-key", "sbp_", HEX, 40, ""),
    ("replicate-token", "r8_", WORD, 37, ""),
    ("groq-key", "gsk_", WORD, 52, ""),
    ("rubygems-key", "rubygems_", HEX, 48, ""),
    ("age-key", "AGE-SECRET-KEY-1", UPPER, 58, ""),
    ("memoryserver-token", "msv_", WORD, 46, ""),
    ("jwt", "eyJhbGciOiJIUzI1NiJ9.eyJ", WORD, 40, "." + "aB3-" * 10),
]
BREAKS = ["\n", "\r\n", "\n    ", "\\n", "\\r\\n"]


@st.composite
def vendor_secrets(draw: st.DrawFn) -> tuple[str, str, str]:
    """A kind, a secret of it, and its random part."""
    kind, before, alphabet, length, after = draw(st.sampled_from(VENDORS))
    random = draw(st.text(alphabet, min_size=length, max_size=length))
    return kind, f"{before}{random}{after}", random


def survives(secret: str, text: str) -> bool:
    """Whether 12 characters in a row of `secret` are left in `text`, breaks of lines aside."""
    for separator in BREAKS:
        text = text.replace(separator, "")
    return any(secret[at : at + 12] in text for at in range(max(1, len(secret) - 11)))
