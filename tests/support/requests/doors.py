"""Every address of the API and of the pages, with the status that each role gets there: see test_every_door."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

ROLES = ("nobody", "revoked", "stranger", "staff", "member", "lead", "author")
SHARED, PRIVATE = "marigold", "nightshade"
"""Words of the author's rows in the team's project, and in a private one."""

EVERYBODY = "200 200 200 200 200 200 200"
SIGNED_IN = "401 401 200 200 200 200 200"
ENTERED = "401 401 422 422 422 422 422"  # an empty body: who may send one is told what is wrong with it
PAGE = "302 302 200 200 200 200 200"
TEAM_ROW, PRIVATE_ROW = "401 401 404 404 200 200 200", "401 401 404 404 404 404 200"
TEAM_PAGE, PRIVATE_PAGE = "302 302 404 404 200 200 200", "302 302 404 404 404 404 200"


@dataclass(frozen=True)
class Door:
    """A method and an address; `shared` are the statuses by role for a row of the team, `private` for a private one."""

    method: str
    address: str
    shared: str
    private: str = ""
    query: str = ""
    data: Mapping[str, Any] | None = None


DOORS = [
    Door("GET", "api/v1/whoami", SIGNED_IN),
    Door("GET", "api/v1/capture/metrics", SIGNED_IN),
    Door("GET", "api/v1/context", SIGNED_IN, SIGNED_IN, "?project={project}"),
    Door("GET", "api/v1/context/explanation", SIGNED_IN, SIGNED_IN, "?project={project}"),
    Door("GET", "api/v1/ghap/clusters", SIGNED_IN),
    Door("GET", "api/v1/ghap/clusters/{int:key}/members", TEAM_ROW, PRIVATE_ROW, "{cluster}"),
    Door("GET", "api/v1/ghap/entries", SIGNED_IN),
    Door("GET", "api/v1/ghap/entries", SIGNED_IN, "", "?status=open"),
    Door("GET", "api/v1/ghap/entries/{ghap_id}", TEAM_ROW, PRIVATE_ROW, "{ghap_id}"),
    Door("GET", "api/v1/ghap/entries/{ghap_id}", TEAM_ROW, PRIVATE_ROW, "{open_id}"),
    Door("GET", "api/v1/ghap/failures", SIGNED_IN),
    Door("GET", "api/v1/ghap/failures/{int:key}", TEAM_ROW, PRIVATE_ROW, "{failure}"),
    Door("GET", "api/v1/ghap/failures/{int:key}/entries", TEAM_ROW, PRIVATE_ROW, "{failure}"),
    Door("PATCH", "api/v1/ghap/failures/{int:key}", TEAM_ROW, PRIVATE_ROW, "{failure}", {"state": "known"}),
    Door("GET", "api/v1/ghap/strategies", SIGNED_IN),
    Door("GET", "api/v1/projects", SIGNED_IN),
    Door("POST", "api/v1/projects/rename", ENTERED, "", "", {}),
    *(
        Door(
            "POST",
            "api/v1/projects/rename",
            shared,
            private,
            "",
            {"key": f"github.com/garden/{name}", "new_key": "github.com/garden/renamed"},
        )
        for name, shared, private in (
            ("open", "401 401 404 404 403 200 403", ""),
            ("closed", "", PRIVATE_ROW),
        )
    ),
    Door("GET", "api/v1/export", SIGNED_IN),
    Door("GET", "api/v1/export", TEAM_ROW, PRIVATE_ROW, "?project={project}"),
    Door("GET", "api/v1/learnings", SIGNED_IN, "", "?state=all"),
    Door("GET", "api/v1/learnings/{int:key}", TEAM_ROW, PRIVATE_ROW, "{learning}"),
    Door("GET", "api/v1/learnings/{int:key}/sources", TEAM_ROW, PRIVATE_ROW, "{learning}"),
    Door("GET", "api/v1/learnings/{int:key}/uses", TEAM_ROW, PRIVATE_ROW, "{learning}"),
    Door(
        "PATCH",
        "api/v1/learnings/{int:key}",
        "401 401 404 404 403 200 200",
        PRIVATE_ROW,
        "{learning}",
        {"content": "now reads differently"},
    ),
    Door(
        "DELETE",
        "api/v1/learnings/{int:key}",
        "401 401 404 404 403 403 204",
        "401 401 404 404 404 404 204",
        "{learning}",
    ),
    Door("POST", "api/v1/learnings/{int:key}/separate", "401 401 404 404 403 200 200", PRIVATE_ROW, "{learning}"),
    Door(
        "POST",
        "api/v1/learnings/{int:key}/hide",
        "401 401 404 404 403 200 200",
        PRIVATE_ROW,
        "{learning}",
        {"hidden": False},
    ),
    Door("GET", "api/v1/lookup", SIGNED_IN, SIGNED_IN, "?id=learnings/{learning}"),
    Door("GET", "api/v1/lookup", SIGNED_IN, SIGNED_IN, "?id={session}"),
    Door("GET", "api/v1/memory", SIGNED_IN, SIGNED_IN, "?id=learnings/{learning}&id=ghap/{entry}"),
    Door("GET", "api/v1/memory/{source}/{key}", TEAM_ROW, PRIVATE_ROW, "learnings/{learning}"),
    Door("GET", "api/v1/observations", SIGNED_IN, "", "?scope_ids=nightshade"),
    Door("GET", "api/v1/observations/recent", SIGNED_IN),
    Door("GET", "api/v1/search", SIGNED_IN, SIGNED_IN, "?q=marigold nightshade&mode=lexical"),
    Door("GET", "api/v1/timeline", TEAM_ROW, PRIVATE_ROW, "?id=learnings/{learning}"),
    Door("GET", "api/v1/trajectory/configuration", SIGNED_IN, SIGNED_IN, "?project={project}"),
    Door("GET", "api/v1/trajectory/sessions", SIGNED_IN),
    Door("GET", "api/v1/trajectory/sessions/{session_id}/assessment", TEAM_ROW, PRIVATE_ROW, "{session}"),
    *(
        Door("POST", f"api/v1/{path}", ENTERED, "", "", {})
        for path in (
            *(
                "capture/compactions",
                "capture/contexts",
                "capture/queue-files",
                "ghap/entries",
                "ghap/open-entries",
            ),
            *("import", "learnings"),
            *("observations", "trajectory/calls"),
        )
    ),
    Door("GET", "api/v1/contradictions", SIGNED_IN),
    Door("POST", "api/v1/contradictions/{key}/decision", "401 401 404 404 404 404 404", "", "7", {"keep": "both"}),
    Door("POST", "api/v1/device/code", EVERYBODY, "", "", {}),
    Door("POST", "api/v1/device/token", "400 400 400 400 400 400 400", "", "", {"device_code": "unknown"}),
    Door("POST", "api/v1/laptops", ENTERED, "", "", {}),
    Door("POST", "api/v1/trajectory/ends", ENTERED, "", "", {}),
    Door("POST", "api/v1/context/deliveries", ENTERED, "", "", {}),
    Door("DELETE", "api/v1/tokens/current", "401 401 204 204 204 204 204"),
    Door("POST", "api/v1/learnings/{int:key}/restore", "401 401 404 404 403 200 200", PRIVATE_ROW, "{learning}"),
    Door("POST", "api/v1/hooks/claude-code", SIGNED_IN, "", "", {}),  # an event that nobody handles
    Door("GET", "api/v1/openapi.json", EVERYBODY),
    Door("GET", "api/v1/docs", EVERYBODY),
    Door("GET", "healthz", EVERYBODY),
    # Public by design: what joins has no token yet (docs/accounts.md). Neither has anything of the server's data.
    *(Door("GET", path, EVERYBODY) for path in ("join", "join.ps1", "join/client.json", "join/client.pyz")),
    Door("GET", "readyz", "503 503 503 503 503 503 503"),
    Door("GET", "metrics", "401 401 401 200 401 401 401"),
    Door("GET", "", PAGE),
    Door("GET", "favicon.ico", "302 302 302 302 302 302 302"),
    Door("GET", "login/", "200 200 302 302 302 302 302"),
    Door("GET", "logout/", PAGE),
    *(
        Door("GET", f"{name}/", PAGE)
        for name in ("strategies", "failures", "capture", "trajectory", "trajectory/observers")
    ),
    Door("POST", "trajectory/observers/preview/", PAGE, "", "", {}),
    Door("GET", "learnings/", PAGE, "", "?state=all"),
    Door("GET", "context/", PAGE, PAGE, "?project={project}"),
    Door("GET", "search/", PAGE, "", "?q=marigold nightshade&mode=lexical"),
    Door("GET", "search/near-equal/", PAGE, PAGE, "?id=ghap/{entry}"),
    Door("GET", "clusters/", "302 302 302 302 302 302 302"),
    Door("GET", "failures/<int:key>/", TEAM_PAGE, PRIVATE_PAGE, "{failure}"),
    Door(
        "POST",
        "failures/<int:key>/change/",
        "302 302 404 404 302 302 302",
        "302 302 404 404 404 404 302",
        "{failure}",
        {"state": "known"},
    ),
    Door("POST", "failures/recount/", "302 302 302 302 302 302 302", "", "", {}),
    Door("GET", "entries/", PAGE, "", "?outcome=all"),
    Door("GET", "entries/<int:key>/", TEAM_PAGE, PRIVATE_PAGE, "{entry}"),
    Door("GET", "entries/<int:key>/similar/", TEAM_PAGE, PRIVATE_PAGE, "{entry}"),
    Door("GET", "entries/open/<int:key>/", TEAM_PAGE, PRIVATE_PAGE, "{open_entry}"),
    Door(
        *(
            "POST",
            "entries/<int:key>/quality/",
            "302 302 404 404 302 302 302",
            "302 302 404 404 404 404 302",
            "{entry}",
        ),
        {"poor": "0"},
    ),
    Door("GET", "log/", PAGE),
    Door("GET", "log/<uuid:key>/", "302 302 404 404 404 404 200", "", "{observation}"),
    Door("GET", "learnings/contradictions/", PAGE),
    Door("GET", "learnings/review/", PAGE),
    Door("POST", "learnings/review/undo/", "302 302 302 302 302 302 302", "", "", {}),
    Door(
        "POST",
        "learnings/review/<int:key>/",
        "302 302 404 404 404 302 302",
        "302 302 404 404 404 404 302",
        "{learning}",
        {"do": "keep"},
    ),
    Door("POST", "learnings/contradictions/<int:key>/", "302 302 404 404 404 404 404", "", "7", {"keep": "both"}),
    Door("GET", "learnings/<int:key>/", TEAM_PAGE, PRIVATE_PAGE, "{learning}"),
    Door("GET", "trajectory/<int:key>/", TEAM_PAGE, PRIVATE_PAGE, "{trajectory}"),
    *(
        Door(
            "POST",
            f"learnings/<int:key>/{what}/",
            f"302 302 404 404 404 {lead} 302",
            "302 302 404 404 404 404 302",
            "{learning}",
            {"pinned": "1"},
        )
        for what, lead in (("change", 302), ("separate", 302), ("restore", 302), ("delete", 404))
    ),
    Door("GET", "operations/", "302 302 404 200 404 404 404"),
    Door("POST", "operations/run/", "302 302 404 302 404 404 404", "", "", {"function": "ghap.jobs.find_clusters"}),
    Door("POST", "operations/embed/", "302 302 404 302 404 404 404", "", "", {"model": "ghap.entry"}),
    Door("GET", "account/", PAGE),
    *(Door("GET", f"account/{page}/", PAGE) for page in ("tokens", "laptops", "sessions", "two-factor")),
    Door("GET", "account/password/", PAGE),
    Door("GET", "account/address/", PAGE),
    Door("GET", "account/address/sent/", EVERYBODY),
    Door("POST", "account/name/", "302 302 302 302 302 302 302", "", "", {}),
    Door("POST", "account/time-zone/", "302 302 302 302 302 302 302", "", "", {}),
    Door("GET", "account/password/set/", "302 302 302 302 302 302 302"),
    Door("GET", "account/confirm/", PAGE),
    *(Door("GET", f"account/confirm/{page}/", "302 302 302 302 302 302 302") for page in ("mail", "code")),
    Door("GET", "account/invitations/", "302 302 403 200 403 200 403"),
    Door("POST", "account/invitations/<int:key>/withdraw/", "302 302 404 404 404 404 404", "", "7", {}),
    Door("POST", "account/tokens/<int:key>/revoke/", "302 302 404 404 404 404 302", "", "{token}", {}),
    Door("GET", "account/two-factor/webauthn/", PAGE),
    *(  # these ask for the password again, or for a second factor that nobody has
        Door("GET", f"account/two-factor/{page}/", "302 302 302 302 302 302 302", "", "7" if "<" in page else "")
        for page in (
            *("authenticate", "reauthenticate", "recovery-codes/generate", "totp/activate"),
            *("webauthn/add", "webauthn/login", "webauthn/reauthenticate"),
            *("webauthn/keys/<int:pk>/edit", "webauthn/keys/<int:pk>/remove"),
        )
    ),
    *(
        Door("GET", f"account/two-factor/{page}/", "302 302 404 404 404 404 404")
        for page in ("recovery-codes", "recovery-codes/download", "totp/deactivate")
    ),
    Door("GET", "account/asked/", PAGE),
    Door("POST", "account/weekly-mail/", "302 302 302 302 302 302 302", "", "", {"wanted": "0"}),
    Door("GET", "weekly-mail/<uuid:key>/unsubscribe/", EVERYBODY, "", "01935f4e-0000-7000-8000-000000000001"),
    Door("GET", "device/", PAGE),
    Door("GET", "signup/", "200 200 302 302 302 302 302"),
    Door("GET", "account/sso/", "302 302 404 404 404 404 404"),  # without its settings there is no single sign-on
    Door("GET", "sso/cancelled/", EVERYBODY),
    *(
        Door("GET", f"sso/<slug:provider_id>/{page}", "404 404 404 404 404 404 404", "", "openid")
        for page in ("", "callback/")
    ),
    *(Door("GET", f"{page}/", EVERYBODY) for page in ("inactive", "password/reset")),
    *(Door("GET", f"password/reset/{page}/", EVERYBODY) for page in ("done", "key/done")),
    Door("GET", "invitation/<slug:key>/", "410 410 410 410 410 410 410", "", "unknown"),
    Door(  # its pattern is a regular expression, so that no link is made of it here
        "GET", "^password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$", "404 404 404 404 404 404 404", "", "x"
    ),
    Door("GET", "^account/address/confirm/(?P<key>[-:\\w]+)/$", "404 404 404 404 404 404 404", "", "x"),
    Door("GET", "teams/", PAGE),
    Door("GET", "export/", PAGE),
    Door("GET", "export/<int:key>/", TEAM_PAGE, PRIVATE_PAGE, "{project_id}"),
    Door("GET", "teams/<int:key>/audit/", "302 302 404 404 404 200 404", "", "{team}"),
    Door("POST", "teams/<int:key>/members/", "302 302 404 404 404 302 404", "", "{team}", {"username": "charlie"}),
    Door(
        "POST",
        "teams/<int:key>/members/<int:user>/",
        "302 302 404 404 404 302 404",
        "",
        "{team}/members/{user}",
        {"role": "lead"},
    ),
    *(
        Door(
            method,
            "projects/<int:key>/move/<int:team>/",
            f"302 302 404 404 404 {status} 404",
            f"302 302 404 404 404 404 {status}",
            "{move}",
            data,
        )
        for method, status, data in (("GET", 200, None), ("POST", 302, {}))
    ),
]
