"""The NinjaAPI, assembled from each app's router."""

from __future__ import annotations

from capture.api import router as capture_router
from capture.learnings_api import router as learnings_router
from capture.review.api import router as contradictions_router
from ghap.api import router as ghap_router
from ghap.exchange.api import router as entries_router
from ghap.exchange.failures_api import router as failures_router
from memoryserver import __version__, problems
from memoryserver.access.api import router as access_router
from memoryserver.accounts.api import router as accounts_router
from memoryserver.accounts.auth import NoScopeDeclared
from memoryserver.accounts.teams.api import router as teams_router
from memoryserver.accounts.transfer.api import router as transfer_router
from memoryserver.context.api import router as context_router
from memoryserver.contract.document import DescribedAPI
from memoryserver.hooks.api import router as hooks_router
from memoryserver.parsing import CleanJsonParser, OrjsonRenderer
from memoryserver.search.api import router as search_router
from memoryserver.search.lookup_api import router as lookup_router
from memoryserver.search.reading_api import router as reading_router
from obslog.api import router as obslog_router
from trajectory.api import router as trajectory_router

api = DescribedAPI(
    title="memoryserver",
    version=__version__,
    urls_namespace="api-v1",
    description="The memory that coding agents share. Every error is application/problem+json. See docs/api.md.",
    auth=NoScopeDeclared(),
    parser=CleanJsonParser(),
    renderer=OrjsonRenderer(),
)
problems.install(api)

api.add_router("/hooks", hooks_router)  # first, since patterns are tried in this order
api.add_router("", access_router)
api.add_router("", accounts_router)
api.add_router("", lookup_router)
api.add_router("", reading_router)
api.add_router("", teams_router)
api.add_router("", transfer_router)
api.add_router("/capture", capture_router)
api.add_router("/context", context_router)
api.add_router("/contradictions", contradictions_router)
api.add_router("/ghap", entries_router)
api.add_router("/ghap", failures_router)
api.add_router("/ghap", ghap_router)
api.add_router("/learnings", learnings_router)
api.add_router("/observations", obslog_router)
api.add_router("/search", search_router)
api.add_router("/trajectory", trajectory_router)
