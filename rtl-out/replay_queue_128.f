replay_queue/replay_queue_128.v
primitives/or_tree.v
primitives/fixed_priority_arbiter.v
memories/sram_128x120.v
primitives/register.v
