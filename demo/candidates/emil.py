"""Takes the second smallest."""


def second_largest(numbers):
    """See the task."""
    distinct = sorted(set(numbers))
    return distinct[1] if len(distinct) > 1 else None
