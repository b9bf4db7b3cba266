"""Reads accounting_reference.csv and writes the tables: a provenance line, a header line, then the rows."""
import csv
import os

FOLDER = os.path.dirname(os.path.abspath(__file__))


def reference_rows():
    """The `pld` rows of accounting_reference.csv."""
    with open(os.path.join(FOLDER, "accounting_reference.csv")) as f:
        return [r for r in csv.DictReader(f) if r["accountant"] == "pld"]


def write(name, provenance, header, rows):
    with open(os.path.join(FOLDER, name), "w", newline="") as f:
        f.write("# " + provenance + "\n")
        out = csv.writer(f, lineterminator="\n")
        out.writerow(header)
        out.writerows(rows)
    print(f"{name}: {len(rows)} rows")
