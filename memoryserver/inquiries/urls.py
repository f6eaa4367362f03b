"""URL of the page of inquiries."""

from django.urls import path

from memoryserver.inquiries import views

urlpatterns = [path("account/asked/", views.inquiry_list, name="inquiries")]
