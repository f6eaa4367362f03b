"""`manage.py seed_demo`: fill an empty server with a made-up team and six weeks of its work."""

from __future__ import annotations

import random
import secrets
import time
from argparse import ArgumentTypeError
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.utils import timezone

from capture.jobs import embed_pending
from capture.models import Learning
from demo import people, surroundings
from demo import seed as demo_seed
from ghap.jobs import find_clusters, persist_pending
from ghap.models import Entry
from memoryserver.accounts.models import User
from trajectory.models import Trajectory

SEED = 20261128
EMBEDDING_SECONDS = 120.0


def _embed() -> None:
    """Embed all entries and learnings, or wait while the jobs of a running server do. Raises CommandError."""
    deadline = time.monotonic() + EMBEDDING_SECONDS
    while any(model.objects.filter(model.pending()).exists() for model in (Entry, Learning)):
        if not persist_pending() + embed_pending():
            if time.monotonic() > deadline:
                raise CommandError("the entries are there, but embedding them failed; see the admin's entries for why")
            time.sleep(0.5)


def _moment(text: str) -> datetime:
    """Return the time of `text`, UTC by default. Raises ArgumentTypeError."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise ArgumentTypeError(f"{text} is not a time such as 2026-11-20T17:00") from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


class Command(BaseCommand):
    """Create the users alice, bob, carol and dan with their team, sessions, entries and learnings."""

    help = "Fill an empty server with a made-up team of four and six weeks of its work, to look at."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Add --password, --no-embedding, --now and --seed."""
        parser.add_argument("--password", default="", help="of the four users; a random one by default")
        parser.add_argument(
            "--now",
            type=_moment,
            metavar="TIME",
            help="the time at which the six weeks end, ISO 8601 (default: now); no later than now",
        )
        parser.add_argument(
            "--seed", type=int, default=SEED, help="another number makes another demo (default: %(default)s)"
        )
        parser.add_argument(
            "--no-embedding",
            action="store_true",
            help="leave the embedding to the jobs; failures that repeat are then found in the night",
        )

    def handle(
        self,
        *args: Any,
        password: str,
        no_embedding: bool,
        now: datetime | None = None,
        seed: int = SEED,
        **options: Any,
    ) -> None:
        """Seed the database. Raises CommandError if there is data already."""
        if Entry.objects.exists() or Trajectory.objects.exists():
            raise CommandError("this server has entries or sessions already; seed_demo is for an empty one")
        if User.objects.filter(username__in=people.NAMES).exists():
            raise CommandError(f"one of the users {', '.join(people.NAMES)} exists already; use an empty server")
        password = password or secrets.token_urlsafe(12)
        now, chance = min(now or timezone.now(), timezone.now()), random.Random(seed)
        with transaction.atomic():
            team = people.create(password)
            worked = demo_seed.sessions(team, now, chance)
            demo_seed.entries(worked, chance)
            demo_seed.quotes(chance)
            surroundings.inquiries(worked, now, chance)
            surroundings.laptops(team, now)
            surroundings.failed_files(team, now)
            surroundings.unresolved(team, now)
        if not no_embedding:
            self.stdout.write("embedding ...")
            _embed()
            find_clusters()
            demo_seed.failures(team, chance)
        self.stdout.write(f"Sign in as {people.NAMES[0]} with the password {password}")
