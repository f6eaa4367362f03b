"""Which tools are offered on a laptop and over HTTP."""

from __future__ import annotations

from memorycli.mcp import catalogue


def test_names_are_unique() -> None:
    assert len({tool.name for tool in catalogue.ALL}) == len(catalogue.ALL)


def test_laptop_has_every_tool_by_its_name() -> None:
    assert catalogue.tools(on_laptop=True) == {tool.name: tool for tool in catalogue.ALL}


def test_over_http_tools_that_need_files_of_the_laptop_are_missing() -> None:
    missing = catalogue.tools(on_laptop=True).keys() - catalogue.tools(on_laptop=False).keys()

    assert missing == {tool.name for tool in catalogue.ALL if tool.laptop_only}
    assert {"start_ghap", "resolve_ghap"} <= missing
    assert "search_memory" not in missing


def test_tool_that_reads_only_is_never_destructive() -> None:
    assert [tool.name for tool in catalogue.ALL if tool.read_only and (tool.destructive or tool.idempotent)] == []
