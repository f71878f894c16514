"""Skips digits too."""


def is_palindrome(text):
    """See the task."""
    letters = [char for char in text.lower() if char.isalpha()]
    return letters == letters[::-1]
