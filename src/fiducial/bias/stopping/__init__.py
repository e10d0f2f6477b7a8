"""Fixed-width stopping: which trials of a pool are sent next, and when a bias has had enough."""
