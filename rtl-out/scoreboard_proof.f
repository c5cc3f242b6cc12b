scoreboard_proof.v
any_of_2.v
arbiter_lowest_2.v
register_8.v
register_1.v
