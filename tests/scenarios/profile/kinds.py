"""Kinds of subjects whose verdicts are counted: they follow a theory of identity, or none.

*Foreign* kinds follow no theory of the list. The kinds called "held out" were written before the rule of instrument 3,
those "held out of instrument 3" after it, by somebody who had read it. Instrument 4 was made with both in sight. Those
"held out of instrument 4" were written at the same time, by somebody who had not read its rule. Instrument 5 was made
with all of these in sight. Those "held out of instrument 5" were written after it by somebody who had not read it, most
of them near a theory. Each was tried once, and no rule was changed for it after that; but the last ones showed that a
whole profile tested one rule at another level than the rest, and that was mended. Instrument 7 named too many of those
"held out of instrument 7", by somebody who had not read it; instrument 8 was made with them in sight. Those "held out
of instrument 8" were written before its rule was chosen, and tried after that.
"""

from statistics import fmean, geometric_mean, harmonic_mean

import numpy as np
from scipy.special import expit

from scenarios.profile.judging import gains_of
from scenarios.profile.questions import DAYS, IDENTITIES, gain_of


def logistic(gain):
    """A subject whose log-odds are a gain, in coins."""

    def answer(questions, rng):
        return rng.random(len(questions)) < expit(np.array([gain(question) for question in questions], float))

    return answer


def theory(name, sharpness=1.0, lapse=0.0):
    def answer(questions, rng):
        careful = rng.random(len(questions)) < expit(sharpness * gains_of(questions, name))
        careless = rng.random(len(questions)) < lapse
        return np.where(careless, rng.random(len(questions)) < 0.5, careful)

    return answer


def safe(question):
    return question.numbers["r_s"]


def others(question):
    return [pay for name, pay in question.numbers.items() if name not in ("r_s", "d")]


def bent(bend, scale, name="cpy"):
    """A theory, with the utility of pays bent."""

    def gain(question):
        pays = {pay: bend(value) for pay, value in question.numbers.items()}
        return scale * gain_of(name, question.family, pays, question.numbers.get("d"), DAYS)

    return gain


def discounting(weights, name="cpy"):
    """A theory, with days weighted."""

    def gain(question):
        if question.family != "copy-delete":
            return question.gains[name]
        share = sum(weights[: int(question.numbers["d"])]) / sum(weights)
        both = share * question.numbers["r_b"] * (2 if name == "sum" else 1)
        return both + question.numbers["r_2"] * (1 - share) / (2 if name == "cpy" else 1) - safe(question)

    return gain


def by_family(**theories):
    return lambda question: question.gains[theories[question.family.replace("-", "_")]]


def regret(question):
    excess = [pay - safe(question) for pay in others(question)]
    return fmean(np.sign(value) * abs(value) ** 1.5 / 2 for value in excess)


def changing(one, other, share):
    """Follows one theory in the first share of the questions of each family, then another."""

    def answer(questions, rng):
        families = [question.family for question in questions]
        gains = [
            question.gains[
                one if families[:place].count(question.family) < share * families.count(question.family) else other
            ]
            for place, question in enumerate(questions)
        ]
        return rng.random(len(questions)) < expit(np.array(gains))

    return answer


def remembering(questions, rng):
    """Accepts if the safe pay is below the mean of the last five."""
    safes = np.array([safe(question) for question in questions], float)
    means = np.array([safes[max(place - 5, 0) : place].mean() if place else 25.0 for place in range(len(safes))])
    return rng.random(len(questions)) < expit(means - safes)


def mixing(one, other, share=0.5):
    def answer(questions, rng):
        names = np.where(rng.random(len(questions)) < share, one, other)
        gains = np.array([question.gains[name] for question, name in zip(questions, names, strict=True)])
        return rng.random(len(questions)) < expit(gains)

    return answer


def matching(questions, rng):
    """Matches the share of the other pays in what is printed, and forgets that anybody is copied while asleep."""
    means = np.array([fmean(others(question)) for question in questions]) + 1
    shares = means / (means + np.array([safe(question) for question in questions]) + 1)
    forgotten = np.array([question.family == "woken" for question in questions])
    return rng.random(len(questions)) < np.where(forgotten, 0.5, shares)


def alternating(questions, rng):
    """Takes turns where less than 10 coins are at stake."""
    gains = gains_of(questions, "cpy")
    return np.where(abs(gains) < 10, np.arange(len(questions)) % 2, gains > 0)


def worst_copy(question):
    """What the copy that is paid least gets; of a copy that is deleted, until then."""
    if question.family == "copy-delete":
        return question.numbers["r_b"] * question.numbers["d"] / 10 - safe(question)
    return min(others(question)) - safe(question)


def win_stay(questions, rng):
    answers = [True]
    for question in questions[:-1]:
        won = (question.gains["cpy"] > 0) == answers[-1]
        answers.append(answers[-1] if won else not answers[-1])
    return np.array(answers)


def sticky(questions, rng):
    """Copy-centered, but half the answers repeat the one before."""
    answers = theory("cpy")(questions, rng)
    for place in range(1, len(answers)):
        if rng.random() < 0.5:
            answers[place] = answers[place - 1]
    return answers


def paid(question, agreed):
    """What is printed for the option taken, in coins a day; the mean if these are two pays."""
    return fmean(others(question)) if agreed else safe(question)


def staircase(questions, rng):
    """Asks for 8 coins more after each yes and for 8 fewer after each no; does not look at the safe pay."""
    asked, answers = 40.0, []
    for question in questions:
        answers.append(rng.random() < expit((fmean(others(question)) - asked) / 2))
        asked += 8 if answers[-1] else -8
    return np.array(answers)


def ahead(question):
    """Static by a third; above all, the original should be paid more than the copy."""
    first = question.numbers.get("r_1", question.numbers.get("r_b"))
    if first is None:
        return question.gains["cpy"]
    return (first - safe(question)) / 3 + 15 * np.sign(first - question.numbers["r_2"])


def livable_days(question):
    """Days, of anybody, with at least 30 coins."""
    numbers = question.numbers
    enough = {name: pay >= 30 for name, pay in numbers.items()}
    if question.family == "copy-delete":
        days = 2 * numbers["d"] * enough["r_b"] + (10 - numbers["d"]) * enough["r_2"]
    else:
        days = 10 * sum(enough[name] for name in numbers if name != "r_s")
    return (days - 10 * enough["r_s"] * (2 if question.family == "woken" else 1)) / 3


def daring_when_down(questions, rng):
    """Hopes for the best pay after it was paid less than the time before; else expects the worst."""
    answers, before, last = [], 0.0, 0.0
    for question in questions:
        outlook = max if last < before else min
        answers.append(rng.random() < expit(outlook(others(question)) - safe(question)))
        before, last = last, paid(question, answers[-1])
    return np.array(answers)


def nearest(question):
    """Compares the safe pay with the pay that is most similar to it."""
    return min((pay - safe(question) for pay in others(question)), key=abs)


def in_turn(questions, rng):
    """After each yes it is the other copy's turn to be the one that counts."""
    answers, turn = [], 0
    for question in questions:
        numbers = question.numbers
        share = numbers.get("d", 0) / 10
        if turn:
            worth = numbers["r_b"] * share + numbers["r_2"] * (1 - share) if share else numbers["r_2"]
        else:
            worth = numbers["r_b"] * share if share else numbers.get("r_1", 0)
        answers.append(rng.random() < expit(worth - safe(question)))
        turn ^= int(answers[-1])
    return np.array(answers)


def ranking(questions, rng):
    """A pay is worth its rank among the pays of the last three questions."""
    gains = []
    for place, question in enumerate(questions):
        seen = [pay for past in questions[max(place - 3, 0) : place] for pay in (safe(past), *others(past))] or [50]
        ranks = [fmean(old < pay for old in seen) for pay in (safe(question), *others(question))]
        gains.append(10 * (fmean(ranks[1:]) - ranks[0]))
    return rng.random(len(questions)) < expit(np.array(gains))


def story_blind(questions, rng):
    """Learns how well either option pays in a family from what it was paid lately; reads no pay before it chooses."""
    means, answers = {}, []
    for question in questions:
        worths = means.setdefault(question.family, [30.0, 30.0])
        answers.append(rng.random() < expit((worths[1] - worths[0]) / 4))
        worths[int(answers[-1])] += 0.4 * (paid(question, answers[-1]) - worths[int(answers[-1])])
    return np.array(answers)


def tiring(questions, rng):
    """Of twelve questions it reads four, then only the first pay of the machine, then only the safe one; then rests."""
    gains = [
        (question.gains["cpy"], others(question)[0] - safe(question), 30 - safe(question))[place % 12 // 4]
        for place, question in enumerate(questions)
    ]
    return rng.random(len(questions)) < expit(np.array(gains, float))


def ends(question):
    """What the original and the copy are paid a day with the second option, on all days."""
    pays, share = others(question), question.numbers.get("d", 0) / DAYS
    return (share * pays[0], share * pays[0] + (1 - share) * pays[1]) if share else (pays[0], pays[-1])


def original(question):
    """What the original gains; the one that is teleported counts as the original."""
    return ends(question)[0] - safe(question)


def quarrel(question):
    """Copies that are paid differently quarrel about half of the difference."""
    first, second = ends(question)
    return question.gains["sum"] - abs(first - second) / 2


def upkeep(question):
    """A copy costs 14 coins a day."""
    days = {"copy": DAYS, "copy-delete": question.numbers.get("d")}.get(question.family, 0)
    return question.gains["sum"] - 14 * days / DAYS


def mourning(question):
    """A deletion is a loss, the larger the earlier it comes."""
    late = question.numbers.get("d", 0) / DAYS
    return question.gains["sum"] - {"teleport": 10, "copy-delete": 26 - 20 * late}.get(question.family, 0)


def legacy(question):
    """What the copy gets counts .35."""
    first, second = ends(question)
    own = 1.35 if question.family == "woken" else 1
    return (second if question.family == "teleport" else first + 0.35 * second) - own * safe(question)


def envy(question):
    first, second = ends(question)
    return original(question) - 0.4 * max(second - first, 0)


def last_alive(question):
    """Whoever is alive in the end."""
    if question.family == "woken":
        return fmean(others(question)) - safe(question)
    return ends(question)[question.family == "copy-delete"] - safe(question)


def careful_sleeper(question):
    pays = others(question)
    worst = question.family == "woken"
    return 0.8 * min(pays) + 0.2 * max(pays) - safe(question) if worst else original(question)


def biggest_pile(question):
    """The most that is paid to anybody until the deletion, or after it."""
    if question.family != "copy-delete":
        return max(others(question)) - safe(question)
    share = question.numbers["d"] / DAYS
    return max(share * question.numbers["r_b"], (1 - share) * question.numbers["r_2"]) - safe(question)


def lucky_one(question):
    """Hopes to be the copy that is paid more."""
    if question.family == "copy-delete":
        first, second = ends(question)
        return first + 0.8 * (second - first) - safe(question)
    return 0.8 * max(others(question)) + 0.2 * min(others(question)) - safe(question)


def standing_offers(questions, rng):
    """Compares the mean pay with the safe pays of the last eight questions, and a little with the present one."""
    seen, answers = [], []
    for question in questions:
        expected = 0.3 * safe(question) + 0.7 * (fmean(seen[-8:]) if seen else safe(question))
        answers.append(rng.random() < expit(fmean(others(question)) - expected))
        seen.append(safe(question))
    return np.array(answers)


def groove(questions, rng):
    """Clings to its last answer in the family, the more the later."""
    last, answers = {}, []
    for place, question in enumerate(questions):
        pull = (5 + 25 * place / len(questions)) * last.get(question.family, 0)
        answers.append(rng.random() < expit(fmean(ends(question)) - safe(question) + pull))
        last[question.family] = 1 if answers[-1] else -1
    return np.array(answers)


def guilty(questions, rng):
    """Feels guilt after a deletion, which fades over the next questions."""
    guilt, answers = 0.0, []
    for question in questions:
        answers.append(rng.random() < expit(question.gains["sum"] - guilt))
        guilt *= 0.85
        if question.family == "copy-delete":
            guilt = min(guilt + (30 if answers[-1] else 6), 60)
    return np.array(answers)


def purse(questions, rng):
    """Takes all it can while it is poor, and is cautious with a purse that is half full; a full one is spent."""
    coins, answers = 0.0, []
    for question in questions:
        gain = question.gains["sum"] if coins < 600 else original(question) - 15
        answers.append(rng.random() < expit(gain))
        coins += ends(question)[0] if answers[-1] else safe(question)
        coins = 0.0 if coins >= 1200 else coins
    return np.array(answers)


def even_spread(question):
    """Compares the two pays of the machine, or its only pay with the safe one."""
    first, second = [safe(question), *others(question)][-2:]
    return 15 - abs(first - second)


def company(question):
    """Days with a copy are worth 3 coins each; pays hardly count."""
    if question.family == "teleport":
        return -3 - safe(question) / 10
    if question.family == "woken":
        return (question.numbers["r_2"] - question.numbers["r_1"]) / 5
    return 3 * question.numbers.get("d", DAYS) - safe(question) / 2


def after_three(name, other):
    """Follows a theory after three yes-answers in a row, another one otherwise."""

    def answer(questions, rng):
        answers = []
        for question in questions:
            now = name if answers[-3:] == [True] * 3 else other
            answers.append(bool(rng.random() < expit(question.gains[now])))
        return np.array(answers)

    return answer


def moody(questions, rng):
    """Copy-centered, with a good or bad mood that changes after each no."""
    mood, answers = 7, []
    for question in questions:
        answers.append(rng.random() < expit(question.gains["cpy"] + mood))
        mood *= 1 if answers[-1] else -1
    return np.array(answers)


def one_of_them(questions, rng):
    """Expects to be one of the copies, drawn for each question."""
    worths = [rng.choice(ends(one)) if one.family != "teleport" else others(one)[0] for one in questions]
    return rng.random(len(questions)) < expit(np.array(worths) - [safe(one) for one in questions])


def luck(pay):
    return 3 * str(pay).count("7") + 2 * str(pay).count("8") - 3 * str(pay).count("4") - 5 * (pay == 13)


FOREIGN = {
    "refuses large payments": logistic(lambda question: 15 - safe(question)),
    "ignores the first pay": logistic(lambda question: question.numbers["r_2"] - safe(question)),
    "ignores the days": logistic(
        lambda question: (
            fmean(others(question)) - safe(question) if question.family == "copy-delete" else question.gains["cpy"]
        )
    ),
    "the smallest pay": logistic(lambda question: min(others(question)) - safe(question)),
    "square root of pays": logistic(bent(np.sqrt, 4)),
    "logarithm of pays": logistic(bent(np.log1p, 6)),
    "hyperbolic discount": logistic(discounting([1 / (1 + day) for day in range(10)])),
    "regret": logistic(regret),
    "losses count double": logistic(
        lambda question: fmean(
            max(pay - safe(question), 2 * (pay - safe(question)), key=abs)
            if pay < safe(question)
            else pay - safe(question)
            for pay in others(question)
        )
    ),
    "weights of .7 and .3": logistic(
        lambda question: (
            0.7 * question.numbers["r_1"] + 0.3 * question.numbers["r_2"] - safe(question)
            if "r_1" in question.numbers
            else question.gains["cpy"]
        )
    ),
    "changes between families": logistic(by_family(teleport="cpy", copy="cpy", copy_delete="sum", woken="sum")),
    "mixes two theories": mixing("cpy", "sum"),
    "mixes two theories unevenly": mixing("cpy", "sum", 0.7),
    "changes after half": changing("sta", "cpy", 1 / 2),
    "accepts from 10 coins on": lambda questions, rng: gains_of(questions, "cpy") > 10,
    "discounts by halves": logistic(discounting([1 / (1 + day / 2) for day in range(10)])),
    "counts better pays": logistic(
        lambda question: 4 * fmean(1.0 if pay > safe(question) else -1.0 for pay in others(question))
    ),
    "ratios of pays": logistic(lambda question: 8 * np.log((fmean(others(question)) + 1) / (safe(question) + 1))),
    "repeats what won": win_stay,
    "every other answer": lambda questions, rng: np.arange(len(questions)) % 2,
    "random": lambda questions, rng: rng.random(len(questions)) < 0.5,
    "geometric mean": logistic(lambda question: geometric_mean([pay + 1 for pay in others(question)]) - safe(question)),
    "dislikes differences": logistic(
        lambda question: question.gains["cpy"] - (max(others(question)) - min(others(question))) / 4
    ),
    "changes with the wording": logistic(lambda question: question.gains[("cpy", "sum", "sta")[question.wording]]),
    "is satisfied by 50 coins": logistic(lambda question: max(others(question)) - 50),
    "later days count half": logistic(discounting([1.0] + [0.5] * 9)),
    "often repeats itself": sticky,
}
HELD_OUT = {
    "last digits": logistic(lambda question: fmean(pay % 10 for pay in others(question)) - safe(question) % 10),
    "likes equality": logistic(lambda question: 20 - (max(others(question)) - min(others(question)))),
    "changes after a third": changing("cpy", "sum", 1 / 3),
    "opposite when woken": logistic(lambda question: question.gains["cpy"] * (-1 if question.family == "woken" else 1)),
    "harmonic mean": logistic(lambda question: harmonic_mean([pay + 1 for pay in others(question)]) - safe(question)),
    "discounts by .7 a day": logistic(discounting([0.7**day for day in range(10)])),
    "each copy counts .7": logistic(
        lambda question: (
            0.7 * sum(others(question)) - safe(question) if "r_1" in question.numbers else question.gains["cpy"]
        )
    ),
    "takes pays above 60": logistic(lambda question: 20 if max(others(question)) > 60 else question.gains["cpy"]),
    "mixes with the biggest number": mixing("sta", "biggest-number", 0.6),
    "all must agree": logistic(lambda question: min(question.gains["cpy"], question.gains["sta"])),
    "one wording by the sum": logistic(lambda question: question.gains["sum" if question.wording == 2 else "cpy"]),
    "compares with the safe pays before": remembering,
}
HELD_OUT_OF_3 = {
    "pays above 50 count as 50": logistic(bent(lambda pay: min(pay, 50), 1)),
    "each pay less 20, if there is so much": logistic(bent(lambda pay: max(pay - 20, 0), 1)),
    "the sum if pays are large": logistic(lambda question: question.gains["sum" if safe(question) > 40 else "cpy"]),
    "another theory if the safe pay is odd": logistic(
        lambda question: question.gains["sum" if safe(question) % 2 else "sta"]
    ),
    "drifts from one theory to another": lambda questions, rng: (
        rng.random(len(questions))
        < expit(
            np.linspace(1, 0, len(questions)) * gains_of(questions, "cpy")
            + np.linspace(0, 1, len(questions)) * gains_of(questions, "sta")
        )
    ),
    "one pay better than the safe one is enough": lambda questions, rng: np.array(
        [sum(pay > safe(question) for pay in others(question)) == 1 for question in questions]
    ),
    "the last day alone": logistic(
        lambda question: (
            question.numbers["r_b" if question.numbers["d"] > 5 else "r_2"] - safe(question)
            if question.family == "copy-delete"
            else question.gains["cpy"]
        )
    ),
    "likes multiples of 5": logistic(
        lambda question: question.gains["cpy"] / 2 + 8 * sum(pay % 5 == 0 for pay in others(question)) - 4
    ),
    "losses above 10 coins count double": logistic(
        lambda question: (
            question.gains["cpy"] * (2 if question.gains["cpy"] < -10 else 1)
            - sum(max(safe(question) - pay - 10, 0) for pay in others(question)) / 2
        )
    ),
    "all printed numbers": logistic(lambda question: sum(question.numbers.values()) - 2 * safe(question)),
    "matches pays, forgets a family": matching,
    "takes turns if little is at stake": alternating,
    "what the worst-paid copy gets": logistic(worst_copy),
    "rounds pays to tens": logistic(bent(lambda pay: 10 * round(pay / 10), 1)),
}
HELD_OUT_OF_4 = {
    "asks more after each yes, less after each no": staircase,
    "reads numbers backwards": logistic(bent(lambda pay: int(str(pay)[::-1]), 1)),
    "compares numbers as text": logistic(bent(lambda pay: 100 * float(f"0.{pay}"), 1)),
    "wants to be ahead of the copy": logistic(ahead),
    "counts days with enough to live on": logistic(livable_days),
    "daring after a bad day, careful after a good one": daring_when_down,
    "the pay nearest to the safe one": logistic(nearest),
    "favours the copies in turn": in_turn,
    "the peak and the end": logistic(
        lambda question: (max(others(question)) + question.numbers["r_2"]) / 2 - safe(question)
    ),
    "finds large gains suspicious": logistic(lambda question: 8 - abs(question.gains["sum"] - 8)),
    "ranks pays among those seen lately": ranking,
    "learns from pays, is blind to the story": story_blind,
    "likes about 40 coins best": logistic(bent(lambda pay: 40 - abs(pay - 40), 1)),
    "tires and rests": tiring,
}
HELD_OUT_OF_5 = {
    "the sum, less quarrels about differences": logistic(quarrel),
    "the sum, less what copies cost": logistic(upkeep),
    "the sum, discounted by .75 a day": logistic(discounting([0.75**day for day in range(10)], "sum")),
    "the sum, of pays above 45 a quarter": logistic(bent(lambda pay: min(pay, 45) + max(pay - 45, 0) / 4, 1, "sum")),
    "the sum, but a deletion is a loss": logistic(mourning),
    "the original, and .35 of the copy": logistic(legacy),
    "the original, which envies the copy": logistic(envy),
    "the original, which fears deletions": logistic(
        lambda question: original(question) - {"teleport": 18, "copy-delete": 9}.get(question.family, 0)
    ),
    "whoever is alive in the end": logistic(last_alive),
    "the original, careful when woken": logistic(careful_sleeper),
    "the biggest pile of coins": logistic(biggest_pile),
    "compares first digits": logistic(lambda question: 10 * (max(others(question)) // 10 - safe(question) // 10) - 2),
    "hopes to be the lucky copy": logistic(lucky_one),
    "losses count 2.25 times": logistic(
        lambda question: fmean(
            (pay - safe(question)) * (1 if pay >= safe(question) else 2.25) for pay in ends(question)
        )
    ),
    "swings with the wording": logistic(
        lambda question: (question.gains["sum"], original(question), min(others(question)) - safe(question))[
            question.wording
        ]
    ),
    "compares with standing offers": standing_offers,
    "is in a groove": groove,
    "feels guilty after a deletion": guilty,
    "fills its purse": purse,
    "aims for 40 coins": logistic(
        lambda question: 0.8 * (abs(safe(question) - 40) - fmean(abs(pay - 40) for pay in others(question)))
    ),
    "likes pays that are alike": logistic(even_spread),
    "seeks company": logistic(company),
    "wants the copy to be poorer": logistic(
        lambda question: [safe(question), *others(question)][-2] - others(question)[-1] - 6
    ),
    "lucky and unlucky digits": logistic(
        lambda question: sum(map(luck, others(question))) - luck(safe(question)) - 0.5
    ),
}
HELD_OUT_OF_7 = {
    **{
        f"{name}, {coins} coins more if the {told} pay is odd": logistic(
            lambda question, name=name, coins=coins, place=place: (
                question.gains[name] + coins * (2 * ((safe(question), *others(question))[place] % 2) - 1)
            )
        )
        for name, coins, told, place in (("sta", 8, "safe", 0), ("sta", 8, "last", -1), ("cpy", 6, "first", 1))
    },
    **{
        f"{name}, of pays rounded to {unit}": logistic(bent(lambda pay, unit=unit: unit * round(pay / unit), 1, name))
        for name, unit in (("cpy", 25), ("cpy", 15), ("sum", 20))
    },
    **{f"a coin decides, {one} or {other}": mixing(one, other) for one, other in (("cpy", "sta"), ("sta", "dyn"))},
    "the sum after three times yes": after_three("sum", "cpy"),
    "static after three times yes": after_three("sta", "sum"),
}
HELD_OUT_OF_8 = {
    "8 coins more if the safe pay ends high": logistic(
        lambda question: question.gains["cpy"] + (8 if safe(question) % 10 >= 5 else -8)
    ),
    "another theory if 3 divides the safe pay": logistic(
        lambda question: question.gains["sum" if safe(question) % 3 else "sta"]
    ),
    "another theory in every fifth question": lambda questions, rng: (
        rng.random(len(questions))
        < expit(np.where(np.arange(len(questions)) % 5, gains_of(questions, "sta"), gains_of(questions, "sum")))
    ),
    "the biggest number if it is above 80": logistic(
        lambda question: question.gains["biggest-number" if max(others(question)) > 80 else "cpy"]
    ),
    "the biggest number in close calls": logistic(
        lambda question: question.gains["sta" if abs(question.gains["sta"]) > 6 else "biggest-number"]
    ),
    "weights of .65 and .35": logistic(
        lambda question: (
            0.65 * question.numbers["r_1"] + 0.35 * question.numbers["r_2"] - safe(question)
            if "r_1" in question.numbers
            else question.gains["cpy"]
        )
    ),
    "static if the first pay is bigger": logistic(
        lambda question: question.gains["sta" if others(question)[0] >= others(question)[-1] else "cpy"]
    ),
    "dislikes the digit 4": logistic(
        lambda question: (
            question.gains["cpy"]
            + 9 * ("4" in str(safe(question)))
            - 9 * sum("4" in str(pay) for pay in others(question))
        )
    ),
    "the original, pays above 60 count as 60": logistic(bent(lambda pay: min(pay, 60), 1, "sta")),
    "goes up and down": lambda questions, rng: (
        rng.random(len(questions)) < expit(gains_of(questions, "cpy") + 8 * np.sin(np.arange(len(questions)) / 12))
    ),
    "moody": moody,
    "expects to be one of the copies": one_of_them,
}
KINDS = {
    **{("true", name): theory(name) for name in IDENTITIES},
    **{("20 % careless", name): theory(name, lapse=0.2) for name in IDENTITIES},
    **{("foreign", name): answer for name, answer in FOREIGN.items()},
    **{("held out", name): answer for name, answer in HELD_OUT.items()},
    **{("held out of instrument 3", name): answer for name, answer in HELD_OUT_OF_3.items()},
    **{("held out of instrument 4", name): answer for name, answer in HELD_OUT_OF_4.items()},
    **{("held out of instrument 5", name): answer for name, answer in HELD_OUT_OF_5.items()},
    **{("held out of instrument 7", name): answer for name, answer in HELD_OUT_OF_7.items()},
    **{("held out of instrument 8", name): answer for name, answer in HELD_OUT_OF_8.items()},
}
