"""The app of the judge, for its budget."""

from django.apps import AppConfig


class JudgeConfig(AppConfig):
    """An optional language model that judges learnings."""

    name = "capture.judge"
    label = "judge"
