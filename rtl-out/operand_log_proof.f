operand_log/operand_log_proof.v
primitives/or_tree.v
memories/memory_32_of_4x64.v
memories/sram_4x64.v
primitives/fixed_priority_arbiter.v
primitives/register.v
