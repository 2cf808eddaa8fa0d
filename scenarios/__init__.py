"""Ready experiments, each run by its name, and what runs them.

To add a scenario, write one module in the folder of its question, such as ``identity/my_scenario.py``. There is no list
to edit.
`scenarios.lab.registry` says what it must have, and CONTRIBUTING.md has a recipe. Besides the folders of scenarios:

- `lab`: the registry, the runner, the store of results, tables of results, and the command ``multislot``;
- `report`, `explore` and `profile`: the report of all runs, the explorer, and the profile of an agent.
"""

BELONGS_TO_MULTISLOT = True
"""By this the command tells this package from a folder of a user that has the same name."""
