coalescer/coalescer_32.v
primitives/or_tree.v
primitives/one_hot_mux.v
primitives/fixed_priority_arbiter.v
primitives/register.v
