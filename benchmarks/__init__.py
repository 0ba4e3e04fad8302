"""Figures beside their floor, both measured in the same run. `make bench` prints all."""
