coalescer_32.v
any_of_32.v
select_32_of_41.v
arbiter_lowest_32.v
register_5.v
register_41.v
register_1.v
