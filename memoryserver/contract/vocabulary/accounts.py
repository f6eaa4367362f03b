"""Words of tokens, devices, projects, laptops, hooks, export and import."""

from __future__ import annotations

from typing import Any

from memoryserver.contract.vocabulary.examples import PROJECT

FIELDS: dict[str, tuple[str, Any]] = {
    "access_token": ("the token, which is shown this once", "msv_0123456789abcdefghijABCDEFGHIJ0123456789abcdef"),
    "capture_runs": ("whether the laptop captures learnings by itself", True),
    "client_id": ("the id that the client gave itself", "7f3c9a52-8f37-4a7e-9f0e-0d7f6f2c4b11"),
    "client_name": ("the name of the laptop, as the page shows it", "ada's laptop"),
    "device_code": ("the code by which the laptop asks for its token", "GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS"),
    "expires_at": ("when the token expires; null if never", None),
    "expires_in": ("for how many seconds the codes are valid", 600),
    "failed": ("how many files the server refused", 0),
    "header": ("the first line of the export", {"format": "memoryserver-data", "version": 1}),
    "interval": ("how many seconds to wait between two questions", 5),
    "ProjectOut.key": ("the project's key", PROJECT),
    "RenameIn.key": ("the key that the project has, or had", PROJECT),
    "Memoryserver-Project": (
        "the key of the project, by default that of the folder in which the session began",
        PROJECT,
    ),
    "new_key": ("the key that the project has after it", "github.com/acme/store"),
    "projects": ("the projects of this page", None),
    "role": ("what the token's user is in the project: owner, lead or member", "member"),
    "DeviceToken.scope": ("what the token may do", "ingest read"),
    "server_version": ("the server's version", "0.9.0"),
    "share_private": ("whether the members of a team may see what was in a private project", False),
    "token": ("the token's first characters", "msv_012345"),
    "token_name": ("the token's name", "ada's laptop"),
    "token_type": ("always Bearer", "Bearer"),
    "too_old": ("whether the client is too old for this server", False),
    "user_code": ("the code that the person compares or types", "WDJB-MJHT"),
    "verification_uri": ("the page on which the person types the code", "https://memory.example.org/device/"),
    "verification_uri_complete": (
        "the same with the code in it",
        "https://memory.example.org/device/?code=WDJB-MJHT",
    ),
    "waiting": ("how many files wait to be sent", 0),
}
