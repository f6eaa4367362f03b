"""Questions without an answer, for the floor of search: what they find should be nothing.

Of the gibberish and of the questions about anything else, the first half chose the floor and the second was held out.
Harder are the questions of one set asked of another, which is about other people or another team.
"""

from __future__ import annotations

import random
import string
from collections.abc import Iterator, Sequence

from memoryserver.home.intervals import wilson

_CHOSEN_ON = """\
how do I bake a chocolate cake without eggs
who won the football world cup in 1998
capital of Mongolia
what is the boiling point of mercury
best hiking boots for wide feet
symptoms of a vitamin D deficiency
how far away is the moon
lyrics of Bohemian Rhapsody
when was the French revolution
how to prune roses in winter
tax rates for married couples in Denmark
what do penguins eat
recipe for pad thai
train from Vienna to Prague timetable
how does photosynthesis work
who painted the Mona Lisa
translate good morning to Swahili
average rainfall in the Amazon
dosage of ibuprofen for children
price of gold per ounce
""".splitlines()

_HELD_OUT = """\
how tall is the Eiffel tower
which planet has the most moons
rules of cricket for beginners
how long do tortoises live
who wrote the Divine Comedy
what causes the northern lights
cheapest flights to Buenos Aires
how to remove red wine from a carpet
population of Iceland in 1950
difference between alligators and crocodiles
who invented the telephone
how many bones has a human hand
conjugation of the French verb savoir
which wine goes with oysters
depth of the Mariana trench
history of the Ottoman empire
how to tie a bow tie
what is a black hole made of
winner of the Eurovision song contest 1974
is it safe to eat raw mushrooms
""".splitlines()


def unanswerable() -> dict[str, list[str]]:
    """The kinds of questions that nothing answers."""
    gibberish = list(_gibberish(random.Random(7)))
    return {
        "gibberish": gibberish[:60],
        "gibberish, held out": gibberish[60:],
        "something else": _CHOSEN_ON,
        "something else, held out": _HELD_OUT,
    }


def _gibberish(chance: random.Random) -> Iterator[str]:
    yield from ("zzzqqq", "asdfghjkl")
    for number in range(118):
        yield " ".join(
            "".join(chance.choices(string.ascii_lowercase, k=chance.randint(4, 10))) for _ in range(1 + number % 3)
        )


def shown(count: int, of: int) -> str:
    """A share with its interval, as 0.012 (0.005 to 0.026)."""
    low, high = wilson(count, of)
    return f"{count / of:.3f} ({max(low, 0):.3f} to {high:.3f})"


def mean(numbers: Sequence[int]) -> float:
    """The mean of `numbers`."""
    return sum(numbers) / len(numbers)
