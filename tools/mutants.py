"""The small changes that tools/mutate makes in a C file, one at a time.

Only bodies of functions and the numbers of tables change: no declarations, comments, strings,
characters, preprocessor lines or assertions, no {0}, nothing that only gets or gives memory, also
in a loop, or says how much of it to begin with, and of comparisons for qsort only what they say of
unequal elements. The text is read as tokens. That a binary `*` has a blank behind it and the `*` of
a pointer has none is what clang-format sees to."""
import re

TOKEN = re.compile(
    r"""(?P<space>\s+|\\\n)
    |(?P<comment>/\*.*?\*/|//[^\n]*)
    |(?P<line>(?m:^)[ \t]*\#(?:\\\n|/\*.*?\*/|[^\n])*)
    |(?P<string>(?:L|u8?|U)?(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'))
    |(?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
    |(?P<name>[A-Za-z_]\w*)
    |(?P<mark><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)""",
    re.S | re.X,
)
DIRECTIVE = re.compile(r"[ \t]*#(?:\\\n|/\*.*?\*/|[^\n])*", re.S)

SWAPS = {
    "+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "%": ["*"],
    "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"],
    "==": ["!="], "!=": ["=="], "&&": ["||"], "||": ["&&"],
    "&": ["|"], "|": ["&"], "^": ["&"], "<<": [">>"], ">>": ["<<"],
    "+=": ["-="], "-=": ["+="], "*=": ["/="], "/=": ["*="], "%=": ["*="],
    "&=": ["|="], "|=": ["&="], "^=": ["&="], "<<=": [">>="], ">>=": ["<<="],
    "++": ["--"], "--": ["++"],
}  # fmt: skip
BOTH = {"+", "-", "*", "&"}  # binary or unary
CONTROL = {"if", "for", "while", "switch"}
KEYWORDS = CONTROL | {"return", "case", "goto", "default", "else", "do", "sizeof"}
TYPES = {"const", "static", "struct", "enum", "union", "typedef", "extern", "void", "char", "int",
         "unsigned", "signed", "long", "short", "float", "double", "bool", "register", "volatile",
         "_Alignas", "_Atomic"}  # fmt: skip
UNTOUCHED = {"NADI_ASSERT", "NADI_BUG", "static_assert", "_Static_assert", "offsetof", "alignof"}
# Leaks and rooms of the wrong size are what the run under AddressSanitizer finds.
UNTOUCHED |= {"NADI_NEW", "NADI_ZNEW", "NADI_ARENA_NEW", "NADI_ARENA_ZNEW", "nadi_arena_init", "nadi_mem_alloc",
              "nadi_mem_zalloc", "nadi_mem_grow", "nadi_arena_alloc"}  # fmt: skip
# Room that grows, or that was made too small: the same.
ROOMS = {"NADI_RESERVE", "nadi_map64_init"}
FREES = re.compile(r"(nadi_\w+_)?(free|release|destroy|close)|let_go|fy_diag_reset_error")
RELEASES = re.compile(r"\w*_(release|destroy)|release|destroy")


class Token:
    __slots__ = ("kind", "text", "at", "end", "mate")

    def __init__(self, kind, text, at):
        self.kind, self.text, self.at, self.end, self.mate = kind, text, at, at + len(text), None


class Mutant:
    """text[at:end] becomes `new`. span: characters of the statement or head of a statement that it
    is in; function: the one it is in, "" in a table; body: its characters, or None."""

    __slots__ = ("at", "end", "new", "span", "function", "body", "before", "after", "line")

    def __init__(self, at, end, new):
        self.at, self.end, self.new = at, end, new


def tokens_of(text):
    found, at = [], 0
    while at < len(text):
        line_start = text.rfind("\n", 0, at) + 1
        match = DIRECTIVE.match(text, at) if not text[line_start:at].strip() else None
        if match:
            at = match.end()
            continue
        match = TOKEN.match(text, at)
        if match.lastgroup not in ("space", "comment"):
            found.append(Token(match.lastgroup, match.group(), at))
        at = match.end()
    pairs, open_ = {")": "(", "]": "[", "}": "{"}, []
    for i, token in enumerate(found):
        if token.kind != "mark":
            continue
        if token.text in "([{":
            open_.append(i)
        elif token.text in pairs:
            if not open_ or found[open_[-1]].text != pairs[token.text]:
                raise ValueError(f"unbalanced '{token.text}' at character {token.at}")
            token.mate = open_.pop()
            found[token.mate].mate = i
    if open_:
        raise ValueError(f"'{found[open_[-1]].text}' at character {found[open_[-1]].at} stays open")
    return found


class Reader:
    def __init__(self, text):
        self.text = text
        self.tokens = tokens_of(text)
        self.mutants = []
        self.function, self.body = "", None
        self.compares = False  # the function is one that qsort calls

    def is_(self, i, text):
        return 0 <= i < len(self.tokens) and self.tokens[i].text == text

    def add(self, first, last, new, span, end=None):
        """Tokens first to last become `new`; span: the first and last token of the statement."""
        m = Mutant(self.tokens[first].at, self.tokens[last].end if end is None else end, new)
        m.span = (self.tokens[span[0]].at, self.tokens[span[1]].end)
        m.function, m.body = self.function, self.body
        self.mutants.append(m)

    # ---- within a statement ------------------------------------------------------------------

    def is_binary(self, i):
        before = self.tokens[i - 1]
        operand = (
            before.kind in ("number", "string")
            or (before.kind == "name" and before.text not in KEYWORDS | TYPES)
            or before.text in (")", "]")
        )
        if self.tokens[i].text not in BOTH:
            return operand
        return operand and self.text[self.tokens[i].end : self.tokens[i].end + 1].isspace()

    def numbers(self, i):
        text = self.tokens[i].text
        if self.compares and text == "1":
            return ["0"]  # of a comparison's result only the sign counts
        whole = re.fullmatch(r"(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)", text)
        if whole:
            value = int(whole[1], 0) if not re.fullmatch(r"0\d+", whole[1]) else int(whole[1], 8)
            return [f"{value + 1}{whole[2]}"] + ([f"{value - 1}{whole[2]}"] if value else [])
        try:
            value = float(text)
        except ValueError:
            return []
        if value >= 1000:  # by how little it may be off, no test says
            return [repr(2 * value), repr(value / 2)]
        return [repr(value + 1), repr(value - 1) if value >= 1 else "0.0"] if value else ["1.0"]

    def expression(self, first, last, declares):
        """Operators and constants of the tokens first to last."""
        i = first
        while i <= last:
            t = self.tokens[i]
            if t.text in UNTOUCHED | ROOMS and self.is_(i + 1, "("):
                i = self.tokens[i + 1].mate + 1
                continue
            empty = self.is_(i - 1, "{") and self.is_(i + 1, "}") and t.text == "0"
            if t.kind == "number" and not empty:
                size = declares and self.is_(i - 1, "[") and self.tokens[i - 2].kind == "name"
                if not (size and self.is_(i + 1, "]")):
                    for new in self.numbers(i):
                        self.add(i, i, new, (first, last))
            elif t.text in ("++", "--") or (t.text in SWAPS and self.is_binary(i)):
                swaps = SWAPS[t.text]
                if self.compares and t.text in ("<", ">"):
                    swaps = swaps[1:]  # nor what it says of equals, which are alike or not there
                for new in swaps:
                    self.add(i, i, new, (first, last))
            elif t.text in ("!", "~"):
                self.add(i, i, "", (first, last))
            i += 1

    def condition(self, first, last, forced, span):
        if first > last:
            return
        inner = self.text[self.tokens[first].at : self.tokens[last].end]
        if first == last and self.tokens[first].kind == "number":
            return
        for new in forced:
            self.add(first, last, new.format(inner), span)

    # ---- statements --------------------------------------------------------------------------

    def is_declaration(self, first, last):
        t = self.tokens
        if t[first].text in TYPES:
            return True
        if t[first].kind != "name" or last == first:
            return False
        if t[first + 1].kind == "name":
            return True
        i = first + 1
        while self.is_(i, "*"):
            i += 1
        return i > first + 1 and t[i].kind == "name" and not self.is_binary(first + 1)

    def end_of(self, first, last):
        """The `;` that ends a statement without a body."""
        i = first
        while i < last and not self.is_(i, ";"):
            i = self.tokens[i].mate if self.tokens[i].text in ("(", "[", "{") else i
            i += 1
        return i

    def statement(self, i, last):
        """One statement from token i; returns the token behind it."""
        t = self.tokens[i]
        if t.text == "{":
            self.block(i + 1, self.tokens[i].mate - 1)
            return self.tokens[i].mate + 1
        if t.text in CONTROL and self.is_(i + 1, "("):
            return self.head(i, last)
        if t.text in ("else", "do"):
            return i + 1
        if t.text in ("case", "default") or (t.kind == "name" and self.is_(i + 1, ":")):
            end = i
            while not self.is_(end, ":"):
                end += 1
            self.expression(i, end, False)
            return end + 1
        if t.kind == "name" and self.is_(i + 1, "(") and self.is_(self.tokens[i + 1].mate + 1, "{"):
            return self.tokens[i + 1].mate + 1  # a macro that loops
        end = self.end_of(i, last)
        self.simple(i, end)
        return end + 1

    def head(self, i, last):
        word, first, close = self.tokens[i].text, i + 2, self.tokens[i + 1].mate
        span = (i, close)
        if word == "for" and self.frees(close + 1):
            return close + 1
        if word == "if":
            self.condition(first, close - 1, ["!({})", "1 || ({})", "0 && ({})"], span)
        elif word == "while":
            self.condition(first, close - 1, ["!({})", "0 && ({})"], span)
        elif word == "for":
            middle = self.end_of(first, close) + 1
            end = self.end_of(middle, close)
            self.condition(middle, end - 1, ["!({})", "0 && ({})"], span)
        inner = self.is_declaration(first, close) if word == "for" else False
        before = len(self.mutants)
        self.expression(first, close - 1, inner)
        for m in self.mutants[before:]:
            m.span = (self.tokens[i].at, self.tokens[close].end)
        return close + 1

    def frees(self, first):
        """Whether the statement only gives memory back."""
        t = self.tokens[first]
        called = t.kind == "name" and self.is_(first + 1, "(") and self.tokens[first + 1].mate
        return called and self.is_(called + 1, ";") and FREES.fullmatch(t.text)

    def simple(self, first, end):
        t = self.tokens[first]
        declares = self.is_declaration(first, end)
        if t.text == "enum" or t.text in UNTOUCHED or self.is_(first, ";"):
            return
        frees = self.frees(first)
        unused = t.text == "(" and self.is_(first + 1, "void") and "(" not in [
            x.text for x in self.tokens[first + 3 : end]
        ]
        stays = t.text in KEYWORDS and not (t.text == "return" and end == first + 1)
        if not (declares or frees or unused or stays) and self.is_(end, ";"):
            self.add(first, end, ";", (first, end))
        self.expression(first, end, declares)

    def block(self, first, last):
        i = first
        while i <= last:
            i = self.statement(i, last)

    # ---- a file ------------------------------------------------------------------------------

    def table(self, i):
        """A table at file level: its numbers."""
        for k in range(i, self.tokens[i].mate):
            if self.tokens[k].kind == "number" and not self.is_(k - 1, "["):
                for new in self.numbers(k):
                    self.add(k, k, new, (i, self.tokens[i].mate))

    def read(self):
        i = 0
        while i < len(self.tokens):
            if self.tokens[i].text in ("(", "["):
                i = self.tokens[i].mate
            elif self.is_(i, "{"):
                close = self.tokens[i].mate
                if self.is_(i - 1, ")"):
                    self.function = self.tokens[self.tokens[i - 1].mate - 1].text
                    self.body = (self.tokens[i].at, self.tokens[close].end)
                    if RELEASES.fullmatch(self.function):
                        i = close
                        self.function, self.body = "", None
                        continue
                    parameters = [t.text for t in self.tokens[self.tokens[i - 1].mate : i]]
                    ends = parameters.count("void")  # of qsort_r a third
                    self.compares = ends == 2 or (ends == 3 and parameters.count("const") > 1)
                    self.block(i + 1, close - 1)
                    self.function, self.body, self.compares = "", None, False
                elif self.is_(i - 1, "="):
                    self.table(i)
                i = close
            i += 1
        for m in self.mutants:
            self.show(m)
        return self.mutants

    def show(self, m):
        """The lines that change, in one, before and after."""
        text = self.text
        start = text.rfind("\n", 0, m.at) + 1
        end = text.find("\n", m.end)
        end = len(text) if end < 0 else end
        m.line = text.count("\n", 0, m.at) + 1
        m.before = " ".join(text[start:end].split())
        m.after = " ".join((text[start : m.at] + m.new + text[m.end : end]).split())


def mutants_of(text):
    return Reader(text).read()


def apply(text, m):
    """The changed text, with as many lines as before: __LINE__ is the same behind it."""
    return text[: m.at] + m.new + "\n" * text.count("\n", m.at, m.end) + text[m.end :]
