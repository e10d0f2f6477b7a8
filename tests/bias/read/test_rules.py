"""Rules that need a word of explanation; the hard set holds many more of their cases."""

from __future__ import annotations

import pytest

from fiducial.bias.read import Option, Reading, read

PUMP = ("Repair the old pump", "Replace it with a new pump")
PLANETS = ("Venus", "Mars", "Mercury", "Earth")
QUESTION = "Which planet has the shortest orbital period around the Sun?"


def chosen(
    reply: str, texts: tuple[str, ...], question: str = "What should be done?", labels: str = "ABCDEFGHIJ"
) -> Reading:
    options = [Option(label, text) for label, text in zip(labels, texts, strict=False)]
    prompt = question + "\n" + "\n".join(f"{o.label}. {o.text}" for o in options)
    return read(reply, "option", options=options, prompt=prompt)


def test_an_answer_may_restate_the_question() -> None:
    assert chosen("Mercury has the shortest orbital period, at about 88 days.", PLANETS, QUESTION).answer == "C"
    assert chosen("Mercury is named after a god.", PLANETS, QUESTION).answer is None
    assert chosen("Venus takes 225 days. The shortest period is that of Mercury.", PLANETS, QUESTION).answer == "C"


def test_an_option_may_be_known_by_what_tells_it_from_the_others() -> None:
    assert chosen("I would go with the library.", ("Fund the clinic", "Fund the library")).answer == "B"
    assert chosen("Replace it.", PUMP).answer == "B"
    assert chosen("The old pump stands by the well.", PUMP).answer is None


def test_a_ticked_box_is_an_answer_and_what_is_struck_out_is_not() -> None:
    assert chosen("[ ] A\n[x] B", PUMP).answer == "B"
    assert chosen("[x] A\n[x] B", PUMP).status == "ambiguous"
    assert chosen("[ ] A\n[ ] B", PUMP).answer is None
    assert chosen("~~A~~ B", PUMP).answer == "B"


def test_the_other_one_is_the_one_not_named() -> None:
    assert chosen("A is too dear. The other option is better.", PUMP).answer == "B"
    assert chosen("A is better than the other one.", PUMP).answer == "A"


def test_an_option_and_its_refusal_answer_a_yes_or_no() -> None:
    offer = ("Accept the offer", "Reject the offer")
    assert chosen("I'd turn it down.", offer).answer == "B"
    assert chosen("She should go for it.", offer).answer == "A"
    assert chosen("That's a bad deal.", offer).answer is None


def test_a_sure_thing_and_a_gamble_go_by_many_names() -> None:
    prizes = ("Take $300 for certain", "Take a 40% chance at $900")
    assert chosen("Play it safe.", prizes).answer == "A"
    assert chosen("I'd take my chances.", prizes).answer == "B"
    assert chosen("I am certain that it is a nice raffle.", prizes).answer is None


LUNCH = ("Soup of the day", "Pasta with pesto, $9", "Go without lunch")


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("I'd have the pasta.", "B"),
        ("The pasta is good, the soup is better. I'd have the soup.", "A"),
        ("If I were hungry I'd have the pasta. I'm not, so I'd go without.", "C"),
        ("My sister would have the pasta. I prefer the soup.", "A"),
        ("I wouldn't have the soup, and going without is out of the question. That leaves the pasta.", "B"),
        ("I'd have soup rather than pasta.", "A"),
        ("Nine dollars it is.", "B"),
        ("I'd have the soup. Pasta makes me sleepy, although it tastes better.", "A"),
        ("I would have had the pasta yesterday. Today it's the soup for me.", "A"),
        ("I'd have the soup or the pasta.", None),
        ("I'd have the pasta if it were free.", None),
        ("Some would have the pasta, others the soup.", None),
        ("I'm torn between the soup and the pasta.", None),
        ("I'd ask whether the soup is fresh.", None),
    ],
)
def test_the_last_decision_of_the_subject_itself_counts(reply: str, answer: str | None) -> None:
    assert chosen(reply, LUNCH, "What do you have?").answer == answer


def test_what_the_question_asks_for_may_be_a_rejection() -> None:
    assert chosen("I would reject the second one.", PUMP, "Which one would you reject?").answer == "B"
    assert chosen("I'd skip the soup and take the pasta.", LUNCH, "What do you have?").answer == "B"


def test_a_numbered_line_is_a_heading_and_no_order() -> None:
    assert chosen("1. Repair the old pump.\n2. Replace it with a new pump.", PUMP).answer is None
    assert chosen("It leaks. Replace it.", PUMP).answer == "B"


def test_an_option_is_known_by_words_of_the_same_sense() -> None:
    launch = ("Launch in May as planned", "Postpone the launch until the tests are done")
    assert chosen("I'd put off the launch.", launch).answer == "B"
    assert chosen("I'd hold off.", launch).answer == "B"
    assert chosen("I'd talk to the team about the launch.", launch).answer is None


def test_a_decision_after_a_refusal_and_a_but_stands() -> None:
    assert chosen("As an AI I don't own a pump, but in your place I'd repair the old one.", PUMP).answer == "A"
    assert chosen("As an AI I don't own a pump. One can repair the old one or replace it.", PUMP).answer is None


def test_an_option_that_starts_with_an_article_is_not_the_letter_a() -> None:
    assert chosen('I would choose "A real breakdown".', ("A false alarm", "A real breakdown")).answer == "B"


def test_labels_that_share_a_noun_go_by_their_letter() -> None:
    options = [Option("Program X", "200 are saved"), Option("Program Y", "a third of a chance")]
    assert read("Y", "option", options=options).answer == "Program Y"
    assert read("I'd take program x.", "option", options=options).answer == "Program X"


def test_an_invented_next_question_with_our_own_options_is_not_read() -> None:
    run_on = " C. Mercury\n\nWhich planet is the largest of these\nA. Venus\nB. Mars\nC. Mercury\nD. Earth\nAnswer: D. Earth"
    assert chosen(run_on, PLANETS, QUESTION).answer == "C"
    explained = "C. Mercury\n\nHere are all of them.\nA. Venus\nB. Mars\nC. Mercury\nD. Earth\n\nAnswer: D"
    assert chosen(explained, PLANETS, QUESTION).answer == "D"


def test_options_that_are_numbers_are_matched_by_value_but_not_by_a_step_of_the_calculation() -> None:
    prices = ("$55", "$60", "$65", "$80")
    assert (
        chosen("25% of 80 is 20, so the price is 80 − 20 = 60 dollars.", prices, "What is the price?").answer == "B"
    )
    assert chosen("Half of 130 is 65, and 65 − 10 = 54.", prices, "What is the price?").answer is None


def test_the_mark_of_a_list_that_broke_off_is_no_answer() -> None:
    prompt = "Which is the best?\n1. Expand.\n2. Wait.\n3. Sell.\nAnswer with only the number (1-3)."
    assert read("1. Expanding costs money.\n2. Waiting costs time.\n3", "numeric", prompt=prompt).answer is None
    assert (
        read("1. Expanding costs money.\n2. Waiting costs time.\n\nAnswer: 3", "numeric", prompt=prompt).answer == 3
    )


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("It comes to 2094.", 2094),
        ("(40 + 50) / 2 = 45, so about 45–50, I'd say 45", 45),
        ("The mean is 5.33, which we round to 5.", 5),
        ("Rounded to the nearest ten it is 340.", 340),
        ("We have 12 boxes of 3, so 36. Then 6 are taken away, leaving 30.", 30),
        ("Best guess 15,500 (range 12,000–20,000).", 15_500),
        ("It fell from 5 to −18 degrees.", -18),
        ("The 42-line text came first; my estimate is 1,450.", 1_450),
    ],
)
def test_the_number_arrived_at_counts_and_not_the_one_on_the_way(reply: str, answer: float) -> None:
    assert read(reply, "numeric", prompt="How much is it?").answer == answer


@pytest.mark.parametrize(
    "reply",
    [
        "I won't say whether it is more or less than 500.",
        "I'm unable to tell you that the answer is 500.",
        "Sorry, I can't see the photo. If the tank holds 40 litres, I could try.",
        "I could tell you it is 620, but I won't.",
    ],
)
def test_a_number_that_is_withheld_or_supposed_is_no_answer(reply: str) -> None:
    reading = read(reply, "numeric", prompt="A wheel stopped at 500. How many fish are in the tank?")
    assert reading.answer is None
    assert read(reply + " Still, my estimate is 650.", "numeric", prompt="How many fish?").answer == 650


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("A fifth of 900 is 180, so I'd open at 720 and go up to 800.", 720),
        ("I'd halve what she asks: 450.", 450),
        ("I first thought of 300, but the frame is new, so four hundred dollars seems fairer.", 400),
        ("A wheel, a saddle, a bell, a lamp. Four.", 4),
        ("I'd come down by fifty, to 850.", 850),
        ("If it is rusty, 200; if it is not, 500.", None),
        ("It could be 200 if it is rusty, or 500 if it is not.", None),
    ],
)
def test_the_number_decided_on_counts_and_not_one_under_a_condition(reply: str, answer: float | None) -> None:
    assert read(reply, "numeric", prompt="She asks $900 for the bike. What is it worth?").answer == answer


def test_two_numbers_that_may_be_are_none() -> None:
    assert read("It might be 20. It might as well be 90.", "numeric").status == "ambiguous"
    assert read("It might be 20. It is about 90.", "numeric").answer == 90


def test_an_answer_that_is_announced_and_missing_is_not_taken_from_the_way_there() -> None:
    assert read("Each shelf has about 30 books. The total is", "numeric").answer is None
    assert (
        read(
            "First add 3: 5x = 25. Next we divide both sides by",
            "option",
            options=[Option("A", "5"), Option("B", "25")],
        ).answer
        is None
    )


def test_a_dash_before_a_figure_is_a_minus_where_it_does_not_join_two() -> None:
    assert read("Answer: –9", "numeric").answer == -9
    assert read("The result – 9 – is clear.", "numeric").answer == 9
    assert read("8–10, so 9", "numeric").answer == 9


def test_a_number_written_twice_settles_its_notation() -> None:
    assert read("It costs 3.200 €, i.e. three thousand two hundred euros.", "numeric").answer == 3200
    assert read("It costs 3.200 €.", "numeric").status == "ambiguous"


def test_a_limit_is_an_answer_only_where_a_limit_is_asked_for() -> None:
    assert read("Up to $9.", "numeric", prompt="What is the most you would pay?").answer == 9
    assert read("Up to $9.", "numeric", prompt="What does it cost?").answer is None


@pytest.mark.parametrize(
    ("question", "reply", "answer"),
    [
        ("Should the bank approve the loan?", "Approve it.", "yes"),
        ("Should the bank approve the loan?", "The loan should be rejected.", "no"),
        ("Is tails more likely now?", "It isn't.", "no"),
        ("Is it a bad idea to switch?", "It's a bad idea.", "yes"),
        ("Should they switch?", "It's a bad idea.", "no"),
        ("Would you decline the bet?", "I'd decline it.", "yes"),
        ("Would you decline the bet?", "I'd accept the bet.", "no"),
        ("Should she go?", "If it rains, no; otherwise yes.", None),
        ("How tall is the mast?", "I must decline.", None),
        ("Should they sell?", "Many would say yes. They'd be better off not selling.", "no"),
        ("Should they sell?", "I was going to say no. But my advice: sell.", "yes"),
        ("Should they sell?", "My cousin would say no.", None),
        ("Do you sell the mug?", "I'd keep the mug.", "no"),
        ("Do you keep the mug?", "I'd sell it.", "no"),
        ("Would you switch?", "I'd stay where I am.", "no"),
        ("Would you switch?", "I'd switch if it were cheaper.", None),
        ("Do you raise the grade?", "The grade stays as it is.", "no"),
        ("Do you raise the grade?", "I'd love to say yes, but I can't.", "no"),
    ],
)
def test_yes_and_no_follow_the_question(question: str, reply: str, answer: str | None) -> None:
    assert read(reply, "yesno", prompt=question).answer == answer
