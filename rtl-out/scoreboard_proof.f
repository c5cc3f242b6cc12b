scoreboard/scoreboard_proof.v
primitives/or_tree.v
primitives/fixed_priority_arbiter.v
primitives/register.v
