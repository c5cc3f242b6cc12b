context_port_proof.v
check_of_4_of_8.v
any_of_4.v
register_1.v
register_8.v
register_2.v
register_3.v
