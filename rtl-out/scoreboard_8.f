scoreboard_8.v
any_of_8.v
arbiter_lowest_8.v
register_3.v
register_8.v
register_1.v
