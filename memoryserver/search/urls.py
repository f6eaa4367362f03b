"""URLs of the search page."""

from django.urls import path

from memoryserver.search.views import near_equal, search_page

urlpatterns = [
    path("", search_page, name="search"),
    path("near-equal/", near_equal, name="search-near-equal"),
]
