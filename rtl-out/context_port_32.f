context_port/context_port_32.v
primitives/misr_8x32.v
primitives/or_tree.v
primitives/register.v
