scoreboard_proof.v
any_of_4.v
arbiter_lowest_4.v
register_2.v
register_8.v
register_1.v
