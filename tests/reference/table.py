"""Writing the reference tables: one provenance line, one header line, then the rows."""
import csv
import os


def write(name, provenance, header, rows):
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
    with open(path, "w", newline="") as f:
        f.write("# " + provenance + "\n")
        out = csv.writer(f, lineterminator="\n")
        out.writerow(header)
        out.writerows(rows)
    print(f"{name}: {len(rows)} rows")
