operand_log/operand_log_8k.v
primitives/or_tree.v
memories/memory_32_of_32x64.v
memories/sram_32x64.v
primitives/fixed_priority_arbiter.v
primitives/register.v
