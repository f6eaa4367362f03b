"""How well learnings are found in labelled real sessions.

Used by bench/extraction.py. In sessions that the weights were fitted on, they are fitted again for each repository, on
all the others, and the whole extractor runs over its sessions: the figures are those of a repository that the weights
have not seen. The groups of words and the least scores were chosen with these sessions at hand: on others expect a
little less. Sessions that nothing was tuned on are scored by the weights that are shipped.
"""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.fit_scores import EXCERPTS_WEIGHT, Row, fit, limits, rows_of, test_rows
from bench.support.learning_labels import Label, Session, excerpts, sessions
from capture.belief.thresholds import threshold
from capture.local import LEARNING_TYPES
from capture.local.extraction.extractor import IncrementalExtractor
from capture.local.extraction.learning import Learning
from capture.local.extraction.scoring.model import Model, model_for
from capture.local.extraction.status_reports import is_status_report
from capture.local.transcripts.messages import Message, Role
from memoryserver.home.intervals import wilson

ROLES = (Role.AGENT, Role.PERSON)
BY = {"assistant": "the agent's words", "user": "a person's words", "outcome": "what happened"}


@dataclass(frozen=True)
class Captured:
    """A captured learning with the label that it found, and who said it as labels name that."""

    session: Session
    learning: Learning
    label: Label | None
    by: str


@dataclass
class Figures:
    """The labels that the captured learnings found, and those that they could have found."""

    taken: list[Label | None] = field(default_factory=list)
    worth_keeping: set[int] = field(default_factory=set)
    found: set[int] = field(default_factory=set)

    def shown(self, name: str) -> str:
        """Return a line of the table."""
        strict = sum(label is not None and label.worth == 2 for label in self.taken)
        lenient = sum(label is not None and label.worth > 0 for label in self.taken)
        cells = (interval(strict, len(self.taken)), interval(lenient, len(self.taken)))
        recall = interval(len(self.found), len(self.worth_keeping))
        return f"    {name:32}{len(self.taken):6}  {cells[0]:18}{cells[1]:18}{len(self.worth_keeping):6}  {recall}"

    def rows(self, name: str) -> list[dict[str, object]]:
        """Return the rows of JSON."""
        total = max(len(self.taken), 1)
        strict = sum(label is not None and label.worth == 2 for label in self.taken) / total
        lenient = sum(label is not None and label.worth > 0 for label in self.taken) / total
        recall = len(self.found) / max(len(self.worth_keeping), 1)
        values = {"precision strict": strict, "precision lenient": lenient, "recall": recall}
        return [{"what": f"{name} {key}", "ratio": round(value, 4)} for key, value in values.items()]


def report(folder: Path, excerpted: Sequence[Path] = ()) -> list[dict[str, object]]:
    """Print the tables for the sessions in `folder`, which the weights were fitted on, and return the rows of JSON.

    The weights are fitted with the excerpts in the folders `excerpted` too.
    """
    labelled = list(sessions(folder))
    print(f"\n{folder}: weights, least scores, screen and rules were tuned on these sessions. Each")
    print("repository is scored by weights fitted on the others; least scores and rules are those that are shipped.")
    return _tables("sessions", labelled, _captured(labelled, [one for path in excerpted for one in excerpts(path)]))


def report_unseen(folder: Path) -> list[dict[str, object]]:
    """Print the tables for the sessions in `folder`, scored by the weights that are shipped; return the rows of JSON.

    Nothing may have been tuned on them.
    """
    labelled = list(sessions(folder))
    print(f"\n{folder}: nothing was tuned on these sessions. They are scored by the weights that are shipped.")
    shipped = {role: model_for(role) for role in ROLES}
    captured = (one for session in labelled for one in _captured_in(session, shipped))
    return _tables("unseen sessions", labelled, captured)


def _tables(which: str, labelled: Sequence[Session], found: Iterable[Captured]) -> list[dict[str, object]]:
    """Print the figures by source, by repository and by type, and return the rows of JSON, named after `which`."""
    captured = list(found)
    labels = [label for session in labelled for label in session.labels]
    repositories = sorted({session.repository for session in labelled})
    print(f"{len(labelled)} sessions of {len(repositories)} repositories, {len(labels)} labels. What nobody judged")
    print("counts as wrong; 95 % intervals in brackets; types as captured and as labelled.")
    print(f"    {'':32}{'taken':>6}  {'strict':18}{'lenient':18}{'labels':>6}  recall of worth 2")
    rows = []
    for by, name in BY.items():
        taken = [one for one in captured if (one.label.role if one.label else one.by) == by]
        rows += _row(f"{which} {name}", taken, [label for label in labels if label.role == by], captured)
    rows += _row(f"{which} all", captured, labels, captured)
    in_context = [one for one in captured if _enters_context(one.learning)]
    rows += _row(f"{which} in a context", in_context, labels, in_context)
    for repository in repositories:
        taken = [one for one in captured if one.session.repository == repository]
        rows += _row(f"{which} {repository}", taken, [one for one in labels if one.repository == repository], captured)
    for kind in LEARNING_TYPES:
        taken = [one for one in captured if one.learning.type == kind]
        rows += _row(f"{which} {kind}", taken, [label for label in labels if label.type == kind], captured)
    yielding = {one.session.name for one in captured}
    print(f"    sessions that yield something: {len(yielding)} of {len(labelled)}")
    return [*rows, {"what": f"{which} that yield", "ratio": round(len(yielding) / max(len(labelled), 1), 4)}]


def interval(part: int, total: int) -> str:
    """Return the share with its 95 % interval (Wilson); "-" where there is nothing."""
    if not total:
        return "-"
    low, high = wilson(part, total)
    return f"{part / total:.2f} [{low:.2f}-{high:.2f}]"


def _enters_context(learning: Learning) -> bool:
    """Return whether the learning is believed on the day on which it is captured."""
    is_report = is_status_report(learning.type, learning.content)
    return not is_report and learning.confidence >= threshold(learning.source, learning.type, learning.content)


def _row(
    name: str, taken: Sequence[Captured], labels: Sequence[Label], captured: Sequence[Captured]
) -> list[dict[str, object]]:
    """Print and return the precision of `taken`, and how many of `labels` anything `captured` found."""
    figures = Figures([one.label for one in taken], {label.number for label in labels if label.worth == 2})
    figures.found = figures.worth_keeping & {one.label.number for one in captured if one.label is not None}
    print(figures.shown(name.removeprefix("unseen ").removeprefix("sessions ")))
    return figures.rows(name)


def _captured(labelled: Sequence[Session], excerpted: Sequence[Session]) -> Iterator[Captured]:
    rows = {role: [row for one in labelled for row in rows_of(one, role)] + list(test_rows(role)) for role in ROLES}
    for role in ROLES:
        rows[role] += [row for one in excerpted for row in rows_of(one, role, EXCERPTS_WEIGHT)]
    by_repository: dict[str, list[Session]] = defaultdict(list)
    for session in labelled:
        by_repository[session.repository].append(session)
    for repository, own in by_repository.items():
        models = {role: _without(repository, rows[role], role) for role in ROLES}
        for session in own:
            yield from _captured_in(session, models)


def _without(repository: str, rows: Sequence[Row], role: Role) -> Model:
    others = [row for row in rows if row.repository != repository]
    return Model({**fit(others, role), **limits(role)})


def _captured_in(session: Session, models: dict[Role, Model]) -> Iterator[Captured]:
    extractor = IncrementalExtractor(models=lambda role: models.get(role, models[Role.AGENT]))
    messages = {message.index: message for message in session.messages}
    for learning in extractor.extract(copy.deepcopy(session.messages)):
        message = messages[learning.source_message_index]
        label = session.label_of(learning.content, session.line_of(message))
        yield Captured(session, learning, label, _by(learning, message))


def _by(learning: Learning, message: Message) -> str:
    """Return who said or showed `learning`, as labels name that."""
    if learning.source == "observed":
        return "user" if learning.type == "correction" else "outcome"
    return "assistant" if message.role == Role.AGENT else "user"
