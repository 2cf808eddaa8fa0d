"""What pessimism buys and costs: the agent of Cohen and Hutter 2020 and the standard ones."""
