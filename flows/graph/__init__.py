"""What a flow is, and what may run next: plain values and pure functions."""
