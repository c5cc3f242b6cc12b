operand_log/operand_log_32k.v
primitives/or_tree.v
memories/memory_32_of_128x64.v
memories/sram_128x64.v
primitives/fixed_priority_arbiter.v
primitives/register.v
