"""The rules for agents' sentences, in order of precedence: of those that hold for a sentence the first one counts.

Plans, guesses and questions are filtered out before.
"""

from __future__ import annotations

from capture.local.extraction.rules.agent_account import ACCOUNT_RULES
from capture.local.extraction.rules.agent_cause import CAUSE_RULES, RECOVERY_RULES
from capture.local.extraction.rules.agent_finding import GOTCHA_RULES, SECURITY_RULES
from capture.local.extraction.rules.agent_insight import FIGURE_RULES, INSIGHT_RULES, KNOWLEDGE_RULES
from capture.local.extraction.rules.agent_work import CHOICE_RULES, LABEL_RULES, TRIAL_RULES, WORK_RULES
from capture.local.extraction.rules.rulebook import Rulebook

AGENT_RULES = Rulebook(
    (
        *LABEL_RULES,
        *SECURITY_RULES,
        *INSIGHT_RULES,
        *FIGURE_RULES,
        *CHOICE_RULES,
        *RECOVERY_RULES,
        *TRIAL_RULES,
        *CAUSE_RULES,
        *WORK_RULES,
        *KNOWLEDGE_RULES,
        *GOTCHA_RULES,
        *ACCOUNT_RULES,
    )
)
