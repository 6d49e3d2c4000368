"""The app manifest that Placet ships."""

from __future__ import annotations

from pathlib import Path


def path() -> Path:
    """Where the manifest is: beside the package in a checkout, inside the package once installed."""
    package = Path(__file__).parent
    shipped = package / "manifest.yml"
    return shipped if shipped.exists() else package.parent / "manifest.yml"


def text() -> str:
    """The manifest, as YAML."""
    return path().read_text("utf-8")
