"""A package, so that pytest adds the parent folder to Python's path for conftest.py, and not this one. Otherwise, its
torch/ would be mistaken for PyTorch where that is not installed.
"""
