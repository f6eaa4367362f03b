"""The few messages of the ONNX format that describe a graph, encoded as protocol buffers.

The package `onnx` would do the same, at 60 MB. The numbers of the fields are those of
https://github.com/onnx/onnx/blob/main/onnx/onnx.proto, and ONNX Runtime refuses a graph that is not well-formed.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

FLOAT, UINT8, INT32, INT64 = 1, 2, 6, 7
"""Element types of tensors (`TensorProto.DataType`)."""

_IR_VERSION = 8
_OPSETS = {"": 17, "com.microsoft": 1}
_EXTERNAL = 1
_ATTRIBUTE_FLOAT, _ATTRIBUTE_INT = 1, 2


def node(
    operator: str, inputs: Sequence[str], outputs: Sequence[str], domain: str, attributes: Mapping[str, float]
) -> bytes:
    """Return a NodeProto; an attribute is a number, whole or not."""
    parts = [_text(1, name) for name in inputs] + [_text(2, name) for name in outputs]
    parts += [_text(3, outputs[0]), _text(4, operator)]
    parts += [_bytes(5, _attribute(name, value)) for name, value in attributes.items()]
    return b"".join([*parts, _text(7, domain)])


def external_tensor(name: str, element_type: int, shape: Sequence[int]) -> bytes:
    """Return a TensorProto whose data is handed to the runtime when the graph is loaded."""
    dims = b"".join(_number(1, size) for size in shape)
    location = _bytes(13, _text(1, "location") + _text(2, "memory"))
    return dims + _number(2, element_type) + _text(8, name) + location + _number(14, _EXTERNAL)


def value(name: str, element_type: int, shape: Sequence[str | int]) -> bytes:
    """Return a ValueInfoProto of a tensor; a size that differs from call to call is given by a name."""
    dims = b"".join(_bytes(1, _text(2, size) if isinstance(size, str) else _number(1, size)) for size in shape)
    tensor = _number(1, element_type) + _bytes(2, dims)
    return _text(1, name) + _bytes(2, _bytes(1, tensor))


def model(nodes: Sequence[bytes], tensors: Sequence[bytes], inputs: Sequence[bytes], outputs: Sequence[bytes]) -> bytes:
    """Return a ModelProto of one graph."""
    graph = b"".join(
        [
            *(_bytes(1, item) for item in nodes),
            _text(2, "encoder"),
            *(_bytes(5, item) for item in tensors),
            *(_bytes(11, item) for item in inputs),
            *(_bytes(12, item) for item in outputs),
        ]
    )
    opsets = [_bytes(8, _text(1, domain) + _number(2, version)) for domain, version in _OPSETS.items()]
    return b"".join([_number(1, _IR_VERSION), *opsets, _bytes(7, graph)])


def _attribute(name: str, value: float) -> bytes:
    if isinstance(value, int):
        return _text(1, name) + _number(3, value) + _number(20, _ATTRIBUTE_INT)
    return _text(1, name) + _varint(2 << 3 | 5) + struct.pack("<f", value) + _number(20, _ATTRIBUTE_FLOAT)


def _number(field: int, number: int) -> bytes:
    return _varint(field << 3) + _varint(number)


def _text(field: int, text: str) -> bytes:
    return _bytes(field, text.encode())


def _bytes(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _varint(number: int) -> bytes:
    number &= (1 << 64) - 1  # a negative int64 takes ten bytes
    encoded = bytearray()
    while number > 127:
        encoded.append(number & 127 | 128)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)
