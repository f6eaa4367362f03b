"""Collections and their records, and the base class of rows that wait to be embedded."""

from __future__ import annotations

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVector, SearchVectorField
from django.db import models
from django.db.models import F, Q, Value
from django.db.models.functions import Length, Replace
from pgvector.django import VectorField

from memoryserver.accounts.models import OwnedModel


class Collection(models.Model):
    """A named set of vectors, all of one model and dimension.

    While `manage.py reembed` runs, `next_model` and `next_dimension` describe the new vectors (see NextEmbedding).
    """

    name = models.CharField(max_length=64, primary_key=True)
    model = models.CharField(max_length=200)
    dimension = models.PositiveIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)
    indexed_at = models.DateTimeField(null=True, editable=False, help_text="since when there is an approximate index")
    next_model = models.CharField(max_length=200, blank=True, editable=False)
    next_dimension = models.PositiveIntegerField(null=True, editable=False)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return f"{self.name} ({self.model}, {self.dimension})"


class Record(OwnedModel):
    """One text of a collection. Lexical search finds it at once, semantic search once it has an `embedding`.

    `key` is the id of the text's object, unique for its user within the collection.
    """

    collection = models.CharField(max_length=64)
    key = models.CharField(max_length=100)
    text = models.TextField()
    payload = models.JSONField(default=dict)
    created_at = models.DateTimeField(help_text="when the thing was made, not the row")
    embedding = VectorField(null=True, editable=False)
    embedded_as = models.CharField(max_length=64, blank=True, help_text="digest of model and text of the embedding")
    terms = models.TextField(editable=False, help_text="`text` as `vectors.terms` gives its words")
    words = models.GeneratedField(
        expression=SearchVector("terms", config="english"), output_field=SearchVectorField(), db_persist=True
    )
    length = models.GeneratedField(
        expression=Length("terms") - Length(Replace("terms", Value(" "), Value(""))) + 1,
        output_field=models.IntegerField(),
        db_persist=True,
        help_text="how many words `terms` has",
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["collection", "user", "key"], name="record_once")]
        indexes = [
            # Includes the length, so that counting a scope for BM25 is an index-only scan.
            models.Index(fields=["collection", "project", "user"], include=["length"], name="record_scope"),
            GinIndex(fields=["words"], name="record_words"),
            GinIndex(fields=["payload"], opclasses=["jsonb_path_ops"], name="record_payload"),
        ]

    def __str__(self) -> str:
        return f"{self.collection}/{self.key}"


class TokenCodes(models.Model):
    """What is kept of the tokens of a record's text, if the model of its `embedding` tells them.

    `codes` are those of `embedding.Embedding`. They are written and deleted with the vector, and never of another text.
    """

    record = models.OneToOneField(Record, on_delete=models.CASCADE, primary_key=True, related_name="token_codes")
    codes = models.BinaryField()

    class Meta:
        verbose_name_plural = "token codes"

    def __str__(self) -> str:
        return f"of record {self.record_id}"


class NextEmbedding(models.Model):
    """The vector that a record gets when `manage.py reembed` switches models; `text_digest` identifies its text."""

    record = models.OneToOneField(Record, on_delete=models.CASCADE, primary_key=True, related_name="next_embedding")
    embedding = VectorField()
    embedded_as = models.CharField(max_length=64)
    text_digest = models.CharField(max_length=32, help_text="md5 of the text")

    def __str__(self) -> str:
        return f"of record {self.record_id}"


class Embeddable(models.Model):
    """A row whose content is embedded by a job: see `vectors.backlog`."""

    content_digest = models.CharField(max_length=64, editable=False)
    embedded_digest = models.CharField(max_length=64, blank=True, editable=False)
    embed_attempts = models.PositiveIntegerField(default=0, editable=False)
    embed_after = models.DateTimeField(null=True, blank=True, editable=False)
    embed_error = models.TextField(blank=True, editable=False)

    class Meta:
        abstract = True

    @staticmethod
    def pending() -> Q:
        """Return the condition of rows whose current content is not embedded yet."""
        return ~Q(embedded_digest=F("content_digest"))
