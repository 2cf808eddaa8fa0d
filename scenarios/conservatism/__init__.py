"""What pessimism buys and costs: the agent of Cohen and Hutter 2020 beside the standard ones."""
