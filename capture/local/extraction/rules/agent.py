"""How agents word what they did, found and learned, in the order in which it is asked.

Plans, guesses and questions are turned away before any of these is asked; within a sentence the first rule
that holds wins.
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
