operand_log/operand_log_20k.v
primitives/or_tree.v
memories/memory_32_of_80x64.v
memories/sram_80x64.v
primitives/fixed_priority_arbiter.v
primitives/register.v
