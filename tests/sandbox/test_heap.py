from consilience.sandbox.inside import heap


def test_what_is_made_after_the_holes_are_filled_lies_together():
    scattered = [bytes(400) for _ in range(4000)]
    del scattered[::2]
    kept = heap.fill_holes()
    made = [bytes(400) for _ in range(60)]
    assert kept
    assert len({id(one) // heap.POOL for one in made}) <= 3
