replay_queue/replay_queue_16.v
primitives/or_tree.v
primitives/fixed_priority_arbiter.v
memories/sram_16x120.v
primitives/register.v
