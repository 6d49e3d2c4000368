"""An async flow engine."""
