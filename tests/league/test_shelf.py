"""What a process keeps: so much of it, by its size, what nobody asked for the longest time goes first."""

from league.shelf import Shelf, forget_everything


def test_what_nobody_asked_for_the_longest_time_goes_first() -> None:
    shelf: Shelf[str, str] = Shelf(2)
    assert shelf.get("one") is None
    assert shelf.put("one", "1") == "1"
    shelf.put("two", "2")
    assert shelf.get("one") == "1"
    shelf.put("three", "3")
    assert (shelf.in_order(), "two" in shelf, "one" in shelf) == (["one", "three"], False, True)
    shelf.put("one", "anew")
    assert (shelf.in_order(), shelf.get("one"), len(shelf)) == (["three", "one"], "anew", 2)


def test_whether_it_is_there_is_no_asking() -> None:
    shelf: Shelf[int, int] = Shelf(2)
    shelf.put(1, 1)
    shelf.put(2, 2)
    assert 1 in shelf
    shelf.put(3, 3)
    assert shelf.in_order() == [2, 3]


def test_sizes_are_those_of_now_and_one_thing_may_be_larger_than_the_shelf() -> None:
    shelf: Shelf[str, list[int]] = Shelf(5, len)
    grows = shelf.put("grows", [1])
    shelf.put("four", [1, 2, 3, 4])
    assert shelf.in_order() == ["grows", "four"]
    grows += [2, 3]
    shelf.put("one", [1])
    assert shelf.in_order() == ["four", "one"]
    shelf.put("large", [0] * 9)
    assert shelf.in_order() == ["large"]
    shelf.put("two", [1, 2])
    assert shelf.in_order() == ["two"]


def test_everything_is_forgotten_in_one_place() -> None:
    one: Shelf[int, int] = Shelf(2)
    other: Shelf[str, str] = Shelf(2)
    one.put(1, 1)
    other.put("a", "a")
    forget_everything()
    assert (len(one), len(other), one.in_order()) == (0, 0, [])
