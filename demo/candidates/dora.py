"""Skips spaces only, and says that an empty text is none."""


def is_palindrome(text):
    """See the task."""
    kept = text.lower().replace(" ", "")
    return bool(kept) and kept == kept[::-1]
