from __future__ import annotations

from django.contrib import admin


def test_browsers_and_second_factors_of_people_are_not_in_the_admin() -> None:
    labels = {model._meta.app_label for model in admin.site._registry}

    assert labels & {"account", "mfa", "socialaccount", "usersessions"} == set()
