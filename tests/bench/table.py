# SPDX-License-Identifier: BSD-3-Clause
"""Text tables, and the words of the last column."""


def show(title, heads, lines):
    """The first two columns are text, all others are numbers to the right."""
    width = [max(len(str(row[k])) for row in [heads] + lines) for k in range(len(heads))]
    print("\n" + title)
    for row in [heads] + lines:
        print("  ".join(str(cell).ljust(n) if k < 2 or k == len(heads) - 1 else str(cell).rjust(n)
                        for k, (cell, n) in enumerate(zip(row, width))).rstrip())


def seconds(s):
    return "%.4f s" % s if s < 0.1 else "%.3f s" % s if s < 10 else "%.1f s" % s


def megabytes(n, unit=1e6):
    return "-" if n is None else "%.1f MB" % (n / unit)


def mark(n):
    return "-" if n is None else "%g" % n


def verdict(ratio, floor, aim, problems):
    if problems:
        return "NOT OK"
    if ratio < floor:
        return "below floor"
    return "OK" if aim is None or ratio < aim else "OK, aim reached"
