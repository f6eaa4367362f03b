"""Mutations of a module: the small changes to its source that a test should notice.

Most come from the operators of cosmic-ray (extra `mutants`). Three are our own, since they are the faults that went
unnoticed here: a `with` block loses its lock, transaction or `suppress`, a statement is not executed, and a keyword
argument is not passed on.

Left out is what no test could notice or every test would: annotations and type variables, `TYPE_CHECKING`, arguments of
`@dataclass` (`frozen` is for developers), and `/`, which here joins paths.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator

Position = tuple[int, int]  # line, column, as `ast` counts them
Variant = Callable[[], str | None]
"""Returns the mutated source, None where nothing changed."""

_OPPOSITES = {
    "ReplaceComparisonOperator": (
        *("Eq_NotEq", "NotEq_Eq", "Is_IsNot", "IsNot_Is"),
        *("Lt_LtE", "Lt_GtE", "LtE_Lt", "LtE_Gt", "Gt_GtE", "Gt_LtE", "GtE_Gt", "GtE_Lt"),
    ),
    "ReplaceBinaryOperator": (
        "Add_Sub",
        "Sub_Add",
        "Mul_FloorDiv",
        "FloorDiv_Mul",
        "Mod_Mul",
        "Pow_Mul",
        "BitOr_BitAnd",
    ),
    "ReplaceUnaryOperator": ("Delete_Not", "USub_UAdd"),
}
_OPERATORS = (
    *("AddNot", "ReplaceAndWithOr", "ReplaceOrWithAnd", "ReplaceTrueWithFalse", "ReplaceFalseWithTrue"),
    *("NumberReplacer", "ExceptionReplacer", "ZeroIterationForLoop"),
    *("ReplaceBreakWithContinue", "ReplaceContinueWithBreak"),
    *(f"{operator}_{names}" for operator, pairs in _OPPOSITES.items() for names in pairs),
)


@dataclass(frozen=True)
class Mutant:
    """A mutated module: its `path`, the first `line` that differs, the `source`, and a unified diff without context."""

    path: str
    line: int
    source: str
    diff: str


@dataclass(frozen=True)
class Place:
    """A place in a module's source where one kind of mutation applies, in one or several ways (`variants`)."""

    path: str
    line: int
    original: str
    variants: tuple[Variant, ...]

    def mutant(self, random: Random) -> Mutant | None:
        """Return the mutant of one variant; None where that changes nothing or is not Python."""
        mutated = random.choice(self.variants)()
        if mutated is None or mutated == self.original or not _compiles(mutated):
            return None
        lines = difflib.unified_diff(self.original.splitlines(), mutated.splitlines(), n=0, lineterm="")
        _, _, *diff = lines
        match = re.match(r"@@ -(\d+)", diff[0])
        assert match
        return Mutant(self.path, int(match[1]), mutated, "\n".join(line for line in diff if not line.startswith("@@")))


def places(path: str, source: str) -> list[Place]:
    """Return the places of the module `path` with this `source`, in the order of the source."""
    tree = ast.parse(source)
    skipped = list(_skipped(tree))
    variants: dict[tuple[Position, str], list[Variant]] = defaultdict(list)
    for kind, position, variant in (*_operators(source), *_removals(source, tree)):
        if not any(begin <= position < end for begin, end in skipped):
            variants[position, kind].append(variant)
    return [Place(path, key[0][0], source, tuple(variants[key])) for key in sorted(variants)]


def _operators(source: str) -> Iterator[tuple[str, Position, Variant]]:
    nodes = list(ast_nodes(get_ast(source)))
    for name in _OPERATORS:
        operator = get_operator(f"core/{name}")()
        positions = [begin for node in nodes for begin, _ in operator.mutation_positions(node)]
        for occurrence, (line, column) in enumerate(positions):
            yield name.split("_")[0], (line, column), partial(_mutated, source, operator, occurrence)


def _mutated(source: str, operator: Any, occurrence: int) -> str | None:
    mutated: str | None = mutate_code(source, operator, occurrence)
    return mutated


def _removals(source: str, tree: ast.Module) -> Iterator[tuple[str, Position, Variant]]:
    """Yield the mutations of our own."""
    for node in ast.walk(tree):
        if isinstance(node, ast.With):
            first = node.body[0]
            indent = "\n" + " " * first.col_offset if first.lineno > node.lineno else " "
            replace = partial(_replaced, source, _begin(node), _begin(first), f"if True:{indent}")
            yield "without the with block", _begin(node), replace
        elif _is_removable(node):
            assert isinstance(node, ast.stmt)
            yield "without the statement", _begin(node), partial(_replaced, source, _begin(node), _end(node), "pass")
        elif isinstance(node, ast.Call):
            for keyword in node.keywords:
                if keyword.arg:
                    position = keyword.lineno, keyword.col_offset
                    end = keyword.end_lineno or 0, keyword.end_col_offset or 0
                    yield "without the keyword", position, partial(_replaced, source, position, end, "", r"\s*,[ ]?")


def _is_removable(node: ast.AST) -> bool:
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Call)
    if isinstance(node, ast.Assign):
        return all(isinstance(target, ast.Attribute | ast.Subscript) for target in node.targets)
    return isinstance(node, ast.AugAssign | ast.Raise | ast.Delete)


def _replaced(source: str, begin: Position, end: Position, text: str, also: str = "") -> str:
    """Return `source` with `text` from `begin` to `end`, and without what matches `also` after it."""
    lines = source.encode().splitlines(keepends=True)
    before, after = (sum(map(len, lines[: line - 1])) + column for line, column in (begin, end))
    rest = source.encode()[after:].decode()
    match = re.match(also, rest)
    assert match or also
    return source.encode()[:before].decode() + text + (rest[match.end() :] if match else rest)


def _skipped(tree: ast.Module) -> Iterator[tuple[Position, Position]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation:
            yield _begin(node.annotation), _end(node.annotation)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns:
            yield _begin(node.returns), _end(node.returns)
        elif isinstance(node, ast.ClassDef):
            yield from ((_begin(decorator), _end(decorator)) for decorator in node.decorator_list)
        if isinstance(node, ast.If | ast.Assign) and re.search("TYPE_CHECKING|TypeVar", ast.dump(node)[:120]):
            yield _begin(node), _end(node)


def _begin(node: ast.expr | ast.stmt) -> Position:
    return node.lineno, node.col_offset


def _end(node: ast.expr | ast.stmt) -> Position:
    return node.end_lineno or 0, node.end_col_offset or 0


def _compiles(source: str) -> bool:
    try:
        compile(source, "mutant", "exec")
    except SyntaxError:
        return False
    return True
