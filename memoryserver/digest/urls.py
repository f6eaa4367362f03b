"""URLs of the weekly mail."""

from django.urls import path

from memoryserver.digest import views

urlpatterns = [
    path("account/weekly-mail/", views.choose, name="digest-choose"),
    path("weekly-mail/<uuid:key>/unsubscribe/", views.unsubscribe, name="digest-unsubscribe"),
]
