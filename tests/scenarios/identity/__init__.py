"""The identity scenarios against the formulas of Orseau 2014."""
