"""A package, so that pytest puts the folder above on Python's path for conftest.py, and not this one: its torch/ would
pass for PyTorch where that is not installed.
"""
