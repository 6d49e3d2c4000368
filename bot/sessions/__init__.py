"""A thread's life. The only place that touches a flow."""
