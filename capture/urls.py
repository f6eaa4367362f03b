"""URLs of the pages of learnings and of capture."""

from django.urls import path

from capture.pages import learnings as views
from capture.review import queue_views
from capture.review import views as review_views

urlpatterns = [
    path("capture/", views.capture_page, name="capture"),
    path("learnings/", views.learning_list, name="learnings"),
    path("learnings/review/", queue_views.review_page, name="learning-review"),
    path("learnings/review/undo/", queue_views.review_undo, name="learning-review-undo"),
    path("learnings/review/<int:key>/", queue_views.review_decide, name="learning-review-decide"),
    path("learnings/contradictions/", review_views.contradiction_list, name="contradictions"),
    path("learnings/contradictions/<int:key>/", review_views.contradiction_decide, name="contradiction-decide"),
    path("learnings/<int:key>/", views.learning_page, name="learning"),
    path("learnings/<int:key>/change/", views.learning_change, name="learning-change"),
    path("learnings/<int:key>/separate/", views.learning_separate, name="learning-separate"),
    path("learnings/<int:key>/restore/", views.learning_restore, name="learning-restore"),
    path("learnings/<int:key>/delete/", views.learning_delete, name="learning-delete"),
]
