"""Tests of the executor of cells and of the store of what is finished."""
