"""Random worlds for the tests of every exact module, and brute force that follows every run of them."""
