"""Mutants of a C file: places where one token, statement or pair of arguments may change."""
import re

TOKEN = re.compile(r"""
    (?P<skip>/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|^[ ]*\#(?:\\\n|[^\n])*|\s+)
  | (?P<number>0[xX][0-9a-fA-F.]+(?:[pP][-+]?\d+)?[uUlLfF]*|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?[uUlLfF]*)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<op><<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||\+=|-=|\*=|/=|&=|\|=|\^=|.)
""", re.X | re.S | re.M)

SWAPS = {"<": ["<="], "<=": ["<"], ">": [">="], ">=": [">"], "==": ["!="], "!=": ["=="], "&&": ["||"], "||": ["&&"],
         "<<": [">>"], ">>": ["<<"], "+": ["-"], "-": ["+"], "*": ["+"], "/": ["*"], "%": ["/"], "&": ["|"], "|": ["&"],
         "^": ["|"], "+=": ["-="], "-=": ["+="], "*=": ["+="], "|=": ["&="], "&=": ["|="], "^=": ["|="]}
# What a line says with these is no arithmetic: a message, a type, a rule that aborts.
LEFT_OUT = re.compile(r"\b(REQUIRE|PROFILE|NEED_MEMORY|fault_set|_Static_assert|sizeof|typedef|enum|struct)\b|prefetch|char \w+\[")
STATEMENT = re.compile(r"^[ ]+(?!return|break|continue|static|const|else|goto|case|default|typedef)"
                       r"(?:[\w>.\[\]*&()+ -]+ [-+*/|&^]?= [^;{}]*|\w+\([^;{}]*\)(?:, [^;{}]*)?|[\w>.\[\]-]+(?:\+\+|--));$", re.M)
GRAIN = re.compile(r"\bpool_for\([^,]+,[^,]+, $")  # how many pieces a thread takes at once: any number does
ARRAY = re.compile(r"^\s+(?:(?:static|const|unsigned) )*(?:[A-Z]\w+|float|double|bool|int|size_t|u?int\d+_t) [^=;(]*\[$")  # its size: one more changes nothing
COMMUTE = {"dot_f32", "min_size", "max_size", "fmin", "fmax", "fminf", "fmaxf"}  # whose arguments may be swapped
BINARY_AFTER = re.compile(r"[\w)\]]\s*$")


def tokens(source):
    """(kind, text, offset) of everything but space, comments, strings and preprocessor lines."""
    for match in TOKEN.finditer(source):
        if match.lastgroup != "skip":
            yield match.lastgroup, match.group(), match.start()


def bodies(source):
    """Ranges of function bodies: from a brace after `)` at depth 0 to the one that closes it."""
    depth, begin, before = 0, None, ""
    for _, text, at in tokens(source):
        if text == "{":
            if depth == 0 and before == ")":
                begin = at
            depth += 1
        elif text == "}":
            depth -= 1
            if depth == 0 and begin is not None:
                yield begin, at
                begin = None
        before = text


def numbers(text):
    """The number, one more, one less."""
    if re.fullmatch(r"\d+[uUlL]*", text):
        digits, suffix = re.match(r"(\d+)(\w*)", text).groups()
        return [str(int(digits) + 1) + suffix] + ([str(int(digits) - 1) + suffix] if int(digits) else [])
    if re.fullmatch(r"0[xX][0-9a-fA-F]+[uUlL]*", text):
        digits, suffix = re.match(r"0[xX]([0-9a-fA-F]+)(\w*)", text).groups()
        return [hex(int(digits, 16) ^ 1) + suffix, hex(int(digits, 16) >> 1) + suffix]
    return ["(" + text + " * 1.001f)"] if re.fullmatch(r"[\d.eE+-]+f?", text) and re.search(r"[1-9]", text) else []


def changes(source):
    """Every (begin, end, replacement, what) of a file's functions."""
    listed = list(tokens(source))
    for begin, end in bodies(source):
        inside = [t for t in listed if begin < t[2] < end]
        for i, (kind, text, at) in enumerate(inside):
            line = source[source.rfind("\n", 0, at) + 1:(source.find("\n", at) + 1 or None)]
            if LEFT_OUT.search(line):
                continue
            if kind == "number" and GRAIN.search(source[source.rfind("\n", 0, at) + 1:at]):
                continue
            if kind == "number":
                size = ARRAY.match(source[source.rfind("\n", 0, at) + 1:at])
                for new in numbers(text)[1 if size else 0:]:
                    yield at, at + len(text), new, f"{text} -> {new}"
            elif kind == "op" and text in SWAPS and BINARY_AFTER.search(source[begin:at]) and source[at + len(text)] == " ":
                for new in SWAPS[text]:
                    yield at, at + len(text), new, f"{text} -> {new}"
            elif text == "!" and inside[i + 1][1] != "=":
                yield at, at + 1, "", "! dropped"
            elif kind == "name" and text not in COMMUTE and i + 5 < len(inside) and inside[i + 1][1] == "(":
                first, comma, second, after = inside[i + 2], inside[i + 3], inside[i + 4], inside[i + 5]
                if first[0] == second[0] == "name" and comma[1] == "," and after[1] in ",)" and first[1] != second[1]:
                    yield (first[2], second[2] + len(second[1]), second[1] + ", " + first[1],
                           f"{text}({first[1]}, {second[1]}) swapped")
        for match in STATEMENT.finditer(source, begin, end):
            if not LEFT_OUT.search(match.group()) and not re.match(r"\s*(size_t|int|float|double|bool|u?int\d+_t|[A-Z]\w+) [*\w]", match.group()):
                yield match.start(), match.end(), ";", f"removed: {' '.join(match.group().split())}"
