"""Addresses of access."""

from django.urls import path

from memoryserver.access import invitation_views, profile, views

urlpatterns = [
    path("account/", profile.profile_page, name="profile"),
    path("account/name/", profile.change_name, name="profile-name"),
    path("account/time-zone/", profile.change_time_zone, name="profile-time-zone"),
    path("account/tokens/", views.token_page, name="tokens"),
    path("account/tokens/<int:key>/revoke/", views.revoke_token, name="token-revoke"),
    path("account/invitations/", invitation_views.invitation_page, name="invitations"),
    path("account/invitations/<int:key>/withdraw/", invitation_views.withdraw, name="invitation-withdraw"),
    path("account/laptops/", views.laptop_page, name="laptops"),
    path("device/", views.device_page, name="device"),
    path("invitation/<slug:key>/", invitation_views.follow, name="invitation"),
]
