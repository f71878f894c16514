import pytest

from consilience.uncertainty.wordpiece import WordPiece, words

VOCABULARY = """[PAD]
[UNK]
[CLS]
[SEP]
[MASK]
def
ret
##urn
##s
x
+
1
_
e
你
∑"""


@pytest.fixture
def pieces(tmp_path):
    (tmp_path / "vocab.txt").write_text(VOCABULARY, "utf-8")
    return WordPiece(tmp_path / "vocab.txt")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("DEF x", ["def", "x"]),
        ("a_b+1", ["a", "_", "b", "+", "1"]),
        ("É\u0301", ["e"]),
        ("a你b", ["a", "你", "b"]),
        ("a\u2028b\u00a0c\u3000d", ["a", "b", "c", "d"]),
        ("a\x0bb\x00c\u200bd\ufffde", ["abcde"]),
        ("\u03a3\u0391\u03a3", ["\u03c3\u03b1\u03c3"]),
        ("«x»", ["«", "x", "»"]),
        ("a∑b", ["a∑b"]),
        ("\u12b1", ["\u12b1"]),
        ("", []),
        (" \t\r\n", []),
    ],
)
def test_words_follow_berts_rules(text, expected):
    assert words(text) == expected


def test_the_longest_piece_wins_and_unknown_words_are_one_token(pieces):
    assert pieces.tokenize("returns x+1") == [6, 7, 8, 9, 10, 11]
    assert pieces.tokenize("rest x") == [1, 9]
    assert pieces.tokenize("x" * 101) == [1]
    assert pieces.tokenize("") == []


def test_special_tokens_in_a_text_are_themselves(pieces):
    assert pieces.tokenize("x[SEP]x [MASK]") == [9, 3, 9, 4]
    assert (pieces.begin, pieces.end) == (2, 3)
