"""The encoded messages, read by ONNX Runtime."""

from __future__ import annotations

import numpy as np
import onnxruntime
import pytest

from memoryserver.embedding.onnx import wire


def run(model: bytes, inputs: dict[str, object], **tensors: np.ndarray) -> list[list[float]]:
    options = onnxruntime.SessionOptions()
    values = [onnxruntime.OrtValue.ortvalue_from_numpy(tensor) for tensor in tensors.values()]
    options.add_external_initializers(list(tensors), values)
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    result: list[list[float]] = session.run(None, inputs)[0].tolist()
    return result


def test_graph_with_a_constant_computes() -> None:
    model = wire.model(
        [wire.node("MatMul", ["x", "w"], ["y"], "", {})],
        [wire.external_tensor("w", wire.FLOAT, [2, 300])],
        [wire.value("x", wire.FLOAT, ["rows", 2])],
        [wire.value("y", wire.FLOAT, ["rows", 300])],
    )
    constant = np.arange(600, dtype=np.float32).reshape(2, 300)

    result = run(model, {"x": np.array([[1, 0], [0, 2]], np.float32)}, w=constant)

    assert result == [constant[0].tolist(), (2 * constant[1]).tolist()]


@pytest.mark.parametrize(
    ("operator", "attributes", "expected"),
    [
        ("LeakyRelu", {"alpha": 0.5}, [[-1.0, 3.0]]),
        ("Softmax", {"axis": -2}, [[1.0, 1.0]]),
        ("Flatten", {"axis": 0}, [[-2.0, 3.0]]),
    ],
    ids=["number", "negative whole number", "zero"],
)
def test_attribute_arrives_as_it_is(operator: str, attributes: dict[str, float], expected: list[list[float]]) -> None:
    model = wire.model(
        [wire.node(operator, ["x"], ["y"], "", attributes)],
        [],
        [wire.value("x", wire.FLOAT, [1, 2])],
        [wire.value("y", wire.FLOAT, [1, 2])],
    )

    assert run(model, {"x": np.array([[-2, 3]], np.float32)}) == expected
