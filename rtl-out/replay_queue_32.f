replay_queue/replay_queue_32.v
primitives/or_tree.v
primitives/fixed_priority_arbiter.v
memories/sram_32x120.v
primitives/register.v
