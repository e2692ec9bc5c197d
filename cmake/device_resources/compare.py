#!/usr/bin/env python3
"""Prints what each kernel takes of a GPU, and compares it with the numbers that are kept.

Reads what nvcc (-Xptxas -v) or hipcc (-Rpass-analysis=kernel-resource-usage) say while they compile.
Fails when a kernel spills more, keeps more in memory, or takes noticeably more registers than the
kept file says, and when a kernel is not in that file, or no longer there. Compares nothing where the
file was made with other versions: another compiler makes other code.

Needs python3 and c++filt (or llvm-cxxfilt, or cu++filt). check_device_code.cmake runs it.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys

# ---- what is compared ----------------------------------------------------------------------------

# A kernel may take so many registers more before that is a regression: a few come and go with every
# change of the code.
FEW_REGISTERS = 8
ANY = None  # shown, but never a regression

# For each compiler: a column, the pattern of its number in the compiler's output, and by how much
# that may grow.
COLUMNS = {
    "nvcc": [
        ("registers", r"Used (\d+) registers", FEW_REGISTERS),
        ("stack", r"(\d+) bytes stack frame", 0),
        ("spill stores", r"(\d+) bytes spill stores", 0),
        ("spill loads", r"(\d+) bytes spill loads", 0),
        ("shared", r"(\d+) bytes smem", ANY),
    ],
    "hipcc": [
        ("VGPRs", r"  VGPRs: (\d+)", FEW_REGISTERS),
        ("AGPRs", r"  AGPRs: (\d+)", FEW_REGISTERS),
        ("SGPRs", r"  TotalSGPRs: (\d+)", FEW_REGISTERS),
        ("scratch", r"ScratchSize \[bytes/lane\]: (\d+)", 0),
        ("VGPR spills", r"VGPRs Spill: (\d+)", 0),
        ("SGPR spills", r"SGPRs Spill: (\d+)", 0),
        ("LDS", r"LDS Size \[bytes/block\]: (\d+)", ANY),
        ("waves", r"Occupancy \[waves/SIMD\]: (\d+)", ANY),
    ],
}
EXPLANATIONS = {
    "nvcc": "stack, spills: bytes a thread; shared: static, bytes a team",
    "hipcc": "scratch: bytes a lane; LDS: static, bytes a team; waves: that a SIMD has room for",
}
# Opens what is said of a function, which need not be a kernel.
FUNCTION = {"nvcc": r"Function properties for (\w+)", "hipcc": r"Function Name: (\w+)"}


def read_resources(tool, text):
    """{mangled name: {column: number}}; a column that is not mentioned is 0."""
    pieces = re.split(FUNCTION[tool], text)
    found = {}
    for name, said in zip(pieces[1::2], pieces[2::2]):
        matches = {column: re.search(pattern, said) for column, pattern, _ in COLUMNS[tool]}
        found[name] = {column: int(match[1]) if match else 0 for column, match in matches.items()}
    return found


# ---- names ---------------------------------------------------------------------------------------
# A kernel is a function template of Kokkos for a driver that holds one of our functors:
#
#   void Kokkos::Impl::..._launch_...<Kokkos::Impl::ParallelFor<FUNCTOR, POLICY, SPACE>, 128u, 4u>(...)
#
# Its short name is that of the functor, with as few of the template arguments as tell it from the
# other kernels of the same functor. Nothing here knows a functor by its name.


def demangle(names):
    filters = ["c++filt", "llvm-cxxfilt", "llvm-cxxfilt-21", "cu++filt"]
    command = next(filter(None, map(shutil.which, filters)), None)
    if command is None:
        sys.exit(f"kernels' names can't be read: there is none of {', '.join(filters)} here")
    run = subprocess.run([command], input="\n".join(names), text=True, capture_output=True, check=True)
    return dict(zip(names, run.stdout.splitlines()))


def split_template(text):
    """'A::B<C, D<E>>rest' as ('A::B', ['C', 'D<E>'], 'rest'); no arguments where there are none."""
    depth, begin, arguments = 0, 0, []
    for at, character in enumerate(text):
        if character in "<([{":
            if depth == 0 and character == "<":
                name, begin = text[:at], at + 1
            depth += 1
        elif character in ">)]}":
            depth -= 1
            if depth == 0 and character == ">":
                return name, [*arguments, text[begin:at].strip()], text[at + 1 :].strip()
        elif character == "," and depth == 1 and begin > 0:
            arguments.append(text[begin:at].strip())
            begin = at + 1
    return text, [], ""


NAMESPACE = re.compile(r"\b(?:kvcanary|detail|Kokkos|Impl|Experimental|std)::")
# What says no more than on which GPU a kernel runs.
DEVICE_TYPE = re.compile(r"(?:Cuda|HIP|\w+Space|\w+TeamMember)(?:<.*>)?")
WRAPPER = re.compile(r"Kokkos::Impl::(?:Parallel\w+|CombinedFunctorReducer)")


class Sources:
    """What mangled names don't hold: how enumerators and template parameters are called."""

    def __init__(self, folders):
        paths = sorted(path for folder in folders for path in pathlib.Path(folder).rglob("*.hpp"))
        texts = (path.read_text(encoding="utf-8") for path in paths)
        self.text = re.sub(r"//[^\n]*", "", "\n".join(texts))

    def enumerator(self, enum, value):
        match = re.search(rf"\benum\s+(?:class\s+)?{enum}\b[^{{;]*{{([^}}]*)}}", self.text)
        names = [name.strip() for name in match[1].split(",")] if match else []
        plain = all(re.fullmatch(r"\w*", name) for name in names)
        return names[value] if plain and value < len(names) else f"{enum}({value})"

    def parameter(self, template, index):
        match = re.search(
            rf"\btemplate\s*<((?:[^<>]|<[^<>]*>)*)>\s*(?:class|struct)\s+{template}\b", self.text
        )
        parameters = split_template(f"t<{match[1]}>")[1] if match else []
        return parameters[index].split("=")[0].split()[-1] if index < len(parameters) else ""


def shorten(text, sources, name_of_value=""):
    """A type or value without namespaces, device types and casts."""
    if text in ("true", "false") and name_of_value:
        return f"{name_of_value}={text}"
    enum = re.fullmatch(r"\(([\w:]+)\)(\d+)", text)
    if enum:
        return sources.enumerator(enum[1].rpartition("::")[2], int(enum[2]))
    number = re.fullmatch(r"(-?\d+)(?:u|l|ul|ll|ull)", text)
    if number:
        return number[1]
    name, arguments, rest = split_template(text)
    name, rest = NAMESPACE.sub("", name), NAMESPACE.sub("", rest)
    if not arguments:
        return name
    short = [shorten(argument, sources) for argument in arguments]
    short = [argument for argument in short if not DEVICE_TYPE.fullmatch(argument)]
    return f"{name}<{', '.join(short)}>{rest}" if short else name + rest


class KernelName:
    """A functor, and what tells its kernels apart: its template arguments first, the rest after."""

    def __init__(self, demangled, sources):
        self.full = demangled
        launch, launch_arguments, _ = split_template(demangled)
        functor, self.rest = demangled, []
        if launch_arguments:
            functor, *self.rest = launch_arguments
            self.rest.append(launch.rpartition("::")[2])
        while WRAPPER.match(functor):
            wrapper, inner, _ = split_template(functor)
            functor, self.rest = inner[0], [wrapper, *inner[1:], *self.rest]
        self.is_ours = functor.startswith("kvcanary::")  # not Kokkos's, of a type of ours
        name, arguments, tail = split_template(functor)
        self.functor = NAMESPACE.sub("", name + tail)
        self.arguments = [
            shorten(argument, sources, sources.parameter(self.functor, index))
            for index, argument in enumerate(arguments)
        ]
        self.rest = [shorten(part, sources) for part in self.rest]

    def parts(self):
        return [*self.arguments, *self.rest]

    def short(self, kept):
        """With the parts of these numbers."""
        count = len(self.arguments)
        arguments = [part for i, part in enumerate(self.parts()) if i in kept and i < count]
        rest = [part for i, part in enumerate(self.parts()) if i in kept and i >= count]
        name = f"{self.functor}<{', '.join(arguments)}>" if arguments else self.functor
        return f"{name} in {', '.join(rest)}" if rest else name


def short_names(mangled, sources):
    """{mangled name: short name}, and the number of kernels that are Kokkos's own."""
    names = {name: KernelName(full, sources) for name, full in demangle(mangled).items()}
    ours = {name: kernel for name, kernel in names.items() if kernel.is_ours}
    short = {}
    for functor in {kernel.functor for kernel in ours.values()}:
        group = {name: kernel for name, kernel in ours.items() if kernel.functor == functor}
        kept = set(range(max(len(kernel.parts()) for kernel in group.values())))

        def are_told_apart(kept):
            return len({kernel.short(kept) for kernel in group.values()}) == len(group)

        for part in sorted(kept, reverse=True):
            if are_told_apart(kept - {part}):
                kept.remove(part)
        for name, kernel in group.items():
            short[name] = kernel.short(kept) if are_told_apart(kept) else kernel.full
    return short, len(names) - len(ours)


# ---- the table, which is also what the kept file holds -------------------------------------------


def format_table(columns, table):
    rows = [["kernel", *columns]]
    rows += [[name, *(str(table[name][column]) for column in columns)] for name in sorted(table)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "".join(
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) + "\n"
        for row in rows
    )


MADE_WITH = "# Made with "


def format_kept(options, text):
    return (
        f"# What the kernels take on {options.target}. The test {options.test} fails when it is\n"
        f"# more; with KVCANARY_UPDATE_RESOURCES=1 in its environment, it rewrites this file.\n"
        f"# {EXPLANATIONS[options.tool]}\n{MADE_WITH}{options.made_with}\n\n{text}"
    )


def read_kept(path):
    """What the file was made with, and {name: {column: number}}."""
    made_with, rows = "", []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith(MADE_WITH):
            made_with = line[len(MADE_WITH) :]
        elif line and not line.startswith("#"):
            rows.append(re.split(r"\s{2,}", line.strip()))
    if not rows or any(len(row) != len(rows[0]) for row in rows):
        sys.exit(f"{path} holds no table, or a broken one")
    header, *rows = rows
    return made_with, {row[0]: dict(zip(header[1:], map(int, row[1:]))) for row in rows}


def versions(made_with):
    """The names and the versions, to the minor one, in 'nvcc 13.0.88, Kokkos 5.2.2'."""
    return re.findall(r"(\S+) (\d+\.\d+)", made_with)


# ---- comparing -----------------------------------------------------------------------------------


def compare(tool, kept, table):
    """What is wrong, and what else differs: two lists of lines."""
    wrong = [f"{name} is a new kernel" for name in sorted(table.keys() - kept.keys())]
    wrong += [f"{name} is gone" for name in sorted(kept.keys() - table.keys())]
    differs = []
    for name in sorted(table.keys() & kept.keys()):
        for column, _, tolerance in COLUMNS[tool]:
            before, now = kept[name].get(column, 0), table[name][column]
            if before == now:
                continue
            line = f"{name}: {column} {before} -> {now} ({now - before:+})"
            is_wrong = tolerance is not ANY and now - before > tolerance
            (wrong if is_wrong else differs).append(line)
    return wrong, differs


def print_lines(title, lines):
    if lines:
        print("\n".join([f"{title}:", *(f"  {line}" for line in lines)]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("outputs", nargs="+", type=pathlib.Path, help="what the compiler said")
    parser.add_argument("--tool", required=True, choices=sorted(COLUMNS))
    parser.add_argument("--target", required=True, help="the architecture")
    parser.add_argument("--test", required=True, help="the test's name")
    parser.add_argument("--made-with", required=True, help="as in 'nvcc 13.0.88, Kokkos 5.2.2'")
    parser.add_argument("--kept", required=True, type=pathlib.Path, help="the file of numbers")
    parser.add_argument("--sources", nargs="*", default=[], help="folders of headers, for names")
    parser.add_argument("--update", action="store_true", help="rewrite the file of numbers")
    options = parser.parse_args()
    sys.stdout.reconfigure(line_buffering=True)  # in step with what fails

    resources = {}
    for output in options.outputs:
        resources.update(read_resources(options.tool, output.read_text(encoding="utf-8")))
    if not resources:
        sys.exit("the compiler's output names no kernel, or in another way than it used to")
    names, num_others = short_names(list(resources), Sources(options.sources))
    table = {name: resources[mangled] for mangled, name in names.items()}
    text = format_table([column for column, _, _ in COLUMNS[options.tool]], table)
    print(f"{len(table)} kernels on {options.target}, with {options.made_with}")
    print(f"({EXPLANATIONS[options.tool]})\n\n{text}")
    if num_others > 0:
        print(f"not listed: {num_others} of Kokkos's own")

    how = f"KVCANARY_UPDATE_RESOURCES=1, or -D UPDATE=ON, rewrites {options.kept}"
    if options.update:
        options.kept.write_text(format_kept(options, text), encoding="utf-8")
        print(f"UPDATED {options.kept}")
        return
    if not options.kept.exists():
        sys.exit(f"there are no numbers to compare with: {how}")
    made_with, kept = read_kept(options.kept)
    if versions(made_with) != versions(options.made_with):
        print(f"NOT COMPARED: the kept numbers were made with {made_with}. {how}")
        return
    wrong, differs = compare(options.tool, kept, table)
    print_lines("Different, but no regression", differs)
    print_lines("REGRESSIONS", wrong)
    if wrong:
        sys.exit(f"kernels differ from the kept numbers. If that is meant: {how}")
    print(f"no regression against {options.kept}")
    if differs:
        print(f"To keep the numbers as they are now: {how}")


if __name__ == "__main__":
    main()
