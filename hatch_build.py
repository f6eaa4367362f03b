"""Builds the client's wheel beside the server's, so that `python -m build` gives both.

`memoryserver-*.whl` has everything. `memorycli-*.whl` has only what a laptop runs, which needs nothing beyond the
standard library. One version and one `pyproject.toml` describe both; install one or the other, not both.
"""

from __future__ import annotations

import copy
import os
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.builders.wheel import WheelBuilder


class ClientWheel(BuildHookInterface[Any]):
    """Reads `name`, `description`, `packages` and `extras` of the client's wheel from the hook's own table."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Put the pages' files into the server's package; an editable install reads them where they are."""
        if version != "editable":
            for folder in ("templates", "static"):
                build_data["force_include"][os.path.join(self.root, folder)] = f"memoryserver/{folder}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Build the client's wheel into the folder of the wheel that was just built; not for editable installs."""
        if version != "editable":
            builder = WheelBuilder(self.root, config=self._client_config())
            list(builder.build(directory=os.path.dirname(artifact_path)))  # a generator builds when it is read

    def _client_config(self) -> dict[str, Any]:
        config: dict[str, Any] = copy.deepcopy(self.metadata.config)
        project = config["project"]
        project["name"], project["description"] = self.config["name"], self.config["description"]
        project["dependencies"] = []
        project["scripts"] = {"memory": project["scripts"]["memory"]}
        extras = project.pop("optional-dependencies")
        project["optional-dependencies"] = {name: extras[name] for name in self.config["extras"]}
        project["classifiers"] = [line for line in project["classifiers"] if "Django" not in line]
        config["tool"]["hatch"]["build"]["targets"]["wheel"] = {"only-include": self.config["packages"]}
        return config
