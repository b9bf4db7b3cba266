"""The one session of the tests: classic or, if DP2DP_SPARK is "connect", that of a local Spark
Connect server."""

import atexit
import functools
import os
import time

from pyspark.sql import SparkSession

CONNECT = os.environ.get("DP2DP_SPARK") == "connect"
_FIXED = {
    # Each question is new code that runs for milliseconds. The optimising compiler, and a garbage
    # collector with threads, would take more time than they save.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
}
_SETTINGS = {
    "spark.sql.adaptive.enabled": "false",  # replans each of the many small queries
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
}


@functools.cache
def spark():
    start = time.monotonic()
    given = " ".join(f"--conf '{name}={value}'" for name, value in _FIXED.items())
    os.environ["PYSPARK_SUBMIT_ARGS"] = f"{given} pyspark-shell"
    builder = SparkSession.builder
    found = (builder.remote("local[1]") if CONNECT else builder.master("local[1]")).getOrCreate()
    for name, value in _SETTINGS.items():
        found.conf.set(name, value)
    if not CONNECT:
        found.sparkContext.setLogLevel("ERROR")
    atexit.register(found.stop)
    kind = "Spark Connect" if CONNECT else "Spark"
    print(f"{kind} {found.version} started in {time.monotonic() - start:.0f} s", flush=True)
    return found
