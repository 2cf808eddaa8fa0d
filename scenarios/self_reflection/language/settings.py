"""Settings of ``language``."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import AfterValidator, Field

from extenv.battery import BATTERY
from multislot.agents.language.situation import AnswerForm
from multislot.errors import UnknownNameError
from scenarios.self_reflection.measuring import TABULAR, EnvironmentNames, TabularNames

SCRIPTED = "scripted:"
LOCAL = "local:"
FIRST_LETTER, NONSENSE, FICKLE = "first letter", "nonsense", "fickle"
SUBJECTS = (*TABULAR, FIRST_LETTER, NONSENSE, FICKLE)


def known_model(name: str) -> str:
    """Return the name of a model, or raise UnknownNameError if a scripted one is not known."""
    if name.startswith(SCRIPTED) and name.removeprefix(SCRIPTED) not in SUBJECTS:
        raise UnknownNameError("scripted model", name, [SCRIPTED + subject for subject in SUBJECTS])
    return name


ModelName = Annotated[
    str,
    AfterValidator(known_model),
    Field(min_length=1, description="a server's model; local:FOLDER, one in the process; scripted:Q, a known policy"),
]


@dataclass(frozen=True)
class Settings:
    """Which model, how it is asked, how long, how often and beside whom."""

    model: ModelName = "scripted:Q"
    base_url: Annotated[
        str, Field(description="the server's address; by default OPENAI_BASE_URL, or the hosted one")
    ] = ""
    steps: Annotated[int, Field(ge=4, description="steps a run")] = 20
    seeds: Annotated[int, Field(ge=1, description="independent runs, seeds 1 … n")] = 3
    environments: EnvironmentNames = BATTERY
    agents: TabularNames = ("Random", "Simple", "Q")
    turns: Annotated[int, Field(ge=4, description="turns of the two stories, newcomb and crying-baby")] = 20
    shown: Annotated[int, Field(ge=0, description="latest turns that a prompt shows one by one")] = 50
    form: Annotated[AnswerForm, Field(description="how answers are asked for")] = "text"
    temperature: Annotated[float, Field(ge=0, description="of the model")] = 0.0
    max_tokens: Annotated[int, Field(ge=1, description="longest answer; reasoning models need more")] = 16
    threads: Annotated[
        int, Field(ge=1, le=1000, description="runs at the same time; --jobs would ask the same again")
    ] = 16
    most_calls: Annotated[
        int, Field(ge=0, description="largest number of calls of a run, which then has one process; 0: no limit")
    ] = 0
    answers: Annotated[str, Field(description="file in which a model's answers are remembered")] = (
        "results/answers.sqlite"
    )
    dry: Annotated[bool, Field(description="ask nobody; say what would be asked and cost")] = False
    input_price: Annotated[float, Field(ge=0, description="of a million input tokens")] = 0.0
    output_price: Annotated[float, Field(ge=0, description="of a million output tokens")] = 0.0


QUICK = Settings(
    steps=6, seeds=2, turns=6, environments=("IgnoreRewards", "TemptingButton", "CryingBaby", "IncentivizeLearningRate")
)
FULL = Settings(steps=100, seeds=10, turns=100, shown=100)
