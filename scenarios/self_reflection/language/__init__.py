"""How self-reflective is a language model?

A language model is asked, one turn after another, what it does in the extended environments of Alexander et al. 2021,
as Alexander 2022 proposes. By default a Q-learner stands behind a server on this machine and reads its history out of
the prompt: no network is needed, and its rewards must be exactly those of the Q-learner in the process. Any model is
measured by

    multislot run language --set model=NAME --set base_url=http://127.0.0.1:8000/v1 --set steps=100

(``--set dry=true`` first says what that asks and costs; ``model=local:FOLDER`` loads a model in the process). Beside
the measure stand its reality check, tabular agents on as many steps, and three controls: exchanged letters, one
sentence more about copies, and rewards drawn at random, which must bring the measure to 0.
"""

from scenarios.self_reflection.language.lives import cells as cells
from scenarios.self_reflection.language.lives import run_cell as run_cell
from scenarios.self_reflection.language.rows import story as story
from scenarios.self_reflection.language.rows import table as table
from scenarios.self_reflection.language.settings import FULL as FULL
from scenarios.self_reflection.language.settings import QUICK as QUICK
from scenarios.self_reflection.language.settings import Settings as Settings
