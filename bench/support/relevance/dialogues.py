"""Four long dialogues with questions, a text for each turn: the third set of `bench/relevance.py`.

`data/dialogue_N.txt` are written by hand: "@ day" begins a session, "NAME: words" is a turn, "? ..." asks about the
turn above it, "##mark" behind a turn says that it is evidence of the questions "?mark ...". "~NAME: ..." says what the
two talk about; out of that and of templates comes the small talk between the turns, about the same people and things.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from bench.support.relevance.data import Collected, Question, Text

DATA = Path(__file__).parent.parent.parent / "data"
NAMES = ("dialogue_1", "dialogue_2", "dialogue_3", "dialogue_4")

_SMALL_TALK = 4  # turns of it to each that is written by hand

_OTHERS = {
    "dialogue_1": ("Carla", "Leo", "Nina", "Sam", "Gus", "Aisha", "Pepper", "Olive"),
    "dialogue_2": ("Fiona", "Jonas", "Matilda", "Tesla"),
    "dialogue_3": ("Zoe", "Milo", "Jada", "Felix", "Sarge", "Gerald"),
    "dialogue_4": ("Alfonso", "Mateo", "Amir", "Inés", "Yumi", "Dr. Lindqvist"),
}
_DAYS = ("weekend", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday", "week", "summer")

# o: the other one, t: what they talk about (T with a capital), w: a time, n: a number, f: a friend
_ABOUT = """\
That sounds great, {o}! {T} really seems to make you happy.
Wow, {o}, that's awesome. How long have you been into {t}?
I totally get it, {t} helps me unwind too.
Thanks, {o}! It means a lot that you ask about {t}.
{T} has been keeping me busy lately, but I can't complain.
So glad to hear that, {o}! Keep me posted about {t}.
I was just thinking about {t} the other day.
Yeah, {t} can be a lot sometimes. Take it easy, okay?
What do you like most about {t}?
That's so inspiring! I wish I had your energy for {t}.
Last {w} I finally had some time for {t}, and it felt so good.
Honestly, without {t} this year would have been much harder.
Do you have any pictures? I'd love to see more of {t}.
Here's a photo of {t} from last {w}. Isn't it lovely?
I told everyone at home about you and {t}, they were impressed.
No way! And what did the others say about {t}?
It was tough at first, but {t} taught me to be patient.
I'm so proud of you, {o}. With {t} you've come a long way.
Sounds like a plan! Let me know how it goes with {t}.
We should do something together soon, maybe something with {t}?
I've got some plans for {t} next {w}, wish me luck!
Any advice for someone who is new to {t}?
Start small and be kind to yourself, that's what {t} taught me.
It's amazing how {t} brings people together, {o}.
I couldn't have done it without my friends. {T} means everything to me.
Good luck with {t} on {w}! You've got this.
How's everything going with {t}?
{T} is going well, thanks for asking. A bit slow, but well.
Aww, that's so sweet. {T} must have been a nice surprise.
I had a rough {w}, and {t} was the one thing that cheered me up.
My favourite memory this year has to do with {t}, I think.
Did you always want to have {t} in your life?
When I was a child my parents never understood {t}.
I read something about {t} yesterday and thought of you, {o}.
Sorry to hear that, {o}. Maybe {t} can take your mind off things?
Same here, I've been spending every {w} on {t}.
Absolutely! There's nothing like {t} after a long day.
What made you start with {t}?
I started with {t} about {n} years ago, right after school.
I spent {n} dollars on {t} last month, don't tell anyone.
We're meeting some friends on {w}, so no {t} this time.
It's been {n} days since I last thought of {t}, and I miss it.
{T} again! You really never get tired of it, do you?
I bought a new book about {t} and can't put it down.
Next month I want to take {t} more seriously.
My friend {f} is crazy about {t} too, you two should talk.
{f} asked me about you and {t} the other day.
Went to see {f} on {w}, we talked about {t} for hours.
How did you and {f} get along on {w}?
{f} has been a great support through all of this.
{f} sends greetings, by the way!
{f} and I are going to the park on {w}, want to join us?
I made dinner for {f} last night and burned half of it.
{f} gave me a ticket for a concert on {w}.
I'm a bit worried about {f} these days, to be honest.
What does {f} think about {t}?
Work was crazy this {w}, I didn't get to do anything for {t}.
The weather was awful on {w}, so {t} had to wait.
""".splitlines()

_ANYHOW = """\
Hey {o}! How have you been? It's been a while.
Bye {o}, take care! Talk to you soon.
Haha, you always know how to make me laugh.
Thanks so much, {o}, you're a great friend.
Absolutely, couldn't agree more.
Wow, that's amazing! Tell me more.
Oh, that's tough. Hang in there!
Good point. I never thought of it that way.
Have a lovely {w}, {o}!
Exactly! Life is too short for that.
Sure, I'd love to. When works for you?
I'll think about it and let you know on {w}.
Me too. It gets easier with time.
""".splitlines()


def dialogue(name: str) -> Collected:
    """That of `name`, the same at each call."""
    lines = (DATA / f"{name}.txt").read_text("utf-8").splitlines()
    topics = {
        who: subjects.split(" | ")
        for who, _, subjects in (line[1:].partition(": ") for line in lines if line.startswith("~"))
    }
    talk = _talk(name, topics)
    texts: list[Text] = []
    asked: list[tuple[str, str]] = []  # the words, and the mark or key of the evidence
    marked: dict[str, set[str]] = {}
    turn = ""
    for line in lines:
        if line.startswith("?"):
            mark, _, words = line[1:].partition(" ")
            asked.append((words, mark or turn))
        elif line and line[0] not in "~@":
            spoken, *marks = line.split(" ##")
            turn = f"{name}-{len(texts)}"
            for mark in marks:
                marked.setdefault(mark, set()).add(turn)
            texts.append(Text(turn, spoken))
            texts += [Text(f"{name}-{len(texts) + number}", next(talk)) for number in range(_SMALL_TALK)]
    return Collected(texts, [Question(words, frozenset(marked.get(mark, {mark}))) for words, mark in asked])


def _talk(name: str, topics: Mapping[str, Sequence[str]]) -> Iterator[str]:
    chance = random.Random(name)
    people = list(topics)
    while True:
        speaker, other = chance.sample(people, 2)
        subject = chance.choice(topics[chance.choice(people)])
        if chance.random() < 0.5:
            subject = subject.replace("my ", "your ")
        said = chance.choice(_ABOUT if chance.random() < 0.85 else _ANYHOW).format(
            o=other,
            t=subject,
            T=subject[0].upper() + subject[1:],
            w=chance.choice(_DAYS),
            n=chance.randint(2, 40),
            f=chance.choice(_OTHERS[name]),
        )
        yield f"{speaker}: {said}"
