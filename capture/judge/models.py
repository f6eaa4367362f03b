"""The use of the judge's budget."""

from __future__ import annotations

from django.db import models


class JudgeDay(models.Model):
    """How many requests were sent to the endpoint on a day (UTC), and how many learnings these asked about."""

    day = models.DateField(primary_key=True)
    calls = models.PositiveIntegerField(default=0)
    candidates = models.PositiveIntegerField(default=0)

    class Meta:
        verbose_name = "day of the judge"
        verbose_name_plural = "days of the judge"

    def __str__(self) -> str:
        return f"{self.day}: {self.calls} calls, {self.candidates} candidates"
