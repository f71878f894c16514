def second_largest(numbers: list[int]) -> int | None:
    """Return the second largest of the distinct numbers.

    Equal numbers count once. Return None where there are fewer than two distinct numbers.

    >>> second_largest([3, 1, 2])
    2
    """
