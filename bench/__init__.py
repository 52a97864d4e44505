"""Speeds as ratios in one run: `python -m bench` (or `make bench`)."""
