"""Random questions to the identity view."""

from fractions import Fraction
from random import Random

from multislot.exact.files.worlds import world_named, world_names, world_text
from multislot.exact.futures import VALUES


def random_request(chance: Random):
    """Return a question as the page asks it: a world or its file, some settings, and what is to be shown."""
    name = chance.choice(world_names())
    parameters = {
        key: number_of(chance, one) for key, one in world_named(name).parameters.items() if chance.random() < 0.5
    }
    request = {
        "view": "identity",
        **({"world": name} if chance.random() < 0.5 else {"file": world_text(name)}),
        "parameters": parameters,
        "discount": str(Fraction(chance.randrange(21), 20)),
        "horizon": chance.randrange(1, 5),
        "values": chance.sample(list(VALUES), 3),
        "caring": [str(Fraction(chance.randrange(5), 4))],
        "lineage": {"value": chance.choice(list(VALUES))},
    }
    if chance.random() < 0.3:
        request["map"] = {"x": axis("discount", 3), "y": axis("caring", 3), "values": ["caring"]}
    if chance.random() < 0.2:
        request["wrong"] = 1
    return request


def number_of(chance, parameter):
    least = int(parameter.least if parameter.least is not None else 0)
    most = int(parameter.most if parameter.most is not None else 4)
    whole = parameter.whole or least == most
    return str(
        min(most, least + chance.randrange(3)) if whole else Fraction(chance.randrange(4 * least, 4 * most + 1), 4)
    )


def axis(name, points):
    return {"name": name, "least": "0", "most": "1", "points": points}
