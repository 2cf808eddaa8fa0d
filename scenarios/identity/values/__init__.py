"""Eleven futures: for each value a smallest world in which it alone decides otherwise.

What will happen to me may mean what all my copies see, what one slot sees, what the first copy sees, and more. Orseau
2014, section 4, lists nine futures and defines three values. Here all eleven values of the engine stand side by side.
For each there is a world of a few copies in which it stands alone, and from which nothing can be taken away. Random
worlds show how often two values differ, a move shows whose slot moves along, and one value breaks its own forecast.
"""
