"""Renames projects whose keys have capitals or decomposed letters to the keys that clients send.

Projects of one owner that then have the same key become one, with all their rows, if the same people see them. Where one
is shared with another team than the other, both stay: nobody is to see rows that they did not see before.
"""

from typing import Any

from django.db import migrations
from django.db.models import ForeignKey

from memoryserver.common.project_key import normalized


def normalise(apps: Any, schema_editor: Any) -> None:
    """The oldest project with the right key keeps it, else the oldest of those that will have it."""
    project_model = apps.get_model("accounts", "Project")
    groups: dict[tuple[int, str], list[Any]] = {}
    for project in project_model.objects.order_by("pk"):
        groups.setdefault((project.owner_id, normalized(project.key)[:255]), []).append(project)
    for (_, key), projects in groups.items():
        target = min(projects, key=lambda project: (project.key != key, project.pk))
        for project in projects:
            if project != target and project.team_id == target.team_id:
                _move(apps, project, target)
                project.delete()
        if target.key != key:
            project_model.objects.filter(pk=target.pk).update(key=key)


def _move(apps: Any, source: Any, target: Any) -> None:
    """Let every row of `source` belong to `target`; of two that may not both be there, the one of `target` stays."""
    for model in apps.get_models():
        for field in model._meta.fields:
            if isinstance(field, ForeignKey) and field.related_model._meta.label == "accounts.Project":
                _move_rows(model, field.name, source, target)


def _move_rows(model: Any, field: str, source: Any, target: Any) -> None:
    for names in (constraint.fields for constraint in model._meta.constraints if hasattr(constraint, "fields")):
        if field not in names:
            continue
        others = [name for name in names if name != field]
        present = set(model.objects.filter(**{field: target}).values_list(*others))
        for row in list(model.objects.filter(**{field: source}).values_list("pk", *others)):
            if row[1:] not in present:
                continue
            if "version" in names:  # an observer configuration: versions are kept, in the order of their ids
                _renumber(model, field, source, target)
                break
            model.objects.filter(pk=row[0]).delete()
    model.objects.filter(**{field: source}).update(**{field: target})


def _renumber(model: Any, field: str, source: Any, target: Any) -> None:
    """Number the versions of both after all there are, the current one of `target` last."""
    versions = list(model.objects.filter(**{f"{field}__in": [source, target]}).order_by("version", "pk"))
    versions.sort(key=lambda row: getattr(row, f"{field}_id") == target.pk)
    first = max(row.version for row in versions) + 1
    for number, row in enumerate(versions, first):
        model.objects.filter(pk=row.pk).update(version=number)


class Migration(migrations.Migration):

    dependencies = [
        ("accounts", "0003_user_context_version"),
        ("capture", "0004_learningsource_message_time"),
        ("ghap", "0002_delete_vectors_of_deleted_entries"),
        ("hooks", "0001_initial"),
        ("trajectory", "0001_initial"),
        ("vectors", "0002_terms_of_unspaced_scripts"),
    ]

    operations = [
        migrations.RunPython(normalise, migrations.RunPython.noop),
    ]
