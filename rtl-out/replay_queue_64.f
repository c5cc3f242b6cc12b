replay_queue/replay_queue_64.v
primitives/or_tree.v
primitives/fixed_priority_arbiter.v
memories/sram_64x120.v
primitives/register.v
