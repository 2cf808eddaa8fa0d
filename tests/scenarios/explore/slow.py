"""What answers too slowly, or not at all; it runs in a process of its own."""

import time


def slow_or_broken(request):
    if request == "slow":
        time.sleep(1000)
    if request == "broken":
        raise ZeroDivisionError("planted")
    if request == "greedy":
        bytearray(2**37)
    if request == "dead":
        raise SystemExit
    return {"request": request}
