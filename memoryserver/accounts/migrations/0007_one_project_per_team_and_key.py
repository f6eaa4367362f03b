"""Gives each shared project to its team, and makes those with one team and key one project.

The oldest project of a team and key stays, and the rows of the others become its rows, in batches of their own
transactions, so that no table is locked for long. A migration that was interrupted goes on where it stopped. Of several
observer configurations the newest is in effect; the others stay as earlier versions, and the log of the migration names
the projects concerned. The owners of a team's projects become its leads; a team without one gets its oldest member.

Backwards, each project of a team gets a lead or member as owner, the first who has no project of that key. What was
merged stays merged. A team's project without such a member is an error.
"""

from __future__ import annotations

import logging
from typing import Any

from django.db import migrations, transaction
from django.db.models import ForeignKey

logger = logging.getLogger(__name__)
BATCH = 2_000  # rows of one transaction


def merge_shared_projects(apps: Any, schema_editor: Any) -> None:
    """Leads first, since the owner of a shared project is known only until it is given to its team."""
    _appoint_leads(apps)
    groups: dict[tuple[int, str], list[Any]] = {}
    for project in apps.get_model("accounts", "Project").objects.exclude(team=None).order_by("pk"):
        groups.setdefault((project.team_id, project.key), []).append(project)
    for target, *others in groups.values():
        for source in others:
            _move_in_batches(apps, source, target)
            _move_rest(apps, source, target)
        target.owner_id = None
        target.save(update_fields=["owner"])


def _appoint_leads(apps: Any) -> None:
    memberships = apps.get_model("accounts", "Membership").objects
    for team, owner in apps.get_model("accounts", "Project").objects.exclude(team=None).values_list("team", "owner"):
        memberships.filter(team=team, user=owner).update(role="lead")
    for team in apps.get_model("accounts", "Team").objects.all():
        of_team = memberships.filter(team=team).order_by("pk")
        if not of_team.filter(role="lead").exists():
            memberships.filter(pk__in=of_team.values("pk")[:1]).update(role="lead")


def _followers(apps: Any) -> list[tuple[Any, str]]:
    """Return the models whose rows refer to projects, with the name of the field."""
    return [
        (model, field.name)
        for model in apps.get_models()
        for field in model._meta.fields
        if isinstance(field, ForeignKey) and field.related_model._meta.label == "accounts.Project"
    ]


def _move_in_batches(apps: Any, source: Any, target: Any) -> None:
    """Move the rows of the models that have no constraint with a project, each batch in a transaction."""
    for model, field in _followers(apps):
        if any(field in getattr(constraint, "fields", ()) for constraint in model._meta.constraints):
            continue
        while batch := list(model.objects.filter(**{field: source}).values_list("pk", flat=True)[:BATCH]):
            model.objects.filter(pk__in=batch).update(**{field: target})


@transaction.atomic
def _move_rest(apps: Any, source: Any, target: Any) -> None:
    """Move what is left, also what was added meanwhile: the lock on the project keeps new rows from referring to it."""
    project_model = apps.get_model("accounts", "Project")
    list(project_model.objects.select_for_update().filter(pk__in=[source.pk, target.pk]).order_by("pk"))
    _move_identities(apps, source, target)
    _move_configs(apps, source, target)
    apps.get_model("ghap", "Clustering").objects.filter(project=source).delete()  # computed again every night
    for model, field in _followers(apps):
        model.objects.filter(**{field: source}).update(**{field: target})
    source.delete()


def _move_identities(apps: Any, source: Any, target: Any) -> None:
    """Of two identities with one user, type and wording, that of `target` stays, with the learning of either."""
    identities = apps.get_model("capture", "LearningIdentity").objects
    digests = identities.filter(project=source).values("digest")
    present = {
        (row.user_id, row.type, row.digest): row for row in identities.filter(project=target, digest__in=digests)
    }
    for row in identities.filter(project=source).iterator():
        same = present.get((row.user_id, row.type, row.digest))
        if same is None:
            continue
        row.delete()
        if same.learning_id is None:
            same.learning_id = row.learning_id
            same.save(update_fields=["learning"])
        elif row.learning_id not in (None, same.learning_id):
            _merge_learning(apps, row.learning_id, same.learning_id)


def _merge_learning(apps: Any, merged: int, kept: int) -> None:
    """Show only `kept` of two learnings with one wording, unless a person hid one or one is merged already."""
    learnings = apps.get_model("capture", "Learning").objects
    rows = learnings.filter(pk__in=[merged, kept], hidden=False, merged_into=None).in_bulk()
    if len(rows) < 2:
        return
    parts = learnings.filter(merged_into=merged)
    own_count = rows[merged].seen_count - sum(parts.values_list("seen_count", flat=True))
    parts.update(merged_into=kept)
    learnings.filter(pk=merged).update(merged_into=kept, seen_count=own_count)
    rows[kept].seen_count += rows[merged].seen_count
    rows[kept].last_seen = max(rows[kept].last_seen, rows[merged].last_seen)
    rows[kept].save(update_fields=["seen_count", "last_seen"])
    apps.get_model("vectors", "Record").objects.filter(collection="learnings", key=str(merged)).delete()


def _move_configs(apps: Any, source: Any, target: Any) -> None:
    """Number the versions of both projects by their time, after all numbers in use, so that the newest is the last."""
    configs = apps.get_model("trajectory", "ObserverConfig").objects
    rows = list(configs.filter(project__in=[source, target]).order_by("made_at", "pk"))
    if not any(row.project_id == source.pk for row in rows):
        return
    first = max(row.version for row in rows) + 1
    for version, row in enumerate(rows, first):
        configs.filter(pk=row.pk).update(project=target, version=version)
    if len({row.project_id for row in rows}) > 1:
        logger.warning(
            "observers of project %s (%s): version %s, the newest of two projects' configurations, is in effect",
            target.key,
            target.pk,
            first + len(rows) - 1,
        )


def give_to_members(apps: Any, schema_editor: Any) -> None:
    """Give each project of a team an owner. Raises RuntimeError if there is nobody."""
    projects = apps.get_model("accounts", "Project").objects
    memberships = apps.get_model("accounts", "Membership").objects
    for project in projects.filter(owner=None).order_by("pk"):
        owners = projects.filter(key=project.key).exclude(owner=None).values("owner")
        member = memberships.filter(team=project.team_id).exclude(user__in=owners).order_by("role", "pk").first()
        if member is None:
            raise RuntimeError(f"project {project.key} needs an owner: add a member without such a project to its team")
        projects.filter(pk=project.pk).update(owner=member.user_id)


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ("accounts", "0006_roles_and_optional_owner"),
        ("capture", "0009_learning_usage"),
        ("ghap", "0002_delete_vectors_of_deleted_entries"),
        ("hooks", "0001_initial"),
        ("trajectory", "0004_bound_times_of_wrong_clocks"),
        ("vectors", "0003_terms_without_accents"),
    ]

    operations = [
        migrations.RunPython(merge_shared_projects, give_to_members),
    ]
