"""URLs of the search page."""

from django.urls import path

from memoryserver.search.views import search_page

urlpatterns = [path("", search_page, name="search")]
