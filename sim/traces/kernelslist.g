MemcpyHtoD,0x00007f4aa0000000,16000
MemcpyHtoD,0x00007f4aa0200000,16000
MemcpyHtoD,0x00007f4aa0410000,65536
kernel-1-saxpy.traceg
kernel-2-gather.traceg
kernel-3-transpose.traceg
