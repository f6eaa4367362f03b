"""The grammar of shell commands: a command is read from left to right into its simple commands and their words."""

from __future__ import annotations

_OPERATORS = ("&&", "||", ";;", "|&", "|", "&", ";")
_REDIRECTIONS = ("&>>", "&>", "<<<", "<<-", "<<", "<&", "<>", "<", ">>", ">&", ">|", ">")
_WRITES = frozenset({"&>>", "&>", ">>", ">&", ">|", ">"})
_NO_FILES = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"})
_PLAIN_END = frozenset(" \t\r\n\\'\"$`#&|;<>()")


class Part:
    """A simple command: the operator `before` it ("" at the start, ";" for a line break) and its `words`.

    The words are without quotes, redirections and comments. `text` is the command as it was written, `writes` says
    whether its standard output goes into a file.
    """

    __slots__ = ("before", "text", "words", "writes")

    def __init__(self, before: str, words: tuple[str, ...], text: str, *, writes: bool) -> None:
        self.before, self.words, self.text, self.writes = before, words, text, writes


class Script:
    """The simple commands of a command, in their order.

    `end` is the operator after the last one, "" for none. `is_complete` is false where a quote or a bracket stays
    open, `is_grouped` true where commands stand in brackets.
    """

    __slots__ = ("end", "is_complete", "is_grouped", "parts")

    def __init__(self, parts: tuple[Part, ...], end: str, *, is_complete: bool, is_grouped: bool) -> None:
        self.parts, self.end, self.is_complete, self.is_grouped = parts, end, is_complete, is_grouped


class Reader:
    """Reads one command from left to right."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._at = 0
        self._parts: list[Part] = []
        self._before = ""
        self._start = 0
        self._words: list[str] = []
        self._word: str | None = None
        self._is_quoted = False
        self._redirection = ""
        self._writes = False
        self._terminators: list[str] = []  # of here-documents whose text begins after the line
        self._is_complete = True
        self._is_grouped = False

    def script(self) -> Script:
        """Return all of it."""
        while self._at < len(self._source):
            self._step(self._source[self._at])
        self._end_part("")
        return Script(tuple(self._parts), self._before, is_complete=self._is_complete, is_grouped=self._is_grouped)

    def _step(self, character: str) -> None:
        if character in " \t\r":
            self._end_word()
            self._at += 1
        elif character == "\n":
            self._end_part(";")
            self._at += 1
            self._skip_documents()
        elif character in "\\'\"$`":
            self._quoted(character)
        elif character == "#" and self._word is None:
            end = self._source.find("\n", self._at)
            self._at = len(self._source) if end < 0 else end
        elif character in "()":
            self._is_grouped = True
            self._end_part(";")
            self._at += 1
        elif character in "<>" or self._source.startswith("&>", self._at):
            self._redirect()
        elif character in "&|;":
            operator = next(candidate for candidate in _OPERATORS if self._source.startswith(candidate, self._at))
            self._end_part(operator)
            self._at += len(operator)
        else:
            end = self._at + 1
            while end < len(self._source) and self._source[end] not in _PLAIN_END:
                end += 1
            self._add(self._source[self._at : end], end)

    def _quoted(self, character: str) -> None:
        source, at = self._source, self._at
        if character == "\\":
            is_line_break = source.startswith(("\\\n", "\\\r\n"), at)
            end = source.index("\n", at) + 1 if is_line_break else at + 2
            if is_line_break:
                self._at = end
            else:
                self._add(source[at + 1 : end], end)
        elif character == "'":
            end = self._closing("'", at + 1)
            self._add(source[at + 1 : end], end + 1)
        elif character == '"':
            self._double_quoted()
        elif character == "`":
            end = self._closing("`", at + 1)
            self._add(source[at : end + 1], end + 1)
        elif source.startswith("$(", at):
            end = self._closing_bracket(at + 2)
            self._add(source[at:end], end)
        else:
            self._add("$", at + 1)
            return
        self._is_quoted = True

    def _double_quoted(self) -> None:
        source, at, value = self._source, self._at + 1, ""
        while at < len(source) and source[at] != '"':
            if source[at] == "\\" and source[at + 1 : at + 2] in ("\\", '"', "$", "`", "\n"):
                value += "" if source[at + 1] == "\n" else source[at + 1]
                at += 2
            else:
                value += source[at]
                at += 1
        self._is_complete = self._is_complete and at < len(source)
        self._add(value, at + 1)

    def _closing(self, sign: str, at: int) -> int:
        end = self._source.find(sign, at)
        self._is_complete = self._is_complete and end >= 0
        return len(self._source) if end < 0 else end

    def _closing_bracket(self, at: int) -> int:
        """Return the place after the bracket that closes the one before `at`."""
        depth = 1
        while at < len(self._source) and depth:
            depth += {"(": 1, ")": -1}.get(self._source[at], 0)
            at += 1
        self._is_complete = self._is_complete and not depth
        return at

    def _redirect(self) -> None:
        source = self._source
        if source.startswith(("<(", ">("), self._at):
            end = self._closing_bracket(self._at + 2)
            self._add(source[self._at : end], end)
            return
        operator = next(candidate for candidate in _REDIRECTIONS if source.startswith(candidate, self._at))
        is_standard_output = True
        if self._word is not None and self._word.isdigit() and not self._is_quoted:
            is_standard_output = self._word == "1"
            self._word = None
        self._end_word()
        self._redirection = operator if is_standard_output or operator not in _WRITES else "2>"
        self._at += len(operator)

    def _add(self, value: str, end: int) -> None:
        self._word = (self._word or "") + value
        self._at = end

    def _end_word(self) -> None:
        word, self._word, self._is_quoted = self._word, None, False
        if word is None:
            return
        redirection, self._redirection = self._redirection, ""
        if not redirection:
            self._words.append(word)
        elif redirection in ("<<", "<<-"):
            self._terminators.append(word)
        elif redirection in _WRITES and word not in _NO_FILES:
            is_descriptor = redirection == ">&" and (word.isdigit() or word == "-")
            self._writes = self._writes or not is_descriptor

    def _end_part(self, operator: str) -> None:
        self._end_word()
        if self._words or self._writes:
            text = self._source[self._start : self._at].strip()
            self._parts.append(Part(self._before, tuple(self._words), text, writes=self._writes))
            self._before = operator
        elif operator in ("&", "&&", "|", "||", "|&"):
            self._before = operator
        self._words, self._writes, self._redirection = [], False, ""
        self._start = self._at + len(operator)

    def _skip_documents(self) -> None:
        for terminator in self._terminators:
            while self._at < len(self._source):
                end = self._source.find("\n", self._at)
                line = self._source[self._at : None if end < 0 else end]
                self._at = len(self._source) if end < 0 else end + 1
                if line.strip() == terminator:
                    break
        self._terminators = []
        self._start = self._at
