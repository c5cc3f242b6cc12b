operand_log/operand_log_16k.v
primitives/or_tree.v
memories/memory_32_of_64x64.v
memories/sram_64x64.v
primitives/fixed_priority_arbiter.v
primitives/register.v
