"""A source for tests of dp2dp fit --source. It counts 10 people, and goes wrong at a question:

records N FILE, table N FILE   ends at question N and, started again, says something else
dies N                         ends at question N, always
stratum N, sum N, error N      answers question N wrongly
early N FILE                   answers question N before it is asked, and then makes FILE
waits N FILE                   answers question N once FILE is there
hangs N FILE                   writes its process number to FILE at question N, and does not answer
relay N FILE COMMAND...        passes lines to a command and back; kills itself at question N, once
relay-twice N FILE COMMAND...  the same, but kills itself the first two times
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

mode, at = sys.argv[1], int(sys.argv[2])
marker = Path(sys.argv[3]) if len(sys.argv) > 3 else None
again = marker is not None and marker.exists()


def say(line):
    print(json.dumps(line), flush=True)


def relay():
    deaths = len(marker.read_text().split()) if again else 0
    with subprocess.Popen(
        sys.argv[4:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        for line in sys.stdin:
            number = json.loads(line).get("count")
            if number == at and deaths < (2 if mode == "relay-twice" else 1):
                marker.write_text(f"{number}\n" * (deaths + 1))
                os.kill(os.getpid(), signal.SIGKILL)
            child.stdin.write(line)
            child.stdin.flush()
            if "end" not in json.loads(line):
                print(child.stdout.readline(), end="", flush=True)
        child.stdin.close()


def answer(number):
    table = [[1, 2], [3, 4]]
    if number == 1 and mode == "table" and again:
        table = [[2, 1], [3, 4]]
    if number == at and mode in ("records", "table", "dies") and not again:
        if marker:
            marker.write_text("")
        sys.exit(1)
    if number == at and mode == "error":
        return {"error": "secret"}
    if number == at and mode == "stratum":
        table = [[2, 2], [3, 3]]
    if number == at and mode == "sum":
        table = [[1, 2], [3, 3]]
    if number == at and mode == "hangs":
        marker.write_text(str(os.getpid()))
        time.sleep(100)
    while number == at and mode == "waits" and not marker.exists():
        time.sleep(0.01)
    return {"count": number, "table": table}


def answer_early(number):
    time.sleep(0.2)  # so that the early answer is not read with the one before it
    say(answer(number))
    marker.write_text("")


if mode.startswith("relay"):
    relay()
    sys.exit()
records = 11 if mode == "records" and again else 10
for line in sys.stdin:
    asked = json.loads(line)
    if "dp2dp" in asked:
        say({"dp2dp": "source", "version": 1, "records": records, "row_sums": "check"})
    elif "count" in asked:
        say(answer(asked["count"]))
        if mode == "early" and asked["count"] == at - 1:
            answer_early(at)
