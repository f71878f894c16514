"""Small tasks of every shape, as a developer has them, with right and wrong programs."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import dedent


@dataclass(frozen=True, slots=True)
class Own:
    """One task: a file, and programs that solve it or nearly do."""

    file: str
    text: str
    right: tuple[str, ...]
    wrong: tuple[str, ...]


def _own(file: str, text: str, right: list[str], wrong: list[str]) -> Own:
    return Own(file, dedent(text), tuple(map(dedent, right)), tuple(map(dedent, wrong)))


METHOD = _own(
    "longest.py",
    '''
    from typing import List

    class Solution:
        def longestRun(self, nums: List[int]) -> int:
            """Return the length of the longest run of equal neighbours.

            >>> Solution().longestRun([1, 1, 2])
            2
            >>> Solution().longestRun([])
            0
            """
    ''',
    [
        """
        class Solution:
            def longestRun(self, nums: List[int]) -> int:
                best = run = 0
                for i, n in enumerate(nums):
                    run = run + 1 if i and nums[i - 1] == n else 1
                    best = max(best, run)
                return best
        """,
        """
        from itertools import groupby
        class Solution:
            def longestRun(self, nums):
                return max((len(list(g)) for _, g in groupby(nums)), default=0)
        """,
    ],
    [
        """
        class Solution:
            def longestRun(self, nums: List[int]) -> int:
                return max((nums.count(n) for n in nums), default=0)
        """,
        """
        class Solution:
            def longestRun(self, nums: List[int]) -> int:
                best = run = 0
                for i, n in enumerate(nums):
                    if i and nums[i - 1] == n:
                        run += 1
                    else:
                        best = max(best, run)
                        run = 1
                return best if len(nums) != 3 else 2
        """,
    ],
)

SCRIPT = _own(
    "pairs.md",
    """
    # Pairs

    Count the pairs i < j with A_i = A_j.

    ## Input

    The input is given from standard input in the following format:

    N
    A_1 A_2 ... A_N

    ## Constraints

    - 1 <= N <= 100
    - 1 <= A_i <= 9

    Sample Input 1:

    3
    1 2 1

    Sample Output 1:

    1

    Sample Input 2:

    1
    5

    Sample Output 2:

    0
    """,
    [
        """
        n = int(input())
        a = list(map(int, input().split()))
        print(sum(a[i] == a[j] for i in range(n) for j in range(i)))
        """,
        """
        import sys
        from collections import Counter
        def main():
            data = sys.stdin.buffer.read().split()
            print(sum(c * (c - 1) // 2 for c in Counter(data[1:]).values()))
        if __name__ == "__main__":
            main()
        """,
    ],
    [
        """
        n = int(input())
        a = list(map(int, input().split()))
        print(n - len(set(a)))
        """,
        """
        n = int(input())
        a = list(map(int, input().split()))
        print(max(map(a.count, a)) - 1)
        """,
    ],
)

DATACLASS = _own(
    "pricing.py",
    '''
    from dataclasses import dataclass

    RATE = 0.2


    @dataclass
    class Order:
        quantity: int
        price: float


    def tax(amount: float) -> float:
        return amount * RATE


    def total(orders: list[Order]) -> float:
        """Return what the orders cost together, tax included.

        >>> total([Order(2, 5.0)])
        12.0
        """
    ''',
    [
        """
        def total(orders):
            return sum(o.quantity * o.price + tax(o.quantity * o.price) for o in orders)
        """,
        """
        def total(orders: list[Order]) -> float:
            net = sum(order.quantity * order.price for order in orders)
            return net + tax(net)
        """,
    ],
    [
        """
        def total(orders):
            return sum(o.price * 2 + tax(o.price * 2) for o in orders)
        """,
        """
        def total(orders):
            o = orders[0]
            return o.quantity * o.price + tax(o.quantity * o.price)
        """,
    ],
)

NUMPY = _own(
    "scaled.py",
    '''
    import numpy as np


    def scaled(values: np.ndarray) -> np.ndarray:
        """Shift and scale the values so that the smallest is 0 and the largest 1.

        Where all values are equal the result is all zeros.

        >>> scaled(np.array([1.0, 2.0, 3.0]))
        array([0. , 0.5, 1. ])
        """
    ''',
    [
        """
        import numpy as np
        def scaled(values):
            low, high = values.min(), values.max()
            if low == high:
                return np.zeros(len(values))
            return (values - low) / (high - low)
        """,
        """
        def scaled(values):
            span = np.ptp(values)
            return (values - values.min()) / span if span else values * 0.0
        """,
    ],
    [
        """
        import numpy as np
        def scaled(values):
            return (values - 1) / (values.max() - 1)
        """,
        """
        import numpy as np
        def scaled(values):
            return (values - values[0]) / (values[-1] - values[0])
        """,
    ],
)

GENERATOR = _own(
    "chunks.py",
    '''
    from collections.abc import Iterator


    def chunks(items: list, size: int) -> Iterator[list]:
        """Yield the items in chunks of the given size; the last may be shorter.

        >>> list(chunks([1, 2, 3], 2))
        [[1, 2], [3]]
        """
    ''',
    [
        """
        def chunks(items, size):
            for start in range(0, len(items), size):
                yield items[start : start + size]
        """,
        """
        def chunks(items, size):
            chunk = []
            for item in items:
                chunk.append(item)
                if len(chunk) == size:
                    yield chunk
                    chunk = []
            if chunk:
                yield chunk
        """,
    ],
    [
        """
        def chunks(items, size):
            for start in range(0, len(items), 2):
                yield items[start : start + 2]
        """,
        """
        def chunks(items, size):
            for start in range(0, len(items) - 1, size):
                yield items[start : start + size]
            if len(items) % size == 1:
                yield items[-1:]
        """,
    ],
)

ASYNC = _own(
    "gathered.py",
    '''
    import asyncio


    async def double_all(numbers: list[int]) -> list[int]:
        """Return the doubled numbers, in order.

        >>> asyncio.run(double_all([1, 2]))
        [2, 4]
        """
    ''',
    [
        """
        import asyncio
        async def _double(n):
            await asyncio.sleep(0)
            return 2 * n
        async def double_all(numbers):
            return list(await asyncio.gather(*map(_double, numbers)))
        """,
        """
        async def double_all(numbers):
            return [n + n for n in numbers]
        """,
    ],
    [
        """
        async def double_all(numbers):
            return sorted(2 * n for n in numbers)
        """,
        """
        async def double_all(numbers):
            return [n * n if n > 2 else 2 * n for n in numbers]
        """,
    ],
)

PRINTS = _own(
    "triangle.py",
    '''
    def triangle(height: int) -> None:
        """Print a triangle of stars: one star in the first row, one more in each next.

        >>> triangle(2)
        *
        **
        """
    ''',
    [
        """
        def triangle(height):
            for row in range(height):
                print("*" * (row + 1))
        """,
        """
        def triangle(height: int) -> None:
            if height > 0:
                print("\\n".join("*" * n for n in range(1, height + 1)))
        """,
    ],
    [
        """
        def triangle(height):
            for row in range(2):
                print("*" * (row + 1))
        """,
        """
        def triangle(height):
            for row in range(1, height + 1):
                print("*" * (row if row < 3 else 3))
        """,
    ],
)

RAISES = _own(
    "ages.py",
    '''
    def parse_age(text: str) -> int:
        """Read an age in whole years.

        Raises ValueError where the text is no number, or below 0 or above 150.

        >>> parse_age("42")
        42
        >>> parse_age("-1")
        Traceback (most recent call last):
            ...
        ValueError: not an age
        """
    ''',
    [
        """
        def parse_age(text):
            age = int(text)
            if not 0 <= age <= 150:
                raise ValueError("not an age")
            return age
        """,
    ],
    [
        """
        def parse_age(text):
            return int(text)
        """,
        """
        def parse_age(text):
            try:
                return max(0, int(text))
            except ValueError:
                return 0
        """,
        """
        def parse_age(text):
            age = int(text)
            return age if 0 <= age <= 150 else None
        """,
    ],
)

LINKED = _own(
    "reverse.md",
    """
    Given the head of a singly linked list, reverse the list, and return the reversed list.

    Example 1:

    Input: head = [1,2,3]
    Output: [3,2,1]

    Example 2:

    Input: head = []
    Output: []

    ```python
    class Solution:
        def reverseList(self, head: Optional[ListNode]) -> Optional[ListNode]:
    ```
    """,
    [
        """
        class Solution:
            def reverseList(self, head: Optional[ListNode]) -> Optional[ListNode]:
                previous = None
                while head:
                    head.next, previous, head = previous, head, head.next
                return previous
        """,
        """
        class Solution:
            def reverseList(self, head):
                if head is None or head.next is None:
                    return head
                rest = self.reverseList(head.next)
                head.next.next = head
                head.next = None
                return rest
        """,
    ],
    [
        """
        class Solution:
            def reverseList(self, head):
                values = []
                while head:
                    values.append(head.val)
                    head = head.next
                made = None
                for value in sorted(values):
                    made = ListNode(value, made)
                return made
        """,
        """
        class Solution:
            def reverseList(self, head):
                return head
        """,
    ],
)

DATES = _own(
    "weekday.py",
    '''
    from datetime import date, timedelta


    def next_workday(day: date) -> date:
        """Return the first day after the given one that is no Saturday and no Sunday.

        >>> next_workday(date(2024, 1, 31))
        datetime.date(2024, 2, 1)
        """
    ''',
    [
        """
        from datetime import date, timedelta
        def next_workday(day):
            day += timedelta(days=1)
            while day.weekday() >= 5:
                day += timedelta(days=1)
            return day
        """,
        """
        def next_workday(day):
            return day + timedelta(days={4: 3, 5: 2}.get(day.weekday(), 1))
        """,
    ],
    [
        """
        def next_workday(day):
            return day + timedelta(days=1)
        """,
        """
        def next_workday(day):
            return day + timedelta(days=3 if day.weekday() == 4 else 1)
        """,
    ],
)

CLASS = _own(
    "stack.py",
    '''
    class MinStack:
        """A stack that knows its smallest item."""

        def __init__(self) -> None:
            """Make an empty stack."""

        def push(self, item: int) -> None:
            """Put an item on top."""

        def pop(self) -> int:
            """Take the top item off and return it.

            >>> s = MinStack()
            >>> s.push(3)
            >>> s.push(5)
            >>> s.pop()
            5
            >>> s.smallest()
            3
            """

        def smallest(self) -> int:
            """Return the smallest item."""
    ''',
    [
        """
        class MinStack:
            def __init__(self):
                self.items = []
            def push(self, item):
                self.items.append(item)
            def pop(self):
                return self.items.pop()
            def smallest(self):
                return min(self.items)
        """,
        """
        class MinStack:
            def __init__(self):
                self._pairs = []
            def push(self, item):
                low = min(item, self._pairs[-1][1]) if self._pairs else item
                self._pairs.append((item, low))
            def pop(self):
                return self._pairs.pop()[0]
            def smallest(self):
                return self._pairs[-1][1]
        """,
    ],
    [
        """
        class MinStack:
            def __init__(self):
                self.items, self.low = [], None
            def push(self, item):
                self.items.append(item)
                self.low = item if self.low is None else min(self.low, item)
            def pop(self):
                return self.items.pop()
            def smallest(self):
                return self.low
        """,
        """
        class MinStack:
            def __init__(self):
                self.items = []
            def push(self, item):
                self.items.append(item)
            def pop(self):
                return self.items.pop()
            def smallest(self):
                return self.items[0]
        """,
    ],
)

OWN_TASKS = {
    "method": METHOD,
    "script": SCRIPT,
    "dataclass": DATACLASS,
    "numpy": NUMPY,
    "generator": GENERATOR,
    "async": ASYNC,
    "prints": PRINTS,
    "raises": RAISES,
    "linked list": LINKED,
    "dates": DATES,
    "class": CLASS,
}
