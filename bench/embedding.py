"""What embedding costs: by torch, by ONNX Runtime, in whole numbers, over the socket of the embedding process.

    python bench/embedding.py [--questions 60] [--server]

Rows `questions, ...`: questions a second by ONNX Runtime to those by torch (both by one thread in this process), by
int8 to ONNX Runtime, and over the socket to in this process. Row `a question during a batch`: time of a question
while another client has the embedding process embed long texts, to its time without. Row `batches`: texts a second of
such a batch over the socket, to torch in this process with all cores. Rows `memory, ...`: proportional set size of the
embedding process to that of one with torch. Row `recall of int8`: of the ten nearest of some hundred sentences, the
part that a question embedded in int8 finds too. With `--server`, row `idle server`: the proportional set size of all
processes of `manage.py up`, to 500 MB. The last line is JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

LIMIT = 120.0  # seconds to start
GOAL = 500.0  # megabytes of an idle server


def main() -> None:
    """Print the figures and the line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--server", action="store_true", help="start a whole server too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"MEMORYSERVER_DATA": folder, "DJANGO_SETTINGS_MODULE": "memoryserver.settings"}
        os.environ.pop("MEMORYSERVER_EMBEDDING_SERVICE", None)
        rows = measure(Path(folder), options.questions)
        if options.server:
            rows.append(idle_server(Path(folder) / "server"))
    print(json.dumps({"bench": "embedding", "rows": rows}))


def measure(folder: Path, count: int) -> list[dict[str, Any]]:
    from memoryserver.embedding.bundled import BUNDLED_MODEL
    from memoryserver.embedding.onnx.service import OnnxService
    from memoryserver.embedding.sentence_transformer import SentenceTransformerService
    from memoryserver.embedding.shared.client import SharedService

    torch, onnx = SentenceTransformerService(BUNDLED_MODEL), OnnxService(BUNDLED_MODEL, int8=False)
    int8 = OnnxService(BUNDLED_MODEL, int8=True)
    texts = sentences()
    questions = [f"{text[:60]} {number}?" for number, text in enumerate(texts[:count])]
    long = ["the backup of the database holds a lock that the export waits for " * 20] * 256
    with process(folder / "onnx.sock") as pid:
        shared = SharedService(BUNDLED_MODEL, str(folder / "onnx.sock"))
        times = in_turns(questions, {"torch": torch, "onnx": onnx, "int8": int8, "socket": shared})
        small = proportional_set_size(pid)
        during = question_during(shared, questions, long)
        by_socket = rate(shared, long)
    by_torch = rate(torch, long)
    with process(folder / "torch.sock", MEMORYSERVER_EMBEDDING_SERVICE="sentence-transformers") as pid:
        wait_for(folder / "torch.sock")
        large = proportional_set_size(pid)
    print(f"    one question: {', '.join(f'{name} {1000 * value:.1f} ms' for name, value in times.items())}")
    print(f"    during a batch over the socket: {1000 * during:.1f} ms")
    print(f"    long texts: {by_socket:.1f} a second over the socket, {by_torch:.1f} by torch")
    print(f"    embedding process: {small:.0f} MB, by torch {large:.0f} MB")
    return [
        row("questions, onnx beside torch", times["torch"] / times["onnx"]),
        row("questions, int8 beside onnx", times["onnx"] / times["int8"]),
        row("questions, socket beside in the process", times["onnx"] / times["socket"]),
        row("a question during a batch", during / times["socket"]),
        row("batches, socket beside torch", by_socket / by_torch),
        row("memory, onnx beside torch", small / large),
        row("recall of int8", recall(onnx, int8, texts)),
    ]


def row(what: str, ratio: float) -> dict[str, Any]:
    return {"what": what, "ratio": round(ratio, 4)}


def sentences() -> list[str]:
    """Some hundred sentences of the documents."""
    text = "\n\n".join(path.read_text() for path in sorted((ROOT / "docs").glob("*.md")))
    parts = [part.strip() for part in re.split(r"(?<=[.:;])\s+|\n\n", text)]
    return [part for part in parts if 20 < len(part) < 600][:600]


def in_turns(questions: Sequence[str], services: dict[str, Any]) -> dict[str, float]:
    """Median seconds of a question by each service, asked in turns."""
    for service in services.values():
        service.embed("warm")
    times: dict[str, list[float]] = {name: [] for name in services}
    for question in questions:
        for name, service in services.items():
            times[name].append(seconds(partial(service.embed, question)))
    return {name: statistics.median(values) for name, values in times.items()}


def question_during(shared: Any, questions: Sequence[str], long: Sequence[str]) -> float:
    """Median seconds of a question while another thread embeds `long` again and again."""
    finished = threading.Event()

    def embed() -> None:
        while not finished.is_set():
            shared.embed_batch(long[:64])

    thread = threading.Thread(target=embed)
    thread.start()
    time.sleep(0.2)
    times = [seconds(partial(shared.embed, question)) for question in questions]
    finished.set()
    thread.join()
    return statistics.median(times)


def rate(service: Any, texts: Sequence[str]) -> float:
    return len(texts) / seconds(lambda: service.embed_batch(texts))


def recall(onnx: Any, int8: Any, texts: Sequence[str]) -> float:
    import numpy as np

    exact, close = np.array(onnx.embed_batch(texts)), np.array([int8.embed(text) for text in texts])
    true, found = (np.argsort(-(vectors @ exact.T), axis=1)[:, :10] for vectors in (exact, close))
    return statistics.mean(len(set(a) & set(b)) / 10 for a, b in zip(true.tolist(), found.tolist(), strict=True))


def seconds(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


@contextmanager
def process(socket: Path, **variables: str) -> Iterator[int]:
    """Run an embedding process at `socket`; its process id, once the model is loaded and memory was released."""
    environment = {**os.environ, "MEMORYSERVER_EMBEDDING_SOCKET": str(socket), "MEMORYSERVER_LOG_LEVEL": "WARNING"}
    running = subprocess.Popen([sys.executable, str(ROOT / "manage.py"), "embedding"], env=environment | variables)
    try:
        wait_for(socket)
        time.sleep(3)
        yield running.pid
    finally:
        running.terminate()
        running.wait()


def wait_for(socket: Path) -> None:
    from memoryserver.embedding.base import EmbeddingUnavailableError
    from memoryserver.embedding.bundled import BUNDLED_MODEL
    from memoryserver.embedding.shared.client import SharedService

    deadline = time.monotonic() + LIMIT
    while True:
        try:
            return SharedService(BUNDLED_MODEL, str(socket)).load()
        except EmbeddingUnavailableError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def proportional_set_size(pid: int) -> float:
    """Megabytes."""
    text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return int(re.findall(r"^Pss:\s+(\d+)", text, re.MULTILINE)[0]) / 1024


def idle_server(data_dir: Path) -> dict[str, Any]:
    """Start a server, and add up its processes, Postgres' among them, when it has been idle for some seconds."""
    from tests.support.processes.server_process import Server

    server = Server(data_dir).start()
    try:
        server.wait_until_ready()
        time.sleep(15)
        sizes = {pid: proportional_set_size(pid) for pid in family(server.process.pid)}
    finally:
        server.stop()
    print(f"    idle server: {sum(sizes.values()):.0f} MB in {len(sizes)} processes")
    return row("idle server", sum(sizes.values()) / GOAL)


def family(pid: int) -> list[int]:
    """The process and all below it."""
    children = " ".join(path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/children"))
    return [pid, *(other for child in children.split() for other in family(int(child)))]


if __name__ == "__main__":
    main()
