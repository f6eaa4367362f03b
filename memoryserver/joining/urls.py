"""Addresses that a laptop fetches to join."""

from django.urls import path

from memoryserver.joining import views

urlpatterns = [
    path("join", views.shell_script, name="join"),
    path("join.ps1", views.powershell_script, name="join-powershell"),
    path("join/client.json", views.client_facts, name="client-facts"),
    path("join/client.pyz", views.client_file, name="client-file"),
]
