//! A small design through qflow. Without it the test says so and passes: it is large, and no other test needs it.

#![allow(clippy::unwrap_used)] // a test that cannot go on panics

use faultline_synth::layout;
use faultline_synth::yosys::Design;

/// A counter of 20 bits: more flip-flops than a buffer of the clock drives.
const VERILOG: &str = "
module counter (input clock, input reset, output reg [19:0] count);
    always @(posedge clock) count <= reset ? 20'd0 : count + 20'd1;
endmodule
";

fn counter() -> Design {
    Design {
        top: "counter".to_owned(),
        verilog: VERILOG.to_owned(),
        memories: Vec::new(),
    }
}

#[test]
fn a_counter_is_placed_routed_and_timed() {
    if let Err(error) = layout::check() {
        faultline_ledger::missing(&format!("{error}"));
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    // A file of an earlier run must not pass as one of this.
    std::fs::create_dir(&log).unwrap();
    std::fs::write(log.join("route.log"), "Final: Failed net routes: 9\n").unwrap();
    let steps = std::cell::RefCell::new(Vec::new());
    let tell = |step: &str| steps.borrow_mut().push(step.to_owned());
    let layout = layout::run(&counter(), folder.path(), layout::DENSITY, tell).unwrap();
    assert_eq!(
        (layout.registers, layout.clock_buffers, layout.ports),
        (20, 2, 22)
    );
    assert!(layout.cells > 40 && layout.nets > 40 && layout.vias > layout.nets);
    let (width, height) = layout.die_um;
    assert!(layout.cell_area_um2 < width * height);
    let [before, after] =
        [&layout.before, &layout.after].map(|timing| timing.register.as_ref().unwrap().ns);
    assert!(before < after && after < 2.0 * before, "{before} {after}");
    assert!(layout.after.hold_ns.is_some());
    assert!(layout.svg.contains(">counter: ") && layout.svg.contains(">clock tree</text>"));
    for step in ["mapping", "placing", "routing", "timing"] {
        assert!(steps.borrow().iter().any(|told| told == step), "{step}");
    }
}

#[test]
fn a_folder_that_the_scripts_would_misread_is_refused() {
    if layout::check().is_err() {
        return;
    }
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("two words");
    std::fs::create_dir(&folder).unwrap();
    let error = layout::run(&counter(), &folder, layout::DENSITY, |_| {}).unwrap_err();
    assert!(error.to_string().contains("give another folder"), "{error}");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
}
