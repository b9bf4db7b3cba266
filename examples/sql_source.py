"""Counts the people in a database for `dp2dp fit --source` (docs/sources.md).

    python3 sql_source.py duckdb FILE TABLE SENSITIVE SCORE...
    python3 sql_source.py psql CONNECTION TABLE SENSITIVE SCORE...

duckdb needs Python's package of that name, psql the program. The names of groups and classes come
with the hello. This source knows demographic parity by rules that see the group, without a dither.
"""

import json
import subprocess
import sys

# What this source understands of a hello. It refuses more, since more might change the counts.
KNOWN = {"dp2dp", "version", "groups", "classes", "criterion", "strata", "rule", "dither"}
KNOWN |= {"questions", "privacy"}
LIMIT = 1e-6  # how far the scores of a row may be from a sum of 1


class DuckDB:
    def __init__(self, file):
        import duckdb

        self.connection = duckdb.connect(file, read_only=True)

    def rows(self, query):
        return self.connection.execute(query).fetchall()


class PostgreSQL:
    """One psql for all questions, in one transaction: every answer is about the same rows."""

    def __init__(self, connection):
        self.psql = subprocess.Popen(
            ["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", connection],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.psql.stdin.write("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;\n")

    def rows(self, query):
        self.psql.stdin.write(f"{query};\n\\echo end\n")
        self.psql.stdin.flush()
        found = []
        for line in self.psql.stdout:
            if line == "end\n":
                return found
            found.append([int(cell) for cell in line.split("|")])
        raise SystemExit("psql has ended")


def name(text):
    return '"' + text.replace('"', '""') + '"'


def literal(text):
    return "'" + text.replace("'", "''") + "'"


class Source:
    def __init__(self, engine, table, sensitive, scores):
        self.engine, self.table = engine, table
        self.sensitive, self.scores = name(sensitive), [name(score) for score in scores]

    def hello(self, asked):
        if set(asked) - KNOWN or asked["version"] != 1:
            return {"error": "another version, or a member that is not known"}
        if asked["rule"] != "offset" or asked["dither"] is not None:
            return {"error": "only demographic parity, by a rule that sees the group, no dither"}
        if len(asked["classes"]) != len(self.scores):
            return {"error": "another number of classes"}
        self.groups = asked["groups"]
        listed = ", ".join(literal(group) for group in self.groups)
        total = " + ".join(f"CAST({score} AS DOUBLE PRECISION)" for score in self.scores)
        good = [f"CAST({self.sensitive} AS VARCHAR) IN ({listed})", f"abs({total} - 1) <= {LIMIT}"]
        good += [f"{score} >= 0" for score in self.scores]
        condition = " AND ".join(good)
        [[records, usable]] = self.engine.rows(
            f"SELECT count(*), count(CASE WHEN {condition} THEN 1 END) FROM {self.table}"
        )
        if usable != records:
            return {"error": "some rows have no probabilities or an unknown group"}
        return {"dp2dp": "source", "version": 1, "records": records, "row_sums": "check"}

    def count(self, number, offsets):
        """Decides as the rule does: in float32, and for the lowest class on a tie."""
        ranked = []
        for g, row in enumerate(offsets):
            shifted = [
                f"CAST({score} AS REAL) - CAST({offset!r} AS REAL)"
                for score, offset in zip(self.scores, row, strict=True)
            ]
            best = f"greatest({', '.join(shifted)})"
            cases = " ".join(f"WHEN {score} = {best} THEN {k}" for k, score in enumerate(shifted))
            group = f"CAST({self.sensitive} AS VARCHAR) = {literal(self.groups[g])}"
            ranked.append(f"WHEN {group} THEN {g * len(row)} + CASE {cases} END")
        table = [[0] * len(row) for row in offsets]
        for cell, rows in self.engine.rows(
            f"SELECT CASE {' '.join(ranked)} END AS cell, count(*) FROM {self.table} GROUP BY 1"
        ):
            table[cell // len(self.scores)][cell % len(self.scores)] = rows
        return {"count": number, "table": table}


def main(kind, where, table, sensitive, *scores):
    engine = {"duckdb": DuckDB, "psql": PostgreSQL}[kind](where)
    source = Source(engine, table, sensitive, scores)
    for line in sys.stdin:
        asked = json.loads(line)
        if "end" in asked:
            return
        answer = (
            source.hello(asked)
            if "dp2dp" in asked
            else source.count(asked["count"], asked["offsets"])
        )
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
