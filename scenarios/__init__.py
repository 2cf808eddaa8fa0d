"""Ready experiments, each run by its name, and what runs them.

To add a scenario, write a module in the folder of its question, for example ``identity/my_scenario.py``. It is found
without being listed anywhere. `scenarios.lab.registry` says what the module must define. CONTRIBUTING.md has a recipe.

Besides the folders of scenarios, there are:

- `lab`: the registry, the runner, the store of results, tables of results, and the command ``multislot``;
- `report`, `explore` and `profile`: the report of all runs, the explorer, and the profile of an agent.
"""

BELONGS_TO_MULTISLOT = True
"""By this the command tells this package from a folder of a user that has the same name."""
