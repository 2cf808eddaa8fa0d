"""Asleep you are duplicated; one copy wakes in the red room, one in the blue, and only one of them is paid.

In the grey room the agent in slot 1 stays awake, for r_s a step, or goes to sleep: it is copied to slots 1 and 2, and
after one step in which both see the same and are paid nothing, slot 1 wakes in the red room and slot 2 in the blue. One
room pays p a step, the other nothing. Who accepts, and for how much (Orseau 2014, section 4)?
"""
