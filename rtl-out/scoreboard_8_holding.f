scoreboard/scoreboard_8_holding.v
primitives/or_tree.v
primitives/fixed_priority_arbiter.v
primitives/register.v
