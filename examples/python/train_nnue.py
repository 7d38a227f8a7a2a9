"""A small reference trainer of shogi networks: reads positions in YaneuraOu's form (PSV), writes nn.bin (HalfKP).

usage: train_nnue.py train.psv nn.bin [--validation other.psv] [--hidden 256] [--layers 32,32] [--epochs 1] ...
       train_nnue.py --show 5 positions.psv nn.bin

needs: pip install jax numpy, or pip install "jax[cuda12]" numpy for NVIDIA's GPUs. `--show` needs numpy alone.

`--show N` prints the first N positions and their values by the file, in whole numbers as engines calculate them:
those of `EvalFile` and `eval`. The files are those of all engines with YaneuraOu's HalfKP networks.
"""

import argparse
import struct
import sys
import time
from pathlib import Path

import numpy as np

# YaneuraOu's PackedSfenValue: position, value for the side to move, move, number of the move, result for that side.
RECORD = np.dtype([("position", "u1", 32), ("value", "<i2"), ("move", "<u2"), ("ply", "<u2"), ("result", "i1"), ("", "u1")])
# A piece has a number: in hand, or on the board 90 + 162 * row + 81 * enemy + square. HalfKP has one input for each
# pair of a square of the own king and such a number.
NUMBERS, ON_BOARD, PIECES = 1548, 90, 38
INPUTS = 81 * NUMBERS
# Huffman codes behind the first bit: name, bits lowest first, length, rows of the piece and of the promoted piece,
# first numbers of own and enemy pieces in hand.
CODES = [("P", 0b0, 1, 0, 4, 1, 20), ("L", 0b001, 3, 1, 4, 39, 44), ("N", 0b101, 3, 2, 4, 49, 54),
         ("S", 0b011, 3, 3, 4, 59, 64), ("G", 0b0111, 4, 4, None, 69, 74), ("B", 0b01111, 5, 5, 6, 79, 82),
         ("R", 0b11111, 5, 7, 8, 85, 88)]
# The value that a win of 1 / (1 + exp(-1)), 73 %, stands for; what engines divide the output by (FV_SCALE).
SCALE, FV_SCALE = 600, 16
# A fully active unit, weight 1 of the layers behind the hidden units, weight 1 of the output.
ACTIVE, WEIGHT, OUTPUT = 127, 64, SCALE * FV_SCALE / 127


def code_table(first_bit: bool) -> np.ndarray:
    """For each byte of a stream: length of the piece that begins there, index in CODES (-1: none), promoted, White's."""
    table = np.full((256, 4), -1, np.int64)
    for byte in range(256):
        bits, length = byte, 0
        if first_bit:
            if not bits & 1:
                table[byte] = (1, -1, 0, 0)
                continue
            bits, length = bits >> 1, 1
        for index, (name, code, size, *_) in enumerate(CODES):
            if bits & ((1 << size) - 1) == code:
                rest, length = bits >> size, length + size
                promoted = 0
                if name != "G":
                    promoted, rest, length = rest & 1, rest >> 1, length + 1
                table[byte] = (length + 1, index, promoted, rest & 1)
                break
    return table


ON_SQUARE, OFF_BOARD = code_table(True), code_table(False)


def unpack(packed: np.ndarray):
    """Of positions of 32 bytes: the side to move, the squares of both kings, and each of 38 pieces as (index in CODES,
    promoted, White's, square or -1); an index of -1 is a piece that a handicap took off."""
    count = len(packed)
    rows = np.arange(count)
    stream = np.concatenate([packed, np.zeros((count, 2), np.uint8)], axis=1).astype(np.int64)

    def window(cursor):
        byte = np.minimum(cursor >> 3, 32)
        return (stream[rows, byte] | stream[rows, byte + 1] << 8) >> (cursor & 7) & 255

    side = stream[:, 0] & 1
    kings = np.stack([(stream[:, 0] | stream[:, 1] << 8) >> 1 & 127, stream[:, 1] & 127], axis=1)
    cursor = np.full(count, 15)
    pieces = np.full((count, PIECES, 4), -1, np.int64)
    found = np.zeros(count, np.int64)

    def store(where, read, square):
        slot = np.minimum(found, PIECES - 1)
        pieces[rows[where], slot[where]] = np.concatenate([read[where, 1:], np.full((where.sum(), 1), square)], axis=1)
        found[where] += 1

    for square in range(81):
        free = (kings[:, 0] != square) & (kings[:, 1] != square)
        read = ON_SQUARE[window(cursor)]
        store(free & (read[:, 1] >= 0), read, square)
        cursor += np.where(free, read[:, 0], 0)
    while (inside := cursor < 256).any():
        read = OFF_BOARD[window(cursor)]
        if (read[inside, 0] < 1).any():
            raise ValueError("a position is damaged")
        # Promoted off the board is what no side has.
        store(inside & (read[:, 2] == 0), read, -1)
        cursor += np.where(inside, read[:, 0], 0)
    return side, kings, pieces


def features(unpacked):
    """The inputs of the side to move and of the other one, 38 each."""
    side, kings, pieces = unpacked
    index, promoted, white, square = (pieces[:, :, i] for i in range(4))
    plain = np.array([code[3] for code in CODES])
    better = np.array([code[4] or 0 for code in CODES])
    hand = np.array([code[5:7] for code in CODES])
    row = np.where(promoted == 1, better[index], plain[index])
    # The how-manieth of its kind in that hand a piece is.
    off = (index >= 0) & (square < 0)
    kind = np.where(off, index * 2 + white, -1)
    order = np.zeros_like(kind)
    for value in range(2 * len(CODES)):
        same = kind == value
        order += np.where(same, np.cumsum(same, axis=1) - 1, 0)
    both = []
    for viewer in (0, 1):
        enemy = (white != viewer).astype(np.int64)
        seen = square if viewer == 0 else 80 - square
        number = np.where(off, hand[index, enemy] + order, ON_BOARD + 162 * row + 81 * enemy + seen)
        number = np.where(index < 0, 0, number)
        king = kings[:, viewer] if viewer == 0 else 80 - kings[:, viewer]
        both.append(king[:, None] * NUMBERS + number)
    own = np.where(side[:, None] == 0, both[0], both[1])
    other = np.where(side[:, None] == 0, both[1], both[0])
    return own.astype(np.int32), other.astype(np.int32)


def sfens(packed: np.ndarray):
    """The positions as SFEN."""
    for side, kings, pieces in zip(*unpack(packed)):
        board, hands = [""] * 81, {}
        for name, square in zip("Kk", kings):
            board[square] = name
        for index, promoted, white, square in pieces:
            if index < 0:
                continue
            name = CODES[index][0].lower() if white else CODES[index][0]
            if square < 0:
                hands[name] = hands.get(name, 0) + 1
            else:
                board[square] = ("+" if promoted else "") + name
        ranks = []
        for rank in range(9):
            text, empty = "", 0
            for file in range(8, -1, -1):
                piece = board[file * 9 + rank]
                text += (str(empty) if empty and piece else "") + piece
                empty = 0 if piece else empty + 1
            ranks.append(text + (str(empty) if empty else ""))
        order = [name for names in ("RBGSNLP", "rbgsnlp") for name in names if name in hands]
        hand = "".join((str(hands[name]) if hands[name] > 1 else "") + name for name in order) or "-"
        yield f"{'/'.join(ranks)} {'bw'[side]} {hand} 1"


def is_quiet(unpacked, moves: np.ndarray) -> np.ndarray:
    """Where the move neither captures nor promotes; elsewhere the value is not that of the board as it is."""
    captures = (unpacked[2][:, :, 3] == (moves & 127)[:, None]).any(axis=1)
    return ~captures & (moves < 1 << 15)


def read_records(path: str) -> np.ndarray:
    size = Path(path).stat().st_size
    if size == 0 or size % RECORD.itemsize:
        sys.exit(f"{path}: {size} bytes are no records of {RECORD.itemsize} bytes (PSV)")
    return np.memmap(path, RECORD, mode="r")


# ---- nn.bin

class Network:
    """The whole numbers of a file: hidden units, and three layers of biases and weights[output][input]."""

    def __init__(self, biases, weights, layers):
        self.biases, self.weights, self.layers = biases, weights, layers

    def hashes(self):
        hidden = len(self.biases)
        layers_hash = 0xEC42E90D ^ 2 * hidden
        for biases, _ in self.layers:
            output = 0xCC03DAE4 + len(biases) & 0xFFFFFFFF
            output ^= layers_hash >> 1 ^ layers_hash << 31 & 0xFFFFFFFF
            layers_hash = output + 0x538D24C7 & 0xFFFFFFFF if len(biases) != 1 else output
        return 0x5D69D5B8 ^ 2 * hidden, layers_hash

    def write(self, path: str) -> None:
        hidden = len(self.biases)
        first, second = len(self.layers[0][0]), len(self.layers[1][0])
        description = (f"Features=HalfKP(Friend)[{INPUTS}->{hidden}x2],Network=AffineTransform[1<-{second}](ClippedReLU"
                       f"[{second}](AffineTransform[{second}<-{first}](ClippedReLU[{first}](AffineTransform[{first}<-"
                       f"{2 * hidden}](InputSlice[{2 * hidden}(0:{2 * hidden})])))))").encode()
        units_hash, layers_hash = self.hashes()
        parts = [struct.pack("<III", 0x7AF32F16, units_hash ^ layers_hash, len(description)), description,
                 struct.pack("<I", units_hash), self.biases.astype("<i2").tobytes(),
                 self.weights.astype("<i2").tobytes(), struct.pack("<I", layers_hash)]
        for biases, weights in self.layers:
            padded = np.zeros((len(biases), -(-weights.shape[1] // 32) * 32), np.int8)
            padded[:, :weights.shape[1]] = weights
            parts += [biases.astype("<i4").tobytes(), padded.tobytes()]
        partial = Path(path + ".part")
        partial.write_bytes(b"".join(parts))
        partial.replace(path)

    @staticmethod
    def read(path: str) -> "Network":
        """Reads a file of HalfKP; the description states the sizes."""
        data = Path(path).read_bytes()
        version, _, length = struct.unpack_from("<III", data)
        text = data[12:12 + length].decode("ascii", "replace")
        if version != 0x7AF32F16 or f"[{INPUTS}->" not in text:
            sys.exit(f"{path}: this is no nn.bin with inputs of HalfKP")
        hidden = int(text.split(f"[{INPUTS}->")[1].split("x2]")[0])
        sizes = [int(part.split("<-")[0]) for part in text.split("AffineTransform[")[1:]][::-1]
        at = 12 + length + 4

        def take(kind, count):
            nonlocal at
            numbers = np.frombuffer(data, kind, count, at)
            at += numbers.nbytes
            return numbers

        biases, weights = take("<i2", hidden), take("<i2", hidden * INPUTS).reshape(INPUTS, hidden)
        at += 4
        layers, inputs = [], 2 * hidden
        for size in sizes:
            bias, padded = take("<i4", size), -(-inputs // 32) * 32
            layers.append((bias, take("i1", size * padded).reshape(size, padded)[:, :inputs]))
            inputs = size
        return Network(biases, weights, layers)

    def values(self, packed: np.ndarray) -> np.ndarray:
        """Values in whole numbers, for the side to move, as engines calculate them."""
        sides = []
        for inputs in features(unpack(packed)):
            units = self.biases.astype(np.int64) + self.weights[inputs].astype(np.int64).sum(axis=1)
            sides.append(np.clip(units, 0, ACTIVE))
        units = np.concatenate(sides, axis=1)
        for index, (biases, weights) in enumerate(self.layers):
            units = units @ weights.astype(np.int64).T + biases
            if index < 2:
                units = np.clip(units >> 6, 0, ACTIVE)
        output = units[:, 0]
        return np.sign(output) * (np.abs(output) // FV_SCALE)


# ---- training

def train(args) -> None:
    import jax
    import jax.numpy as jnp

    records = read_records(args.positions)
    validation = read_records(args.validation) if args.validation else None
    first, second = (int(size) for size in args.layers.split(","))
    random = np.random.default_rng(args.seed)

    def normal(shape, inputs):
        return jnp.asarray(random.standard_normal(shape, np.float32) / np.sqrt(inputs))

    weights = {
        # An input has its own weights and those of its piece, which all squares of the king share; the sum is
        # written. So what pieces are worth is learned from few games.
        "pieces": normal((NUMBERS, args.hidden), 10 * PIECES), "units": jnp.zeros((INPUTS, args.hidden)),
        "units_bias": jnp.full(args.hidden, 0.5),
        "first": normal((2 * args.hidden, first), 2 * args.hidden), "first_bias": jnp.full(first, 0.5),
        "second": normal((first, second), first), "second_bias": jnp.full(second, 0.5),
        "last": normal((second, 1), second), "last_bias": jnp.zeros(1),
    }

    def output(weights, own, other):
        sides = [weights["units"][inputs].sum(axis=1) + weights["pieces"][inputs % NUMBERS].sum(axis=1)
                 for inputs in (own, other)]
        units = jnp.clip(jnp.concatenate([side + weights["units_bias"] for side in sides], axis=1), 0, 1)
        for name in ("first", "second"):
            units = jnp.clip(units @ weights[name] + weights[name + "_bias"], 0, 1)
        return (units @ weights["last"])[:, 0] + weights["last_bias"][0]

    def error(weights, own, other, target, counts):
        squares = (jax.nn.sigmoid(output(weights, own, other)) - target) ** 2
        return (counts * squares).sum() / jnp.maximum(counts.sum(), 1)

    # What the bytes of the file can hold.
    limits = {"first": 127 / WEIGHT, "second": 127 / WEIGHT, "last": 127 / OUTPUT}

    @jax.jit
    def step(weights, means, squares, number, positions):
        loss, gradients = jax.value_and_grad(error)(weights, *positions)
        tree = jax.tree_util.tree_map
        means = tree(lambda mean, gradient: 0.9 * mean + 0.1 * gradient, means, gradients)
        squares = tree(lambda square, gradient: 0.999 * square + 0.001 * gradient ** 2, squares, gradients)
        rate = args.rate * jnp.sqrt(1 - 0.999 ** number) / (1 - 0.9 ** number)
        weights = tree(lambda w, mean, square: w - rate * mean / (jnp.sqrt(square) + 1e-8), weights, means, squares)
        return {name: jnp.clip(w, -limits[name], limits[name]) if name in limits else w
                for name, w in weights.items()}, means, squares, loss

    def batch(chosen):
        unpacked = unpack(chosen["position"])
        won = (chosen["result"].astype(np.float32) + 1) / 2
        expected = 1 / (1 + np.exp(-chosen["value"].astype(np.float32) / SCALE))
        target = args.result * won + (1 - args.result) * expected
        return *features(unpacked), target, is_quiet(unpacked, chosen["move"]).astype(np.float32)

    size = min(args.batch, len(records))
    evaluate = jax.jit(error)
    means = jax.tree_util.tree_map(jnp.zeros_like, weights)
    squares = jax.tree_util.tree_map(jnp.zeros_like, weights)
    number = 0
    print(f"{len(records)} positions, device {jax.devices()[0]}")
    for epoch in range(args.epochs):
        begun, losses = time.monotonic(), []
        order = random.permutation(len(records))
        for at in range(0, len(records) - size + 1, size):
            number += 1
            chosen = records[np.sort(order[at:at + size])]
            weights, means, squares, loss = step(weights, means, squares, number, batch(chosen))
            losses.append(loss)
        text = f"epoch {epoch + 1}: error {float(np.mean(losses)):.5f}"
        if validation is not None:
            parts = [batch(validation[at:at + size]) for at in range(0, len(validation), size)]
            quiet = sum(part[-1].sum() for part in parts)
            total = sum(float(evaluate(weights, *part)) * part[-1].sum() for part in parts)
            mean = sum((part[-1] * part[2]).sum() for part in parts) / quiet
            spread = sum((part[-1] * (part[2] - mean) ** 2).sum() for part in parts) / quiet
            text += f", validation {total / quiet:.5f} (a constant: {spread:.5f})"
        seconds = time.monotonic() - begun
        print(f"{text}, {len(losses) * size / seconds:.0f} positions/s", flush=True)
    whole = {name: np.asarray(w, np.float64) for name, w in weights.items()}

    def layer(name, scale, weight):
        return (np.rint(whole[name + "_bias"] * scale).astype(np.int32),
                np.clip(np.rint(whole[name].T * weight), -127, 127).astype(np.int8))

    def units(values):
        return np.clip(np.rint(values * ACTIVE), -32768, 32767).astype(np.int16)

    inputs = (whole["units"].reshape(81, NUMBERS, args.hidden) + whole["pieces"]).reshape(INPUTS, args.hidden)
    layers = [layer("first", ACTIVE * WEIGHT, WEIGHT), layer("second", ACTIVE * WEIGHT, WEIGHT),
              layer("last", SCALE * FV_SCALE, OUTPUT)]
    Network(units(whole["units_bias"]), units(inputs), layers).write(args.network)
    print(f"{args.network}: halfkp_{args.hidden}x2-{first}-{second}")


def main() -> None:
    parser = argparse.ArgumentParser(description="A small reference trainer: reads PSV, writes nn.bin (HalfKP).")
    parser.add_argument("positions", help="positions in PSV, as `kaeshi data shuffle` writes them")
    parser.add_argument("network", help="the nn.bin that is written, or read by --show")
    parser.add_argument("--show", type=int, metavar="N", help="print the first N positions and their values")
    parser.add_argument("--validation", metavar="FILE", help="positions of other games, to measure the error on")
    parser.add_argument("--hidden", type=int, default=256, help="hidden units of each side, a multiple of 32")
    parser.add_argument("--layers", default="32,32", help="units of the two layers behind")
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--batch", type=int, default=8192, help="positions of a step")
    parser.add_argument("--rate", type=float, default=0.001, help="learning rate of Adam")
    parser.add_argument("--result", type=float, default=0.2, help="weight of the game's result beside the value")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    if args.show is not None:
        packed = read_records(args.positions)[:args.show]["position"]
        for sfen, value in zip(sfens(packed), Network.read(args.network).values(packed)):
            print(f"{value}\t{sfen}")
        return
    if args.hidden % 32 or not 32 <= args.hidden <= 4064:
        parser.error("--hidden: a multiple of 32 from 32 to 4064 is wanted")
    train(args)


if __name__ == "__main__":
    main()
