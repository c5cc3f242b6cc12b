"""Compiles CUDA programs to PTX with NVRTC, which needs no GPU.

    pip install nvidia-cuda-nvrtc-cu11==11.8.89
    python3 sim/programs/nvrtc.py sim/programs/*.cu

Each FILE.cu becomes FILE.ptx beside it, without the compiler's comments. A product and a sum become one operation
only where the program says it, so that the PTX computes what the source does on any machine.
"""

import ctypes
import glob
import os
import sys

OPTIONS = ["--gpu-architecture=compute_35", "--fmad=false", "-default-device", "-w", "-std=c++14"]


def library():
    """Loads NVRTC from the package, or from the system."""
    for folder in sys.path:
        found = glob.glob(os.path.join(folder, "nvidia/cuda_nvrtc/lib/libnvrtc.so.*"))
        if found:
            return ctypes.CDLL(found[0])
    return ctypes.CDLL("libnvrtc.so")


def text(nvrtc, program, kind):
    """Reads the PTX or the log of a compilation."""
    size = ctypes.c_size_t()
    getattr(nvrtc, f"nvrtcGet{kind}Size")(program, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    getattr(nvrtc, f"nvrtcGet{kind}")(program, buffer)
    return buffer.value.decode()


def compiled(nvrtc, name, options=()):
    """Compiles a file; returns its PTX, or ends with the compiler's log."""
    with open(name, "rb") as file:
        source = file.read()
    program = ctypes.c_void_p()
    label = os.path.basename(name).encode()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, label, 0, None, None)
    folder = "--include-path=" + (os.path.dirname(name) or ".")
    options = [option.encode() for option in [*OPTIONS, folder, *options]]
    array = (ctypes.c_char_p * len(options))(*options)
    if nvrtc.nvrtcCompileProgram(program, len(options), array) != 0:
        raise SystemExit(f"{name}: {text(nvrtc, program, 'ProgramLog')}")
    lines = text(nvrtc, program, "PTX").splitlines()
    lines = [line.rstrip() for line in lines if not line.lstrip().startswith("//")]
    return "\n".join(lines).strip() + "\n"


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit("give the .cu files to compile")
    nvrtc = library()
    for name in sys.argv[1:]:
        ptx = compiled(nvrtc, name)
        with open(os.path.splitext(name)[0] + ".ptx", "w") as file:
            file.write(ptx)
