"""The parts of `typing` that classes need when they are made, without `typing`, which costs a hook 3 ms.

For type checkers they are those of `typing`; when a program runs they only let themselves be named.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Generic, Protocol, TypedDict, TypeVar, overload

    __all__ = ["Any", "Generic", "Protocol", "TypeVar", "TypedDict", "overload"]
else:
    Any = object

    class Protocol:
        """The base of a class that only says what others must have."""

    class TypedDict(dict):
        """The base of a dictionary with known keys; how they are declared is for type checkers alone."""

        def __init_subclass__(cls, *, total: bool = True) -> None: ...

    class Generic:
        """The base of a class with a type parameter."""

        def __class_getitem__(cls, _parameters: object) -> type:
            return cls

    def TypeVar(name: str, **_bounds: object) -> str:  # noqa: N802 - the published name
        """Return a type parameter."""
        return name

    def overload(function: object) -> object:
        """One of several signatures; the last definition is the one that is called."""
        return function
