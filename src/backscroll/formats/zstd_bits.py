"""The two entropy codes of Zstandard: bit streams that are read from their end, FSE tables, Huffman tables.

RFC 8878, sections 4.1 and 4.2.  `zstd` puts them together.
"""

from typing import NamedTuple

from backscroll.formats.cursor import MalformedError

MAX_WEIGHT_LOG = 6
_MAX_HUFFMAN_BITS = 11
_REFILL = 16


class Bits:
    """Reads a stream backwards: its last byte holds a one that marks the start, and what is below it comes first."""

    __slots__ = ("_count", "_data", "_held", "_missing", "_position")

    def __init__(self, data: bytes) -> None:
        if not data or not data[-1]:
            raise MalformedError("bit stream without a start mark")
        self._data = data
        self._position = len(data) - 1
        self._held = data[-1]
        self._count = data[-1].bit_length() - 1
        self._missing = 0

    def read(self, width: int) -> int:
        """Read so many bits; behind the end stand zeros, which `is_finished` knows of."""
        if width > self._count:
            self._refill(width)
        self._count -= width
        return self._held >> self._count & (1 << width) - 1

    def peek(self, width: int) -> int:
        """Return the next bits without reading them."""
        if width > self._count:
            self._refill(width)
        return self._held >> self._count - width & (1 << width) - 1

    def skip(self, width: int) -> None:
        """Read bits that were peeked at."""
        self._count -= width

    @property
    def is_over(self) -> bool:
        """Tell whether more was read than there is."""
        return self._count < self._missing

    @property
    def is_finished(self) -> bool:
        """Tell whether exactly all was read."""
        return self._position == 0 and self._count == self._missing

    def _refill(self, width: int) -> None:
        held = self._held & (1 << self._count) - 1
        start = max(0, self._position - _REFILL)
        taken = self._position - start
        self._held = held << 8 * taken | int.from_bytes(self._data[start : self._position], "little")
        self._count += 8 * taken
        self._position = start
        if self._count < width:
            self._held <<= 8 * _REFILL
            self._count += 8 * _REFILL
            self._missing += 8 * _REFILL


class Fse(NamedTuple):
    """A table of states: for each its symbol, how many bits lead on from it, and the lowest state they lead to."""

    log: int
    symbols: list[int]
    widths: list[int]
    bases: list[int]


def fse_of_one(symbol: int) -> Fse:
    """Return the table that gives one symbol for ever."""
    return Fse(0, [symbol], [0], [0])


def fse_table(counts: list[int], log: int) -> Fse:
    """Build a table from how often each symbol occurs; -1 is less than once."""
    size = 1 << log
    symbols = [0] * size
    high = size - 1
    for symbol, count in enumerate(counts):
        if count == -1:
            symbols[high] = symbol
            high -= 1
    step, position = (size >> 1) + (size >> 3) + 3, 0
    for symbol, count in enumerate(counts):
        for _ in range(max(count, 0)):
            symbols[position] = symbol
            position = position + step & size - 1
            while position > high:
                position = position + step & size - 1
    following = [1 if count == -1 else count for count in counts]
    widths, bases = [], []
    for symbol in symbols:
        state = following[symbol]
        following[symbol] += 1
        width = log - state.bit_length() + 1
        widths.append(width)
        bases.append((state << width) - size)
    return Fse(log, symbols, widths, bases)


def read_fse(data: bytes, start: int, max_log: int, max_symbol: int) -> tuple[Fse, int]:
    """Read a table's description from `start`; return the table and the place behind it."""
    bits = int.from_bytes(data[start : start + 512], "little")
    log = (bits & 15) + 5
    if log > max_log:
        raise MalformedError("FSE table too fine")
    at, left = 4, (1 << log) + 1
    counts: list[int] = []
    while left > 1:
        if len(counts) > max_symbol:
            raise MalformedError("FSE table of too many symbols")
        width = left.bit_length()
        value = bits >> at & (1 << width) - 1
        # Small values save a bit: there are fewer than 2^width of them.
        threshold = (1 << width) - 1 - left
        if value & (1 << width - 1) - 1 < threshold:
            value &= (1 << width - 1) - 1
            at += width - 1
        else:
            at += width
            if value >= 1 << width - 1:
                value -= threshold
        counts.append(value - 1)
        left -= abs(value - 1)
        if value == 1:
            at = _repeat_zeros(bits, at, counts)
    end = start + (at + 7) // 8
    if left != 1 or len(counts) > max_symbol + 1 or end > len(data):
        raise MalformedError("FSE table does not add up")
    return fse_table(counts, log), end


def _repeat_zeros(bits: int, at: int, counts: list[int]) -> int:
    while True:
        repeat = bits >> at & 3
        at += 2
        counts += [0] * repeat
        if repeat != 3 or len(counts) > 255:
            return at


class Huffman(NamedTuple):
    """For each value of the next `width` bits: the symbol, and how many of them it takes."""

    width: int
    symbols: bytes
    lengths: bytes


def read_huffman(data: bytes, start: int) -> tuple[Huffman, int]:
    """Read a tree's description from `start`; return its table and the place behind it."""
    if start >= len(data):
        raise MalformedError("Huffman tree is cut short")
    header = data[start]
    start += 1
    if header < 128:
        end = start + header
        weights = _packed_weights(data[start:end])
    else:
        count = header - 127
        end = start + (count + 1) // 2
        weights = [half for byte in data[start:end] for half in (byte >> 4, byte & 15)][:count]
    if end > len(data):
        raise MalformedError("Huffman tree is cut short")
    return _huffman_table(weights), end


def _packed_weights(data: bytes) -> list[int]:
    table, start = read_fse(data, 0, MAX_WEIGHT_LOG, 255)
    bits = Bits(data[start:])
    states = [bits.read(table.log), bits.read(table.log)]
    weights: list[int] = []
    turn = 0
    while len(weights) < 255:
        state = states[turn]
        weights.append(table.symbols[state])
        states[turn] = table.bases[state] + bits.read(table.widths[state])
        turn ^= 1
        if bits.is_over:
            weights.append(table.symbols[states[turn]])
            return weights
    raise MalformedError("Huffman tree of too many symbols")


def _huffman_table(weights: list[int]) -> Huffman:
    total = sum(1 << weight - 1 for weight in weights if weight)
    width = total.bit_length()
    rest = (1 << width) - total
    if not total or width > _MAX_HUFFMAN_BITS or rest & rest - 1:
        raise MalformedError("Huffman tree does not add up")
    weights = [*weights, rest.bit_length()]
    symbols, lengths = bytearray(), bytearray()
    for weight in range(1, width + 1):
        for symbol, other in enumerate(weights):
            if other == weight:
                symbols += bytes([symbol]) * (1 << weight - 1)
                lengths += bytes([width + 1 - weight]) * (1 << weight - 1)
    return Huffman(width, bytes(symbols), bytes(lengths))


def read_literals(data: bytes, table: Huffman, count: int) -> bytes:
    """Read `count` symbols from one stream, which must hold exactly that many."""
    bits = Bits(data)
    peek, skip = bits.peek, bits.skip
    width, symbols, lengths = table
    output = bytearray(count)
    for place in range(count):
        code = peek(width)
        output[place] = symbols[code]
        skip(lengths[code])
    if not bits.is_finished:
        raise MalformedError("literals do not fill their stream")
    return bytes(output)
