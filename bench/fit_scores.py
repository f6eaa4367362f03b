"""Fits the weights with which capture scores sentences, and says how well they do where they were not fitted.

    python bench/fit_scores.py LABELS [LABELS ...] [--write | --write-limits] [--role agent | person]

LABELS are folders of labelled sessions or of excerpts (bench/support/learning_labels.py). The labelled messages of the
tests are added with 0.15 of the weight, since they have the types that real sessions seldom show; those of what people
tell agents with 0.2 of it, since real sessions have few people's words. Excerpts have 0.15: others labelled them, of
messages that were chosen for them. The model is a logistic regression; statements of worth 1 count as 0.4 of a
positive. The table is of repositories left out in turn, each scored by weights that were fitted on all others; every
statement that nobody judged counts as wrong. A second table has the excerpts, whose repositories are left out in six
groups. Needs scikit-learn. --write writes the weights into
capture/local/extraction/scoring; --write-limits keeps them, and writes only the least scores (THRESHOLDS) and the least
sum of the screen (SCREENED). The last line is JSON.

Both limits were chosen by the F0.5 measure, which counts precision twice as much as recall, over repositories left out
in turn. A screen that few sentences pass costs no precision and makes a first scan faster.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, vstack
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.support.learning_labels import Label, Session, excerpts, has_transcripts, sessions
from capture.local.extraction import scoring
from capture.local.extraction.scoring.features import Place, features_of, rule_features, words_of
from capture.local.extraction.scoring.model import Model
from capture.local.extraction.scoring.passages import Passage, passages
from capture.local.extraction.sentence_learnings import SHARES, first_rule
from capture.local.extraction.sentences import Sentence, paragraphs, sentences_of
from capture.local.transcripts.messages import Kind, Message, Role
from tests.capture.local.extraction.labels import LabelledMessage, person_messages, samples

TESTS = "tests"  # in place of the repository of the tests' own messages
WHOLE_WEIGHT = 1.0  # of the sentences of whole sessions
TESTS_WEIGHT = 0.15
PERSON_MESSAGES_WEIGHT = 0.2
EXCERPTS_WEIGHT = 0.15
GROUPS = 6  # of the repositories of excerpts
BORDERLINE = 0.4  # of a positive
STRENGTH = 0.6  # the inverse of the regularization
WORD_SCALE = 0.5  # words are regularized more than other features
LEAST_SENTENCES = 3  # that have a feature
LEAST_WEIGHT = 0.04  # of a word; smaller ones change nothing and make the file long
SCREENED = 0.15  # share of agents' sentences that pass the words alone
THRESHOLDS = {Role.AGENT: 0.55, Role.PERSON: 0.62}
RULE_THRESHOLDS = {Role.AGENT: 0.42, Role.PERSON: 0.4}
FILES = {Role.AGENT: "agent.json", Role.PERSON: "person.json"}
RECALLS = (0.2, 0.3, 0.4, 0.5, 0.6)


@dataclass(frozen=True)
class Row:
    """A sentence with its label; `worth` is -1 if nobody judged it. `paragraph` numbers the paragraphs."""

    repository: str
    session: Session | None
    line: int
    paragraph: int
    text: str
    worth: int
    weight: float
    features: tuple[str, ...]
    words: frozenset[str]


def main() -> None:
    """Fit, print the table, and with --write write the weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("labels", nargs="+", type=Path)
    parser.add_argument("--write", action="store_true", help="write the weights and the limits")
    parser.add_argument("--write-limits", action="store_true", help="write the limits only")
    parser.add_argument("--role", type=Role, choices=list(FILES), action="append", help="by default both")
    options = parser.parse_args()
    labelled = [session for folder in options.labels if has_transcripts(folder) for session in sessions(folder)]
    excerpted = [session for folder in options.labels if not has_transcripts(folder) for session in excerpts(folder)]
    result: list[dict[str, object]] = []
    for role in options.role or FILES:
        rows = [row for session in labelled for row in rows_of(session, role)] + list(test_rows(role))
        others = [row for session in excerpted for row in rows_of(session, role, EXCERPTS_WEIGHT)]
        result += evaluate(role, "sessions", rows, others, [{name} for name in _repositories(rows)])
        result += evaluate(role, "excerpts", others, rows, _groups(_repositories(others)))
        if options.write or options.write_limits:
            path = Path(scoring.__path__[0]) / FILES[role]
            content = fit(rows + others, role) if options.write else json.loads(path.read_text(encoding="utf-8"))
            content |= limits(role)
            if "screen" in content:
                content["screen"]["least"] = _least(content["screen"]["words"], rows)
            text = json.dumps(content, indent=1, ensure_ascii=False, sort_keys=True)
            path.write_text(f"{text}\n", encoding="utf-8")
    print(json.dumps({"bench": "fit_scores", "rows": result}))


def limits(role: Role) -> dict[str, float]:
    """Return the least scores of the learnings of `role`, as the weights' file has them."""
    return {"threshold": THRESHOLDS[role], "rule_threshold": RULE_THRESHOLDS[role]}


def rows_of(session: Session, role: Role, weight: float = WHOLE_WEIGHT) -> Iterator[Row]:
    """Yield the sentences that `role` wrote in `session`."""
    for message in session.messages:
        if message.role == role and message.text:
            line = session.line_of(message)
            for number, sentence, features, words in _sentences(message):
                label = session.label_of(sentence.text, line)
                worth = label.worth if label is not None and _is_by(label, role) else -1
                yield Row(session.repository, session, line, number, sentence.text, worth, weight, features, words)


def test_rows(role: Role) -> Iterator[Row]:
    """Yield the sentences of the tests' labelled messages that were used while the rules were written."""
    for number, sample in enumerate(samples("labelled")):
        message = sample.messages[0]
        if len(sample.messages) == 1 and message.role == role:
            for _, sentence, features, words in _sentences(message):
                worth = 2 if any(expected.matches(sentence.text) for expected in sample.expected) else 0
                yield Row(TESTS, None, 0, -number, sentence.text, worth, TESTS_WEIGHT, features, words)
    if role == Role.PERSON:
        yield from map(_message_row, person_messages("person_messages"))


def _message_row(message: LabelledMessage) -> Row:
    """Return a whole message as one row: which of its sentences is worth keeping was not judged."""
    found = list(_sentences(Message(0, Role.PERSON, Kind.WORDS, text=message.text)))
    features = {name: None for _, _, names, _ in found for name in names}
    words = frozenset(word for _, _, _, some in found for word in some)
    return Row(
        TESTS, None, 0, 0, message.text, 2 * message.is_worth_keeping, PERSON_MESSAGES_WEIGHT, tuple(features), words
    )


def fit(rows: Sequence[Row], role: Role) -> dict[str, Any]:
    """Return the content of the weights' file, without its threshold."""
    content = _fit(rows, lambda row: [*row.features, *(f"word {word}" for word in row.words)], STRENGTH)
    if role == Role.AGENT:
        screen = _fit(rows, lambda row: [f"word {word}" for word in row.words], 0.3)["words"]
        content["screen"] = {"words": screen, "least": _least(screen, rows)}
    return content


def _least(screen: Mapping[str, float], rows: Sequence[Row]) -> float:
    """Return the sum of weights that the share SCREENED of the sentences of whole sessions reaches."""
    sums = [sum(screen.get(word, 0.0) for word in row.words) for row in rows if row.weight == WHOLE_WEIGHT]
    return round(float(np.quantile(sums, 1 - SCREENED)), 3)


def _fit(rows: Sequence[Row], names_of: Any, strength: float) -> dict[str, Any]:
    counts: dict[str, int] = defaultdict(int)
    for row in rows:
        for name in names_of(row):
            counts[name] += 1
    scales = {
        name: WORD_SCALE if name.startswith("word ") else 1.0 for name in counts if counts[name] >= LEAST_SENTENCES
    }
    vectorizer = DictVectorizer()
    matrix = vectorizer.fit_transform(
        [{name: scales[name] for name in names_of(row) if name in scales} for row in rows]
    )
    worth = np.array([row.worth for row in rows])
    weight = np.array([row.weight for row in rows])
    borderline = np.flatnonzero(worth == 1)
    sample_weight = np.concatenate(
        [np.where(worth == 1, 1 - BORDERLINE, 1.0) * weight, BORDERLINE * weight[borderline]]
    )
    samples_and_borderline = vstack([csr_matrix(matrix), csr_matrix(matrix)[borderline]])
    positive = np.concatenate([worth == 2, np.ones(len(borderline), dtype=bool)])
    model = LogisticRegression(C=strength, max_iter=2000, solver="liblinear")
    model.fit(samples_and_borderline, positive, sample_weight=sample_weight)
    weights = {
        name: round(float(value) * scales[name], 3)
        for name, value in zip(vectorizer.get_feature_names_out(), model.coef_[0], strict=True)
    }
    return {
        "intercept": round(float(model.intercept_[0]), 3),
        "features": {name: value for name, value in weights.items() if value and not name.startswith("word ")},
        "words": {
            name[5:]: value
            for name, value in weights.items()
            if abs(value) >= LEAST_WEIGHT and name.startswith("word ")
        },
    }


def evaluate(
    role: Role, name: str, rows: Sequence[Row], others: Sequence[Row], groups: Sequence[AbstractSet[str]]
) -> list[dict[str, object]]:
    """Print precision at several recalls in `rows` and return the rows of JSON.

    Each group of repositories is scored by weights fitted on the rest of `rows` and on `others`.
    """
    likelihoods = np.zeros(len(rows))
    for group in groups:
        rest = [row for row in (*rows, *others) if row.repository not in group]
        model = Model({**fit(rest, role), **limits(role)})
        for number, row in enumerate(rows):
            if row.repository in group:
                passes = model.may_be_worth_keeping(row.words)
                likelihoods[number] = model.likelihood(row.features, row.words) if passes else 0.0
    judged = list(_judged_passages(role, rows, likelihoods))
    judged.sort(key=lambda pair: -pair[0].likelihood)
    by = "user" if role == Role.PERSON else "assistant"
    labels = {label for row in rows if row.session for label in row.session.labels if label.role == by}
    return _table(f"{role}, {name}", judged, sum(label.worth == 2 for label in labels)) if labels else []


def _repositories(rows: Sequence[Row]) -> list[str]:
    return sorted({row.repository for row in rows} - {TESTS})


def _groups(repositories: Sequence[str]) -> list[AbstractSet[str]]:
    return [set(repositories[first::GROUPS]) for first in range(min(GROUPS, len(repositories)))]


def _judged_passages(role: Role, rows: Sequence[Row], likelihoods: Any) -> Iterator[tuple[Passage, Label | None]]:
    by_paragraph: dict[tuple[str, int, int], list[int]] = defaultdict(list)
    for number, row in enumerate(rows):
        if row.session is not None:
            by_paragraph[row.session.name, row.line, row.paragraph].append(number)
    for numbers in by_paragraph.values():
        session, line = rows[numbers[0]].session, rows[numbers[0]].line
        assert session is not None
        lengths, scores = [len(rows[number].text) for number in numbers], [likelihoods[number] for number in numbers]
        for passage in passages(lengths, scores, [score > 0 for score in scores], share=SHARES[role]):
            text = " ".join(rows[number].text for number in numbers[passage.first : passage.last + 1])
            label = session.label_of(text, line)
            yield passage, label if label is not None and _is_by(label, role) else None


def _table(title: str, judged: Sequence[tuple[Passage, Label | None]], worth_keeping: int) -> list[dict[str, object]]:
    print(f"\n{title}: {len(judged)} passages, {worth_keeping} labels of worth 2; repositories left out in turn")
    print("    recall  precision strict  lenient  passages  least score")
    rows: list[dict[str, object]] = []
    found: set[int] = set()
    worths: list[int] = []
    limits = list(RECALLS)
    for passage, label in judged:
        worths.append(label.worth if label is not None else -1)
        if label is not None and label.worth == 2:
            found.add(label.number)
        while limits and len(found) >= limits[0] * worth_keeping:
            recall = limits.pop(0)
            strict, lenient = worths.count(2) / len(worths), sum(worth > 0 for worth in worths) / len(worths)
            print(f"    {recall:6.1f}{strict:18.2f}{lenient:9.2f}{len(worths):10}{passage.likelihood:13.2f}")
            rows.append({"what": f"{title} strict precision at recall {recall}", "ratio": round(strict, 4)})
            rows.append({"what": f"{title} lenient precision at recall {recall}", "ratio": round(lenient, 4)})
    return rows


def _sentences(message: Message) -> Iterator[tuple[int, Sentence, tuple[str, ...], frozenset[str]]]:
    """Yield each sentence with the number of its paragraph, its features and its words."""
    found = [
        (number, sentence)
        for number, paragraph in enumerate(paragraphs(message.text))
        for sentence in sentences_of(paragraph)
    ]
    for place, (number, sentence) in enumerate(found):
        words = words_of(sentence.text)
        rule = first_rule(sentence.text, message.role)
        features = features_of(sentence, words, Place(len(message.text), place, len(found)))
        yield number, sentence, (*features, *(rule_features(rule) if rule else ())), frozenset(words)


def _is_by(label: Label, role: Role) -> bool:
    return label.role == ("user" if role == Role.PERSON else "assistant")


if __name__ == "__main__":
    main()
