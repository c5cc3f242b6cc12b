//! What cannot be run gets a sentence.

use std::path::Path;

use faultline_testbench::backend::BackendError;
use predicates::str::{contains, is_empty};

use crate::faultline;

#[test]
fn what_makes_no_sense_is_refused() {
    let trace = concat!(env!("CARGO_MANIFEST_DIR"), "/../sim/traces/kernelslist.g");
    let cases: [(&[&str], &str); 30] = [
        (
            &["sm", trace, "--scale", "2"],
            "--scale: a trace is as it is",
        ),
        (
            &["sm", trace, "--blocks-per-sm", "2"],
            "--blocks-per-sm: a trace is as it is",
        ),
        (
            &[
                "sm",
                "lbm",
                "--queue",
                "16",
                "--scheme",
                "warp-disable-commit",
            ],
            "add replay-queue or operand-log to --scheme",
        ),
        (
            &["sm", "lbm", "--warps", "2", "--scheme", "replay-queue"],
            "error: --warps 2: a thread block of lbm has 4 warps; give --warps 4 or more\n",
        ),
        (&["sm", "sgemm", "--log", "1k"], "give --log 5k or more\n"),
        (
            &["sm", "--scheme", "replay-queue", "--markdown", "page.md"],
            "leave out --scheme",
        ),
        (
            &["sm", "--restart", "2", "--seed", "18446744073709551615"],
            "give a lower --seed",
        ),
        (&["sm", "nothing"], "neither a file nor a kernel"),
        (&["sm", "--scheme", "hope"], "there is no scheme hope"),
        (
            &["sm", "lbm", "--scheme", "all,bar"],
            "there is no scheme bar",
        ),
        (
            &["timeline", "--scheme", "all,foo"],
            "there is no scheme foo",
        ),
        (
            &["timeline", "--scheme", ""],
            "the value is empty; name one",
        ),
        (
            &["timeline", "--fault", "A,"],
            "the value is empty; name one",
        ),
        (&["sm", "--log", "9M"], "such as 8k,16k"),
        (
            &["sm", "--log", "1024"],
            "--log 1024: give sizes in KB with their k,",
        ),
        (
            &["timeline", "/nonexistent/program"],
            "/nonexistent/program: the file cannot be opened (No such file or directory (os error 2)); check its name and permissions",
        ),
        (&["sm", "--queue", "3"], "a power of two"),
        (&["sm", "--fault-rate", "1"], "below 1"),
        (&["sm", "--fault-rate", "-0.1"], "below 1"),
        (&["sm", "--fault-cycles", "10"], "--fault-rate or --absent"),
        (&["sm", "--svg", "plot.png"], "ends in .svg"),
        (
            &["sm", "--log", "8k", "--scheme", "replay-queue"],
            "add operand-log",
        ),
        (
            &["sm", "lbm", "--svg", "a.svg", "--markdown", "./a.svg"],
            "a file of its own",
        ),
        (
            &["sm", "lbm", "--exceptions", "restart"],
            "stall-on-fault squashes nothing, so no instruction that has raised an exception can be restarted",
        ),
        (
            &["sm", "lbm", "--exceptions", "ignore"],
            "there is no response ignore; there are masked, restart, end",
        ),
        (
            &["sm", "lbm", "--exception-cycles", "10"],
            "so give --exceptions restart too",
        ),
        (
            &["sm", "lbm", "--block-threads", "64"],
            "--block-threads: it is for programs, so name one too",
        ),
        (
            &["sm", "/nonexistent/program.txt"],
            "neither a file nor a kernel",
        ),
        (
            &["timeline", "--fault", "B"],
            "the label of a load or store of global memory among the first 64 instructions; there are A (line 2), C (line 4)",
        ),
        (
            &["timeline", "--fault", "1"],
            "there are A (line 2), C (line 4)",
        ),
    ];
    for (arguments, told) in cases {
        faultline(arguments)
            .assert()
            .failure()
            .stdout(is_empty())
            .stderr(contains(told));
    }
}

#[test]
fn a_design_that_is_not_built_in_names_its_export() {
    let told = |name: &str| BackendError::NotExported(name.to_owned()).to_string();
    let large = told("sm_pipeline_stall_64");
    let export = "run `faultline export sm_pipeline_stall_64` if";
    assert!(
        large.contains(export) && large.contains("`--features large`"),
        "{large}"
    );
    let small = told("replay_queue_16");
    let export = "run `faultline export replay_queue_16` if";
    assert!(
        small.contains(export) && small.contains("`--features verilog`"),
        "{small}"
    );
}

/// The message names the feature for the sizes that were requested, and for this subcommand.
#[cfg(not(feature = "verilog"))]
#[test]
fn a_build_without_verilog_names_its_feature() {
    use predicates::prelude::PredicateBooleanExt;

    let large = contains("faultline export sm_pipeline_stall_64")
        .and(contains("--features large -- sm"))
        .and(contains("--warps 4"));
    let small = contains("--features verilog -- sm").and(contains("cosim").not());
    let run = |options: &[&str]| {
        let mut command = faultline(&["sm", "lbm", "--backend", "verilog"]);
        command.args(options).assert().failure()
    };
    run(&[]).stderr(large);
    run(&["--warps", "4", "--queue", "16", "--log", "8k"]).stderr(small);
}

/// With this scheduler there is a design with the log, and none of the baseline.
#[test]
fn a_baseline_that_is_not_asked_for_takes_no_design() {
    let trace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sim/traces/kernel-2-gather.traceg");
    let mut sizes = vec!["--warps", "4", "--queue", "16", "--log", "8k"];
    sizes.extend(["--scheduler", "greedy-then-oldest", "--backend", "rust-hdl"]);
    let run = |schemes: &str| {
        let mut command = faultline(&["sm", "--scheme", schemes]);
        command.args(&sizes).arg(&trace).assert()
    };
    run("operand-log").success().stderr(is_empty());
    run("stall-on-fault,operand-log").failure().stderr(contains(
        "no design of the pipeline is stall-on-fault with these sizes",
    ));
}
