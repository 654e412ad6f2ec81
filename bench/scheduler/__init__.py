"""What bench/scheduling is made of."""
