replay_queue/replay_queue_proof.v
primitives/or_tree.v
primitives/fixed_priority_arbiter.v
memories/sram_4x120.v
primitives/register.v
