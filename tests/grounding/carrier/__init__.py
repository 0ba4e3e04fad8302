"""What carries requests to providers, over real HTTP."""
