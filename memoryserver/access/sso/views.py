"""The way to the provider and back, and the page of what one's account is connected with."""

from __future__ import annotations

import hashlib
import logging
from typing import Any

from allauth.socialaccount import views as social_views
from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.helpers import render_authentication_error
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialLogin
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView, OAuth2LoginView
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods
from requests import RequestException

from memoryserver.access.sso.adapter import is_on

logger = logging.getLogger(__name__)


class _Adapter(OpenIDConnectOAuth2Adapter):  # type: ignore[misc]  # allauth has no types
    """Checks the signature of every id token, also of those that come from the provider directly."""

    def get_access_token_data(self, *args: Any, **kwargs: Any) -> Any:
        """Return the provider's answer; what it says is not taken for checked because of the way it came."""
        data = super().get_access_token_data(*args, **kwargs)
        self.did_fetch_access_token = False
        return data

    def complete_login(self, request: HttpRequest, app: Any, token: Any, **kwargs: Any) -> SocialLogin:
        """Return who it is, known by issuer and subject: the subjects of another provider may be the same."""
        found: SocialLogin = super().complete_login(request, app, token, **kwargs)
        said = found.account.extra_data["id_token"]
        found.account.uid = hashlib.sha256(f"{said['iss']}\n{said['sub']}".encode()).hexdigest()
        return found


@never_cache
@login_not_required
@require_http_methods(["GET", "POST"])
def login(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Lead to the provider; a GET asks first, so that no link of somebody else's starts it.

    The answer to the form is a page that goes on by itself. The Content-Security-Policy allows forms to lead to this
    server only, which includes all redirects after them.
    """
    try:
        answer: HttpResponse = OAuth2LoginView.adapter_view(_Adapter(request, provider_id))(request)
    except SocialApp.DoesNotExist as error:
        raise Http404 from error
    except (RequestException, LookupError, TypeError, ValueError) as error:
        logger.exception("the single sign-on's provider does not answer as it should")
        provider = get_adapter(request).get_provider(request, provider_id)
        return render_failure(request, provider, error)
    if isinstance(answer, HttpResponseRedirect) and not answer.url.startswith("/"):
        return render(request, "socialaccount/continue.html", {"address": answer.url})
    return answer


@never_cache
@login_not_required
@require_GET
def callback(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Take in the provider's answer: sign in, or connect it with the account of who is signed in."""
    adapter = _Adapter(request, provider_id)
    try:
        answer: HttpResponse = OAuth2CallbackView.adapter_view(adapter)(request)
    except SocialApp.DoesNotExist as error:
        raise Http404 from error
    except (LookupError, TypeError, ValueError) as error:  # its answer lacks something, or is none
        logger.exception("the single sign-on's provider does not answer as it should")
        return render_failure(request, adapter.get_provider(), error)
    return answer


@never_cache
@require_http_methods(["GET", "POST"])
def connections(request: HttpRequest) -> HttpResponse:
    """Render what the account is connected with; a POST disconnects it. 404 where there is nothing to connect."""
    if not is_on() and not SocialAccount.objects.filter(user=request.user).exists():
        raise Http404("this server has no single sign-on")
    answer: HttpResponse = social_views.connections(request)
    return answer


def render_failure(request: HttpRequest, provider: Any, error: Exception) -> HttpResponse:
    """Return the page about a provider that cannot be used."""
    answer: HttpResponse = render_authentication_error(request, provider, exception=error)
    return answer
