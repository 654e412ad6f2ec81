"""What scripts/try-on-a-real-cluster is made of. Python 3.9 and its standard library; docs/try-on-a-real-cluster.md."""
