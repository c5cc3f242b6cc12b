coalescer_proof.v
any_of_4.v
select_4_of_7.v
arbiter_lowest_4.v
register_2.v
register_7.v
register_1.v
