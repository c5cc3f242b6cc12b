context_port/context_port_proof.v
primitives/misr_4x8.v
primitives/or_tree.v
primitives/register.v
