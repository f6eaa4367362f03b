"""URL of the home page."""

from django.urls import path

from memoryserver.home import views

urlpatterns = [path("", views.home, name="home")]
