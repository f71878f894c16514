def is_palindrome(text: str) -> bool:
    """Tell whether text reads the same forwards and backwards.

    Only letters and digits count; upper and lower case are alike, and spaces and punctuation
    are skipped. A text without any letter or digit is a palindrome.

    >>> is_palindrome("Level")
    True
    >>> is_palindrome("hello")
    False
    """
