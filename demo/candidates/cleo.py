"""Right."""


def is_palindrome(text):
    """See the task."""
    kept = [char for char in text.lower() if char.isalnum()]
    return kept == kept[::-1]
