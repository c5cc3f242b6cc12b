operand_log/operand_log_16k_16x128.v
primitives/or_tree.v
memories/memory_16_of_64x128.v
memories/sram_64x128.v
primitives/fixed_priority_arbiter.v
primitives/register.v
