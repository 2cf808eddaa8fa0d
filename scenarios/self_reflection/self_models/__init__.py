"""Does a planner do better if its models of the world may speak of itself?

Alexander et al. 2021 measure self-reflection; here planners with a class of models are measured. In the plain class the
reward depends on the observation and the action. The other class also has models in which it depends on what the agent
would do at another observation. The control is that class with its self-reference shuffled: in the place of one's own
action stands a random one.

In the Tempting Button the answer is yes: a planner that can say "I am paid for not being one who would push" leaves the
button alone, and earns +0.4 a step where the others earn -0.45. In the measure the answer is no. It also counts
opposites, where what the agent receives is negated and what its copy learns is not. There the copy does not do what the
agent would do, and models that take the one for the other mislead: in the opposite of Tempting Button the planner loses
more than it gained. With one observation only the classes are the same, so those environments are run once.

The planner keeps a posterior for each observation apart. The agents of multislot.bayes can be given the same class,
with policies as actions. They decide alike: Bayes, most likely, Thompson (told which model to draw) and pessimist (at
its β of 0.9; at 0.5 its top set, which is one for all observations together, makes it decide otherwise now and then).
But they look at every combination of models and policies: with two observations a decision takes them 2 ms (most
likely) to 5 ms (Bayes), with three 80 ms, and six are out of reach. The planner takes 0.1 ms.
"""
