"""The pages of django-allauth that this server has."""

from allauth.account import views
from allauth.socialaccount import views as social_views
from django.urls import include, path, re_path

from memoryserver.access.profile import address_page
from memoryserver.access.sso import views as sso_views

urlpatterns = [
    path("login/", views.login, name="account_login"),
    path("logout/", views.logout, name="account_logout"),
    path("signup/", views.signup, name="account_signup"),
    path("inactive/", views.account_inactive, name="account_inactive"),
    path("account/address/", address_page, name="account_email"),
    path("account/address/sent/", views.email_verification_sent, name="account_email_verification_sent"),
    re_path(r"^account/address/confirm/(?P<key>[-:\w]+)/$", views.confirm_email, name="account_confirm_email"),
    path("account/confirm/", views.reauthenticate, name="account_reauthenticate"),
    path("account/confirm/mail/", views.request_reauthentication_code, name="account_request_reauthentication_code"),
    path("account/confirm/code/", views.confirm_reauthentication_code, name="account_confirm_reauthentication_code"),
    path("account/password/", views.password_change, name="account_change_password"),
    path("account/password/set/", views.password_set, name="account_set_password"),
    path("password/reset/", views.password_reset, name="account_reset_password"),
    path("password/reset/done/", views.password_reset_done, name="account_reset_password_done"),
    re_path(
        r"^password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$",
        views.password_reset_from_key,
        name="account_reset_password_from_key",
    ),
    path("password/reset/key/done/", views.password_reset_from_key_done, name="account_reset_password_from_key_done"),
    path("account/sso/", sso_views.connections, name="socialaccount_connections"),
    path("sso/cancelled/", social_views.login_cancelled, name="socialaccount_login_cancelled"),
    path("sso/<slug:provider_id>/", sso_views.login, name="openid_connect_login"),
    path("sso/<slug:provider_id>/callback/", sso_views.callback, name="openid_connect_callback"),
    path("account/sessions/", include("allauth.usersessions.urls")),
    path("account/two-factor/", include("allauth.mfa.urls")),
]
