"""The test bench of a Faultline design: what its reference model was given and what it showed, cycle by cycle.

`vectors.txt`, beside this file, names the memories and ports and has a line for each cycle, from power-on. Inputs are applied after a
clock edge, outputs compared before the next one: every output in every cycle, bit by bit. The first difference ends a
test, and is told with its cycle, its port, what was expected and what was seen.
"""

import re
from pathlib import Path

import cocotb
from cocotb.triggers import Timer

NOT_COMPARED = "-"


class Vectors:
    """Names and widths of the ports, and for each cycle a value for each of them, as binary digits."""

    def __init__(self, path):
        self.memories, self.inputs, self.outputs, self.cycles = [], {}, {}, []
        length = None
        for line in Path(path).read_text().splitlines():
            kind, *words = line.split()
            if kind == "memory":
                self.memories.append(words[0])
            elif kind == "cycles":
                length = int(words[0])
            elif kind == "input":
                self.inputs[words[0]] = int(words[1])
            elif kind == "output":
                self.outputs[words[0]] = int(words[1])
            elif kind == "cycle":
                ports = {**self.inputs, **self.outputs}
                values = {port: digits(word, bits) for word, (port, bits) in zip(words, ports.items(), strict=True)}
                self.cycles.append(values)
        if len(self.cycles) != length:
            raise ValueError(f"{path} has {len(self.cycles)} cycles, and says that it has {length}")


def digits(word, bits):
    """A hexadecimal number as so many binary digits."""
    return word if word == NOT_COMPARED else f"{int(word, 16):0{bits}b}"


def hexadecimal(binary):
    """Binary digits as a hexadecimal number, in which x is a digit that has an unknown bit."""
    length = (len(binary) + 3) // 4 * 4
    groups = (binary.zfill(length)[place : place + 4] for place in range(0, length, 4))
    number = "".join(f"{int(group, 2):x}" if set(group) <= {"0", "1"} else "x" for group in groups)
    return "0x" + (number.lstrip("0") or "0")


VECTORS = Vectors(Path(__file__).with_name("vectors.txt"))


def below(dut, path):
    """What a path such as `banks[3].sram` leads to."""
    found = dut
    try:
        for name, index in re.findall(r"(\w+)|\[(\d+)\]", path):
            found = getattr(found, name) if name else found[int(index)]
        return found
    except (AttributeError, IndexError):
        if cocotb.SIM_NAME != "Verilator":
            raise
    # Older versions of Verilator, such as 5.006, give the rounds of a generate loop names of their own.
    path = path.replace("[", "__BRA__").replace("]", "__KET__")
    return dut._id(path, extended=False) if cocotb.__version__.startswith("1.") else dut[path]


def clear_memories(dut):
    """Fills every memory, and what it last read, with 0, as in the reference: a reset does not, and a simulator may start
    with unknown bits."""
    for memory in VECTORS.memories:
        below(dut, f"{memory}.q").value = 0
        for word in below(dut, f"{memory}.contents"):
            word.value = 0


async def power_on(dut):
    """Every input at 0 and memories empty, before the first clock edge."""
    dut.clock.value = 0
    for port in VECTORS.inputs:
        getattr(dut, port).value = 0
    clear_memories(dut)
    await Timer(1, "ns")


async def cycle(dut, inputs):
    """Applies inputs (binary digits by port; the others stay), gives the outputs before the clock edge, and makes it."""
    for port, value in inputs.items():
        getattr(dut, port).value = int(value, 2)
    dut.clock.value = 0
    await Timer(1, "ns")
    outputs = {port: str(getattr(dut, port).value).lower() for port in VECTORS.outputs}
    dut.clock.value = 1
    await Timer(1, "ns")
    return outputs


async def compare(dut, cycles):
    """Drives cycles of the vectors, and compares all that the design shows."""
    before = {}
    for number, vector in enumerate(cycles):
        inputs = {port: vector[port] for port in VECTORS.inputs if vector[port] != before.get(port)}
        before = vector
        seen = await cycle(dut, inputs)
        for port in VECTORS.outputs:
            if vector[port] not in (NOT_COMPARED, seen[port]):
                raise AssertionError(
                    f"cycle {number}: {port} should be {hexadecimal(vector[port])}, and is {hexadecimal(seen[port])}"
                )


@cocotb.test()
async def matches_the_reference(dut):
    """Random traffic from power-on."""
    await power_on(dut)
    await compare(dut, VECTORS.cycles)


@cocotb.test()
async def reset_in_mid_traffic(dut):
    """Half of the traffic, then all of it again: it begins with a reset, after which nothing of before may show.

    Copy this test to try something of your own: `cycle(dut, {"reset": "1"})` applies inputs and gives the outputs.
    """
    await power_on(dut)
    await compare(dut, VECTORS.cycles[: len(VECTORS.cycles) // 2])
    await power_on(dut)
    await compare(dut, VECTORS.cycles)
