"""Writes train_none.csv: small problems and the weights that scikit-learn finds for them.

A row has float32 numbers and level codes. The matrix for scikit-learn has the numbers first, then one column per
level. A row longer than NORM is scaled down to it, in float32 as in the library, so that both see the same matrix.
The table was made with scikit-learn 1.9.1.
"""
import csv
import pathlib

import numpy as np
import sklearn
from sklearn.linear_model import LogisticRegression

NORM = 2.0


def problem(classes, seed, n=80, numbers=3, levels=(3, 4)):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, numbers)).astype(np.float32)
    codes, first = [], numbers
    for count in levels:
        codes.append(np.where(rng.random(n) < 0.1, -1, first + rng.integers(0, count, n)))
        first += count
    codes = np.array(codes).T
    matrix = np.zeros((n, first))
    matrix[:, :numbers] = x
    for i in range(n):
        for code in codes[i]:
            if code >= 0:
                matrix[i, code] = 1.0
    length = np.sqrt((matrix**2).sum(axis=1))
    scale = np.where(length > NORM, np.float32(0.999999) * (NORM / length), 1.0).astype(np.float32)
    matrix *= scale[:, None].astype(np.float64)
    truth = rng.normal(size=(classes, first))
    labels = np.argmax(matrix @ truth.T + rng.gumbel(size=(n, classes)), axis=1)
    assert len(np.unique(labels)) == classes
    return x, codes, scale, labels, matrix


def main():
    out = pathlib.Path(__file__).with_suffix(".csv")
    with out.open("w", newline="", encoding="ascii") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([f"# scikit-learn {sklearn.__version__}: LogisticRegression(C=1.0, solver='newton-cholesky', tol=1e-12)"])
        for classes in (2, 3, 6):
            x, codes, scale, labels, matrix = problem(classes, classes)
            fit = LogisticRegression(C=1.0, solver="newton-cholesky", tol=1e-12, max_iter=1000).fit(matrix, labels)
            writer.writerow(["problem", classes, len(labels), x.shape[1], codes.shape[1], matrix.shape[1]])
            for i, label in enumerate(labels):
                writer.writerow(["row", label, float(scale[i]).hex(), *(float(v).hex() for v in x[i]), *codes[i]])
            bias = fit.intercept_ - (fit.intercept_.mean() if classes > 2 else 0.0)
            for k in range(fit.coef_.shape[0]):
                writer.writerow(["weights", *(repr(float(v)) for v in fit.coef_[k]), repr(float(bias[k]))])


if __name__ == "__main__":
    main()
