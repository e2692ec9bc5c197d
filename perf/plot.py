#!/usr/bin/env python3
"""Reads the JSON of kvcanary_perf, and prints its cases and targets as Markdown tables."""

import argparse
import json
import os
import re
import statistics
import sys

HOST_SPACES = {"Serial", "OpenMP"}
DISTURBED = 50  # preemptions a second, from which a host's figures are not to be believed

COLUMNS = [  # heading, counter
    ("median us", "median_us"),
    ("GB/s", "GB_per_s"),
    ("of copy", "of_copy"),
    ("slots/us", "slots_per_us"),
    ("x gather", "x_gather"),
    ("x plan+verify", "x_plan_verify"),
    ("x hash off", "x_hash_off"),
    ("x write half", "x_write_half"),
    ("x floor", "x_floor"),
    ("x straight", "x_straight"),
    ("x scatter", "x_scatter"),
    ("x write_requests", "x_write_requests"),
    ("x plan+write", "x_plan_and_write"),
    ("x empty", "x_empty"),
    ("x one endpoint", "x_one_endpoint"),
    ("x unchecked", "x_unchecked"),
    ("preempted /s", "preemptions_per_s"),
]

NOT_COUNTERS = {"iterations", "repetitions", "repetition_index", "threads", "family_index",
                "per_family_instance_index", "real_time", "cpu_time"}


def fail(message):
    sys.exit(f"plot.py: {message}")


# ---- reading -------------------------------------------------------------------------------------


def read(path):
    """The context, and {space: {operation: {case: {counter: value}}}}, but for copy."""
    try:
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
        context, runs = report["context"], report["benchmarks"]
    except OSError as error:
        fail(f"cannot read {path}: {error.strerror}")
    except (ValueError, KeyError, TypeError):
        fail(f"{path} is not what kvcanary_perf writes with --benchmark_out={path}")
    return context, by_space(counters_by_name(runs))


def counters_by_name(runs):
    """Repetitions of a case become one: the median of each counter."""
    values = {}
    for run in runs:
        if run.get("run_type", "iteration") != "iteration":
            continue
        if run.get("error_occurred"):
            print(f"plot.py: {run['name']} failed: {run.get('error_message')}", file=sys.stderr)
            continue
        case = values.setdefault(re.sub(r"/iterations:.*", "", run["name"]), {})
        for key, value in run.items():
            if isinstance(value, (int, float)) and key not in NOT_COUNTERS:
                case.setdefault(key, []).append(value)
    return {name: {key: statistics.median(list_) for key, list_ in case.items()}
            for name, case in values.items()}


def by_space(cases):
    copy = {}
    spaces = {}
    for name, counters in cases.items():
        operation, space, case = name.split("/", 2)
        if operation == "copy":
            copy[space] = counters["GB_per_s"]
        else:
            spaces.setdefault(space, {}).setdefault(operation, {})[case] = counters
    for space, operations in spaces.items():
        for of_operation in operations.values():
            add_derived(of_operation, copy.get(space))
    return spaces


def add_derived(cases, copy):
    """Counters that compare a case with another."""
    for case, counters in cases.items():
        if copy:
            counters["of_copy"] = counters["GB_per_s"] / copy
        off = re.sub("/kv:[^/]*/[^/]*/", "/kv:none/off/", case)
        if off != case and off in cases:
            counters["x_hash_off"] = counters["median_us"] / cases[off]["median_us"]


# ---- tables --------------------------------------------------------------------------------------


def digits(value):
    if value is None:
        return ""
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.3g}" if value >= 0.1 else f"{value:.2g}"


def print_row(cells):
    print("| " + " | ".join(cells) + " |")


def print_table(headings, rows):
    print_row(headings)
    print_row(["---"] * len(headings))
    for row in rows:
        print_row(row)
    print()


def print_cases(space, operation, cases):
    columns = [c for c in COLUMNS if any(c[1] in counters for counters in cases.values())]
    print(f"### {operation}, {space}\n")
    print_table(["case"] + [heading for heading, _ in columns],
                [[case] + [digits(counters.get(key)) for _, key in columns]
                 for case, counters in cases.items()])


# ---- targets -------------------------------------------------------------------------------------


def write_case(shape, endpoints=1, kv="none", mode="off"):
    return f"{shape}/prefix:4096/endpoints:{endpoints}/kv:{kv}/{mode}/full"


def verify_case(shape, kv="none", mode="off"):
    return f"{shape}/page:16/endpoints:1/kv:{kv}/{mode}/full"


def at_most(limit, counter):
    def judge(counters):
        return f"{digits(counters[counter])} {counter}", counters[counter] <= limit
    return judge, f"at most {limit} {counter}", [counter]


def of_copy(share):
    def judge(counters):
        return f"{counters['of_copy']:.0%} of copy", counters["of_copy"] >= share
    return judge, f"at least {share:.0%} of copy", ["of_copy"]


def floor_or_copy(limit, share):
    """The slower of the two: it is enough to be as fast as either."""
    def judge(counters):
        found = f"{digits(counters['x_floor'])} x_floor, {counters['of_copy']:.0%} of copy"
        return found, counters["x_floor"] <= limit or counters["of_copy"] >= share
    return judge, f"at most {limit} x_floor, or {share:.0%} of copy", ["x_floor", "of_copy"]


DEVICE_WRITE = [
    (write_case("32x4096"), at_most(1.25, "x_floor")),
    (write_case("32x16384"), at_most(1.25, "x_floor")),
    (write_case("32x4096", kv="2x16of32", mode="all"), at_most(1.3, "x_floor")),
    (write_case("32x4096", kv="1x2048", mode="all"), floor_or_copy(1.3, 0.6)),
    (write_case("1x1"), at_most(1.2, "x_empty")),
    (write_case("128x1"), at_most(1.2, "x_empty")),
    (write_case("1024x1"), at_most(1.2, "x_empty")),
    (write_case("32x128", endpoints=4), at_most(1.5, "x_one_endpoint")),
    (write_case("1024x128", endpoints=4), at_most(1.5, "x_one_endpoint")),
    (write_case("32x4096", endpoints=4), at_most(1.5, "x_one_endpoint")),
    (write_case("1x131072", endpoints=4), at_most(1.5, "x_one_endpoint")),
]

HOST_WRITE = [
    (write_case("1x4096"), at_most(1.3, "x_floor")),
    (write_case("1x131072"), at_most(1.3, "x_floor")),
    (write_case("32x4096"), at_most(1.3, "x_floor")),
    (write_case("1024x128"), at_most(0.5, "x_floor")),
]

LARGE_SHAPES = ["256x4096", "64x32768", "1024x1024"]

DEVICE_VERIFY = [
    *((verify_case(shape), of_copy(0.75)) for shape in LARGE_SHAPES),
    *((verify_case(shape), at_most(0.2, "x_plan_verify")) for shape in LARGE_SHAPES),
    (verify_case("1x4096"), at_most(3, "median_us")),
    (verify_case("256x4096", kv="1x16", mode="partial"), at_most(2, "x_hash_off")),
    (verify_case("256x4096", kv="1x1024", mode="all"), of_copy(0.7)),
]

HOST_VERIFY = [
    (verify_case("256x4096"), of_copy(0.5)),
]

DEVICE_TARGETS = {"write": DEVICE_WRITE, "verify": DEVICE_VERIFY}
HOST_TARGETS = {"write": HOST_WRITE, "verify": HOST_VERIFY}


def target_row(cases, case, judge, wanted, needed):
    counters = cases.get(case, {})
    if any(key not in counters for key in needed):
        return [case, wanted, "not measured", ""]
    found, met = judge(counters)
    if counters.get("preemptions_per_s", 0) > DISTURBED:
        return [case, wanted, found, "disturbed"]
    return [case, wanted, found, "yes" if met else "no"]


def print_targets(space, operation, cases):
    targets = (HOST_TARGETS if space in HOST_SPACES else DEVICE_TARGETS).get(operation)
    if not targets:
        return
    print(f"### {operation}, {space}: targets\n")
    print_table(["case", "target", "measured", "met"],
                [target_row(cases, case, *target) for case, target in targets])


# ---- picture -------------------------------------------------------------------------------------


IDEALS = {"write": "x_floor", "verify": "x_gather"}


def draw(spaces, path):
    try:
        import matplotlib
        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        fail("--png needs matplotlib (Debian: python3-matplotlib)")
    bars = [(f"{operation}/{space}/{case}", counters[IDEALS[operation]])
            for space, operations in spaces.items() for operation in IDEALS
            for case, counters in operations.get(operation, {}).items()]
    figure, axes = pyplot.subplots(figsize=(10, 1 + 0.2 * len(bars)))
    axes.barh([name for name, _ in bars], [value for _, value in bars])
    axes.axvline(1, color="black", linewidth=1)
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.set_xlabel("time of write / time of the floor, time of verify / time of the gather")
    axes.tick_params(axis="y", labelsize=7)
    try:
        figure.savefig(path, dpi=120, bbox_inches="tight")
    except (OSError, ValueError) as error:
        fail(f"cannot write {path}: {error}")


# ---- main ----------------------------------------------------------------------------------------


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("json", help="what kvcanary_perf wrote with --benchmark_out=FILE")
    parser.add_argument("--space", help="show this execution space alone: Cuda, OpenMP, ...")
    parser.add_argument("--png", metavar="FILE", help="draw the ratios to floor and gather as bars")
    arguments = parser.parse_args()

    context, spaces = read(arguments.json)
    if arguments.space:
        if arguments.space not in spaces:
            fail(f"{arguments.json} has no cases on {arguments.space}, but on "
                 f"{', '.join(spaces) or 'nothing'}")
        spaces = {arguments.space: spaces[arguments.space]}
    if not spaces:
        fail(f"{arguments.json} holds no cases")

    machine = context.get("Cuda_device", context.get("cpu", "?"))
    print(f"commit {context.get('commit', '?')}, {machine}, Kokkos {context.get('kokkos', '?')}, "
          f"{context.get('date', '?')}\n")
    for space, operations in spaces.items():
        for operation, cases in operations.items():
            print_cases(space, operation, cases)
            print_targets(space, operation, cases)
    if arguments.png:
        draw(spaces, arguments.png)


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:  # piped into head, say
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
