"""Addresses of access."""

from django.urls import path

from memoryserver.access import views

urlpatterns = [
    path("account/tokens/", views.token_page, name="tokens"),
    path("account/tokens/<int:key>/revoke/", views.revoke_token, name="token-revoke"),
    path("device/", views.device_page, name="device"),
]
