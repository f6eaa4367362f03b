"""`dataclass`, `field` and `replace` for the classes that are loaded when an observer is due at a tool call.

They do what those of `dataclasses` do, of which they are a part: `dataclass` with or without `frozen`, `field` with
`default`, `default_factory`, `init`, `repr` and `compare`. They import no `inspect` and compile no source code for
each class. The fields that `dataclasses` itself asks for, in `fields`, `asdict`, or a subclass made with its
decorator, are created when it asks.

What this saves, measured on Python 3.11 beside `python -c "import json"` (least of 12 runs): importing `dataclasses`
takes 20 ms, and 25 classes 67 ms, with this module 1 and 7 ms; the hook with observers takes 2.6 times the CPU time of
that process, with `dataclasses` 3.6 times. Its bar is 2.4 times in wall-clock time, so this module stays; a call that
no observer looks at loads neither.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass, field, replace
    from typing import Any

    __all__ = ["dataclass", "field", "replace"]

_MISSING = object()
_FIELDS = "__light_fields__"


class _Field:
    """One field of a class; its `kind` is its annotation."""

    __slots__ = ("compare", "default", "factory", "init", "kind", "name", "repr")

    def __init__(self, default: object, factory: object, *, init: bool, repr: bool, compare: bool) -> None:  # noqa: A002
        self.default, self.factory = default, factory
        self.init, self.repr, self.compare = init, repr, compare
        self.name: str = ""
        self.kind: object = ""

    @property
    def is_required(self) -> bool:
        """Return whether it must be given."""
        return self.init and self.default is _MISSING and self.factory is _MISSING

    def options(self) -> dict[str, Any]:
        """Return the arguments for `dataclasses.field`."""
        options: dict[str, Any] = {"init": self.init, "repr": self.repr, "compare": self.compare}
        defaults = {"default": self.default, "default_factory": self.factory}
        return options | {name: value for name, value in defaults.items() if value is not _MISSING}


class _WhenAsked:
    """`__dataclass_fields__` or `__dataclass_params__` of a class, made by `dataclasses` itself at the first look."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: Any) -> Any:
        import dataclasses

        holder: Any = next(base for base in owner.__mro__ if _FIELDS in base.__dict__)
        fields: list[_Field] = getattr(holder, _FIELDS)
        names = {
            "__annotations__": {attribute.name: attribute.kind for attribute in fields},
            "__module__": holder.__module__,
        }
        made = type(
            holder.__name__, (), {"__doc__": "", **names, **{f.name: dataclasses.field(**f.options()) for f in fields}}
        )
        finished: Any = dataclasses.dataclass(frozen=holder.__setattr__ is _refuse_to_set)(made)
        holder.__dataclass_fields__ = finished.__dataclass_fields__
        holder.__dataclass_params__ = finished.__dataclass_params__
        return getattr(holder, self._name)


def _made(cls: Any, frozen: bool) -> Any:
    own = dict(cls.__dict__)
    fields = _fields_of(cls)
    setattr(cls, _FIELDS, fields)
    cls.__dataclass_fields__ = _WhenAsked("__dataclass_fields__")
    cls.__dataclass_params__ = _WhenAsked("__dataclass_params__")
    if "__match_args__" not in own:
        setattr(cls, "__match_args__", tuple(attribute.name for attribute in fields if attribute.init))  # noqa: B010 - mypy refuses it
    cls.__init__ = own.get("__init__", _init_of(cls, fields))
    cls.__repr__ = own.get("__repr__", _repr)
    if "__eq__" not in own:
        cls.__eq__ = _eq
        cls.__hash__ = own.get("__hash__") or (_hash if frozen else None)
    if frozen:
        cls.__setattr__, cls.__delattr__ = _refuse_to_set, _refuse_to_delete
    return cls


def _fields_of(cls: Any) -> list[_Field]:
    """Return the fields of the class, those of its bases first; the class keeps the defaults as its attributes."""
    fields: dict[str, _Field] = {}
    for base in reversed(cls.__mro__[1:]):
        fields |= {attribute.name: attribute for attribute in base.__dict__.get(_FIELDS, ())}
    for name, kind in cls.__dict__.get("__annotations__", {}).items():  # noqa: RUF063 - it would load `inspect`
        if str(kind).startswith(("ClassVar", "typing.ClassVar")):
            continue
        value = cls.__dict__.get(name, _MISSING)
        attribute = value if isinstance(value, _Field) else _Field(value, _MISSING, init=True, repr=True, compare=True)
        if isinstance(attribute.default, list | dict | set):
            raise ValueError(f"mutable default for field {name} is not allowed: use default_factory")  # noqa: TRY004
        attribute.name, attribute.kind = name, kind
        if attribute.default is not _MISSING:
            setattr(cls, name, attribute.default)
        elif value is not _MISSING:
            delattr(cls, name)
        fields[name] = attribute
    return list(fields.values())


def _init_of(cls: Any, fields: list[_Field]) -> Callable[..., None]:
    names = [attribute.name for attribute in fields if attribute.init]
    known = frozenset(names)
    required = frozenset(attribute.name for attribute in fields if attribute.is_required)
    defaults = {attribute.name: attribute.default for attribute in fields if attribute.default is not _MISSING}
    factories = [(attribute.name, attribute.factory) for attribute in fields if attribute.factory is not _MISSING]
    after = hasattr(cls, "__post_init__")

    def __init__(self: Any, /, *args: object, **kwargs: object) -> None:  # noqa: N807 - it becomes that method
        if (
            len(args) > len(names)
            or not known.issuperset(kwargs)
            or (args and not kwargs.keys().isdisjoint(names[: len(args)]))
        ):
            raise TypeError(_wrong_arguments(cls, names, args, kwargs))
        kwargs.update(zip(names, args, strict=False))
        if not required.issubset(kwargs):
            missing = [name for name in names if name in required and name not in kwargs]
            raise TypeError(f"{cls.__qualname__}() lacks the arguments {', '.join(missing)}")
        values = self.__dict__
        values.update(defaults)
        values.update(kwargs)
        for name, factory in factories:
            if name not in kwargs:
                values[name] = factory()  # type: ignore[operator]
        if after:
            self.__post_init__()

    return __init__


def _wrong_arguments(cls: Any, names: list[str], args: tuple[object, ...], kwargs: dict[str, object]) -> str:
    if len(args) > len(names):
        return f"{cls.__qualname__}() takes {len(names)} arguments but {len(args)} were given"
    unknown = sorted(kwargs.keys() - set(names))
    if unknown:
        return f"{cls.__qualname__}() got an unexpected keyword argument {unknown[0]!r}"
    twice = sorted(kwargs.keys() & set(names[: len(args)]))
    return f"{cls.__qualname__}() got multiple values for argument {twice[0]!r}"


def _compared(instance: Any) -> tuple[object, ...]:
    return tuple(getattr(instance, attribute.name) for attribute in getattr(instance, _FIELDS) if attribute.compare)


def _eq(self: object, other: object) -> bool:
    return _compared(self) == _compared(other) if other.__class__ is self.__class__ else NotImplemented


def _hash(self: object) -> int:
    return hash(_compared(self))


def _repr(self: object) -> str:
    shown = ", ".join(
        f"{attribute.name}={getattr(self, attribute.name)!r}" for attribute in getattr(self, _FIELDS) if attribute.repr
    )
    return f"{type(self).__qualname__}({shown})"


def _refuse_to_set(self: object, name: str, value: object) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: object, name: str) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _dataclass(cls: Any = None, /, *, frozen: bool = False) -> Any:
    return _made(cls, frozen) if cls is not None else lambda decorated: _made(decorated, frozen)


def _field(
    *,
    default: object = _MISSING,
    default_factory: object = _MISSING,
    init: bool = True,
    repr: bool = True,  # noqa: A002 - the published name
    compare: bool = True,
) -> _Field:
    if default is not _MISSING and default_factory is not _MISSING:
        raise ValueError("cannot specify both default and default_factory")
    return _Field(default, default_factory, init=init, repr=repr, compare=compare)


def _replace(instance: Any, /, **changes: object) -> Any:
    kind = type(instance)
    if _FIELDS not in kind.__dict__:  # made by `dataclasses`, perhaps on top of one of ours
        import dataclasses

        return dataclasses.replace(instance, **changes)
    for attribute in getattr(kind, _FIELDS):
        if not attribute.init and attribute.name in changes:
            raise ValueError(f"field {attribute.name} is declared with init=False and cannot be replaced")
        if attribute.init and attribute.name not in changes:
            changes[attribute.name] = getattr(instance, attribute.name)
    return kind(**changes)


if not TYPE_CHECKING:
    dataclass, field, replace = _dataclass, _field, _replace
