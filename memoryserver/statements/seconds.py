"""The length of an interval in a statement on many rows."""

from __future__ import annotations

from typing import Any

from django.db.models import FloatField, Func


class Seconds(Func):
    """The seconds of a duration, as a float; Django's `Extract` gives a numeric, which takes three times as long."""

    template = "date_part('epoch', %(expressions)s)"

    def __init__(self, duration: Any) -> None:
        super().__init__(duration, output_field=FloatField())
