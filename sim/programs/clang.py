"""Compiles CUDA programs to PTX with clang, which needs no CUDA.

    apt-get install clang-16
    python3 sim/programs/clang.py sim/programs/*.cu

Each FILE.cu becomes clang/FILE.ptx beside it, without the compiler's comments. A program with a texture or a vote is left out:
clang fetches from textures only with CUDA's headers, and votes only on later GPUs. As with nvrtc.py, nothing is contracted.
"""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
OPTIONS = ["-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_35", "-S", "-O3", "-nocudainc", "-nocudalib"]
OPTIONS += ["-ffp-contract=off", "-fdeclspec", "-std=c++14", "-w", "-include", os.path.join(HERE, "clang.h")]


def compiled(name):
    """Compiles a file; returns its PTX, or ends with the compiler's log."""
    clang = os.environ.get("CLANG", "clang-16")
    run = subprocess.run([clang, *OPTIONS, name, "-o", "-"], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise SystemExit(run.stderr)
    lines = [line.split("//")[0].rstrip() for line in run.stdout.splitlines()]
    return "\n".join(line for line in lines if line) + "\n"


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit("give the .cu files to compile")
    for name in sys.argv[1:]:
        with open(name) as file:
            source = file.read()
        if "texture<" in source or "apointer.cuh" in source:
            print(f"{name} has a texture or a vote, and is left out")
            continue
        folder, base = os.path.split(name)
        os.makedirs(os.path.join(folder, "clang"), exist_ok=True)
        ptx = compiled(name)
        with open(os.path.join(folder, "clang", os.path.splitext(base)[0] + ".ptx"), "w") as file:
            file.write(ptx)
