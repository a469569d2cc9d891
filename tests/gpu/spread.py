# SPDX-License-Identifier: MIT
"""How much medians of the same kernel differ from one judging to the next, and why: figures over records."""
import statistics

BAR_US, BAR_SHARE = 0.1, 0.01  # what medians may differ by
COUNTS = (30, 60, 100)


def midmean(values):
    """Of the middle half: as blind to outliers as the median, and not tied to the clock's 32 ns."""
    s = sorted(values)
    cut = len(s) // 4
    return statistics.fmean(s[cut:len(s) - cut])


ESTIMATES = {"median": statistics.median, "midmean": midmean}


def iqr(values):
    s = sorted(values)
    return s[3 * len(s) // 4] - s[len(s) // 4]


def extent(values):
    return max(values) - min(values)


def holds(values):
    return extent(values) <= max(BAR_US, BAR_SHARE * statistics.median(values))


def by_arenas(size):
    """Samples by the pair of buffers they were taken in."""
    pairs = {}
    for us, i, o in zip(size["samples"], size["sample_in"], size["sample_out"]):
        pairs.setdefault(f"{i},{o}", []).append(us)
    return pairs


def describe(n, sizes):
    """One problem size, judged several times: medians, their spread and where it comes from."""
    medians = [s["cold_us"] for s in sizes]
    pairs = [{k: statistics.median(v) for k, v in sorted(by_arenas(s).items())} for s in sizes]
    return {
        "n": n,
        "medians_us": medians,
        "median_us": statistics.median(medians),
        "range_us": extent(medians),
        "range_percent": 100 * extent(medians) / statistics.median(medians),
        "holds": holds(medians),
        "iqr_us": [iqr(s["samples"]) for s in sizes],
        "interval_us": [[s["cold_lo"], s["cold_hi"]] for s in sizes],
        # Between buffers of one judging; where this is as large as the range, the place of memory is the cause.
        "arena_medians_us": pairs,
        "arena_range_us": statistics.median(extent(p.values()) for p in pairs),
        "halves_us": statistics.median(halves(s["samples"]) for s in sizes),
        "samples_us": [s["samples"] for s in sizes],
        "sample_in": [s["sample_in"] for s in sizes],
        "sample_out": [s["sample_out"] for s in sizes],
        "sample_runner": [s["sample_runner"] for s in sizes],
    }


def halves(samples):
    """Every other call against the rest: what the number of calls alone lets medians differ by."""
    return abs(statistics.median(samples[::2]) - statistics.median(samples[1::2]))


def print_described(row):
    print(f"repeat: N={row['n']:<9} {len(row['medians_us'])} medians around {row['median_us']:.3f} us, range "
          f"{row['range_us']:.3f} us = {row['range_percent']:.2f} %: {'holds' if row['holds'] else 'TOO FAR APART'}")
    print("        medians " + " ".join(f"{v:.3f}" for v in row["medians_us"]))
    print(f"        within a run: IQR {statistics.median(row['iqr_us']):.3f} us, halves differ by "
          f"{row['halves_us']:.3f} us, medians of its arenas by {row['arena_range_us']:.3f} us")


def extents(sizes):
    """{"30 median": range of that estimate over the runs, ...} for as many calls as every run has."""
    most = min(len(s["samples"]) for s in sizes)
    out = {}
    for count in [c for c in COUNTS if c <= most]:
        for name, estimate in ESTIMATES.items():
            out[f"{count} {name}"] = extent([estimate(s["samples"][:count]) for s in sizes])
    return out
