"""Ways to compute a posterior: importance sampling with gates, and NUTS."""
