"""Compares the text as it stands: forgets that spaces and punctuation are skipped."""


def is_palindrome(text):
    """See the task."""
    text = text.lower()
    return text == text[::-1]
