"""Fails where there are fewer than two distinct numbers."""


def second_largest(numbers):
    """See the task."""
    return sorted(set(numbers))[-2]
