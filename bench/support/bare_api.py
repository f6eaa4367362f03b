"""What the API is measured beside: one django-ninja endpoint, without authentication or middleware, with one INSERT."""

from __future__ import annotations

import django
from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.db import models
from django.http import HttpRequest
from django.urls import path
from ninja import NinjaAPI, Schema
from pydantic import ConfigDict

PATH = "/bare"
django.setup()
settings.MIDDLEWARE = []  # an app refuses to be set up without its own
application = WSGIHandler()


class Row(models.Model):
    """The row that the endpoint inserts; its table is made by the benchmark."""

    session_id = models.CharField(max_length=200)
    body = models.JSONField()
    received_at = models.DateTimeField(auto_now_add=True)

    objects: models.Manager[Row] = models.Manager()

    class Meta:
        app_label = "bench"
        managed = False
        db_table = "bench_row"

    def __str__(self) -> str:
        return self.session_id


api = NinjaAPI(urls_namespace="bare")


class Event(Schema):
    """A session's event, of which all fields are taken."""

    model_config = ConfigDict(extra="allow")

    session_id: str


class Inserted(Schema):
    """The row."""

    id: int


@api.post(PATH, response=Inserted)
def insert(request: HttpRequest, body: Event) -> Row:
    """Insert the body as it is."""
    return Row.objects.create(session_id=body.session_id, body=body.dict())


@api.get("/healthz")
def healthz(request: HttpRequest) -> dict[str, str]:
    """Say that requests are served."""
    return {}


urlpatterns = [path("", api.urls)]
