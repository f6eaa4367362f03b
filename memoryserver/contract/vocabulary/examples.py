"""Values that several words have as their example."""

from __future__ import annotations

TIME = "2026-01-15T14:05:00Z"
PROJECT = "github.com/crew/shop"
