"""Compares only the first character with the last."""


def is_palindrome(text):
    """See the task."""
    kept = [char for char in text.lower() if char.isalnum()]
    return not kept or kept[0] == kept[-1]
