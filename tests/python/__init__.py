"""Tests of the Python package. A package, so that its conftest is not taken for that of other tests."""
