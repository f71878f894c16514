"""The names that a LeetCode program finds in place, and the two node classes of its statements.

`linked` and `tree` build what a statement writes as `head = [1,2,3]` or `root = [1,null,2]`;
a node shows itself as the call that builds it, so a doctest's answer can be written the same.
"""

LEETCODE_NAMES = '''\
import bisect, collections, copy, functools, heapq, itertools, math
import operator, random, re, string, sys
from typing import *
from collections import *
from heapq import *
from bisect import *
from itertools import *
from functools import *
from operator import *
from math import *
from builtins import *


class ListNode:
    def __init__(self, val=0, next=None):
        self.val = val
        self.next = next

    def __repr__(self):
        values, node = [], self
        while node is not None and len(values) < 10_000:
            values.append(getattr(node, "val", None))
            node = getattr(node, "next", None)
        return f"linked({values})"


class TreeNode:
    def __init__(self, val=0, left=None, right=None):
        self.val = val
        self.left = left
        self.right = right

    def __repr__(self):
        values, level = [], [self]
        while any(node is not None for node in level) and len(values) < 10_000:
            values += [None if node is None else node.val for node in level]
            level = [child for node in level if node for child in (node.left, node.right)]
        while values and values[-1] is None:
            values.pop()
        return f"tree({values})"


def linked(values):
    """Build a list of nodes; None of no values."""
    head = None
    for value in reversed(values or []):
        head = ListNode(value, head)
    return head


def tree(values):
    """Build a tree of nodes by levels, None for a child that is missing."""
    values = iter(values or [])
    first = next(values, None)
    root = None if first is None else TreeNode(first)
    waiting = deque([root] if root else [])
    while waiting:
        node = waiting.popleft()
        for side in ("left", "right"):
            value = next(values, None)
            if value is not None:
                child = TreeNode(value)
                setattr(node, side, child)
                waiting.append(child)
    return root
'''
"""Python source to run before a method of `class Solution`."""
