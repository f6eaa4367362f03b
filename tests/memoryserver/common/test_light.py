"""The light dataclasses beside those of the standard library: whatever is asked of both, they answer the same."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import subprocess
import sys
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryserver.common import light


def pair(decorate: Any, field: Any) -> Any:
    """A class made by one of the two kinds of decorator."""

    @decorate(frozen=True)
    class Point:
        """A point."""

        x: int
        y: int = 2
        names: tuple[str, ...] = field(default_factory=tuple)
        hidden: int = field(default=0, repr=False, compare=False)
        total: int = field(init=False, compare=False)
        shared: ClassVar[int] = 7

        def __post_init__(self) -> None:
            if not isinstance(self.x, int):
                raise ValueError("x must be a number")  # noqa: TRY004
            object.__setattr__(self, "total", self.x)

    return Point


ONE, OTHER = pair(light.dataclass, light.field), pair(dataclasses.dataclass, dataclasses.field)
ARGUMENTS = st.tuples(
    st.lists(st.integers(0, 2) | st.just("no"), max_size=6),
    st.dictionaries(st.sampled_from(["x", "y", "names", "hidden", "total", "unknown"]), st.integers(0, 2), max_size=4),
)


def outcome(action: Any) -> Any:
    try:
        return action()
    except (TypeError, ValueError, AttributeError) as error:
        return type(error)


@given(first=ARGUMENTS, second=ARGUMENTS)
def test_instances_behave_as_those_of_dataclasses(first: Any, second: Any) -> None:
    made = [[outcome(lambda c=c, a=a: c(*a[0], **a[1])) for a in (first, second)] for c in (ONE, OTHER)]
    (a, b), (c, d) = made
    assert (repr(a), repr(b)) == (repr(c), repr(d))
    assert (a == b) == (c == d)
    assert (a == a, a == c) == (True, isinstance(a, type))
    if isinstance(a, ONE):
        assert vars(a) == vars(c)
        assert hash(a) == hash(c)
        assert dataclasses.asdict(a) == dataclasses.asdict(c)
        assert copy.copy(a) == copy.deepcopy(a) == a
        for changes in ({"y": 9}, {"total": 1}, {"unknown": 1}, {"x": "no"}, {}):
            expected = repr(outcome(lambda v=changes: dataclasses.replace(c, **v)))
            assert repr(outcome(lambda v=changes: light.replace(a, **v))) == expected
            assert repr(outcome(lambda v=changes: dataclasses.replace(a, **v))) == expected


def test_frozen_instance_refuses_what_a_frozen_dataclass_refuses() -> None:
    point = ONE(1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        point.x = 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        del point.x


def test_dataclasses_sees_the_fields_and_the_parameters() -> None:
    assert dataclasses.is_dataclass(ONE) is True
    one: Any = ONE
    described = [
        [(one.name, one.type, one.default, one.init, one.repr, one.compare) for one in dataclasses.fields(kind)]
        for kind in (ONE, OTHER)
    ]
    assert described[0] == described[1]
    assert repr(one.__dataclass_params__) == repr(OTHER.__dataclass_params__)
    assert one.__match_args__ == OTHER.__match_args__
    assert one.shared == OTHER.shared


def test_subclass_made_with_the_other_decorator_is_a_dataclass_of_both() -> None:
    base: Any = ONE

    @dataclasses.dataclass(frozen=True)
    class Space(base):  # type: ignore[misc]
        z: int = 0

    space = Space(1, z=3)
    assert [one.name for one in dataclasses.fields(space)] == ["x", "y", "names", "hidden", "total", "z"]
    assert light.replace(space, z=4) == Space(1, z=4)


def test_subclass_has_the_fields_of_its_base_first() -> None:
    base: Any = ONE

    @light.dataclass(frozen=True)
    class Space(base):  # type: ignore[misc]
        z: int = 0

    assert repr(Space(1, 2, z=3)).endswith("Space(x=1, y=2, names=(), total=1, z=3)")


@light.dataclass
class Open:
    """One that may change, at the module's level so that it can be pickled."""

    values: list[int] = light.field(default_factory=list)


def test_class_that_is_not_frozen_may_change_and_has_no_hash() -> None:
    first, second = Open(), Open()
    first.values.append(1)
    first.values = [*first.values, 2]
    assert (first.values, second.values) == ([1, 2], [])
    assert pickle.loads(pickle.dumps(first)) == first
    with pytest.raises(TypeError, match="unhashable"):
        hash(first)


def test_mutable_default_is_refused() -> None:
    with pytest.raises(ValueError, match="use default_factory"):

        @light.dataclass
        class Bad:
            values: list[int] = []

    with pytest.raises(ValueError, match="both default and default_factory"):
        light.field(default=1, default_factory=int)  # type: ignore[call-overload]


def test_making_classes_loads_neither_inspect_nor_dataclasses() -> None:
    code = (
        "import sys; from memoryserver.common.light import dataclass\n"
        "@dataclass(frozen=True)\nclass A:\n    'a'\n    x: int = 1\n"
        "A(); print(sorted({'inspect', 'dataclasses', 'typing'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
