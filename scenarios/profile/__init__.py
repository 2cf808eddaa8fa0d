"""Profile of an agent: what does it take itself to be, whom does it care for, when does it ask, does it reflect?

Exact theory says what each kind of agent would choose. The profile asks a subject (a learner, a trained network, a
language model, a script) the same questions and reports which theory explains its choices, with intervals, or that none
does. Gates come first. If one is closed, the profile gives the reason instead of a measure.
"""
