"""What the tools that store something say in an excluded folder."""

from __future__ import annotations

from memorycli.mcp.place import Place
from memorycli.mcp.tool import ToolError
from memoryserver.client import exclusions, home_folder
from memoryserver.client.exclusions import Exclusions


def refuse_if_excluded(place: Place, project: str | None = None) -> None:
    """Raise ToolError if the place on the laptop is excluded, or else the named `project`, by its key."""
    if place.on_laptop and home_folder.excludes_any():
        excluded = Exclusions()
        folder = excluded.of(str(place.folder)) if project is None else project if excluded.has_project(project) else ""
        if folder:
            raise ToolError(exclusions.refusal(folder))
