//! Compiled programs with launch files, as users of `faultline ptx`, `sm` and `gpu` meet them.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may panic too")]

mod common;

use predicates::prelude::*;
use predicates::str::{contains, is_empty};
use serde_json::Value;

use common::faultline;

/// `to[i] = from[i] * factor` for as many elements as there are.
const SCALE: &str = ".version 7.8
.target sm_35
.address_size 64
.visible .entry scale(
    .param .u64 to,
    .param .u64 from,
    .param .u32 count,
    .param .f32 factor
)
{
    .reg .pred %p<2>; .reg .b32 %r<6>; .reg .f32 %f<4>; .reg .b64 %d<6>;
    ld.param.u64 %d1, [to]; ld.param.u64 %d2, [from]; ld.param.u32 %r1, [count]; ld.param.f32 %f1, [factor];
    mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %p1, %r5, %r1;
    @%p1 bra END;
    mul.wide.u32 %d3, %r5, 4;
    add.s64 %d4, %d2, %d3;
    add.s64 %d5, %d1, %d3;
    ld.global.f32 %f2, [%d4];
    mul.f32 %f3, %f2, %f1;
    st.global.f32 [%d5], %f3;
END:
    ret;
}
";

const LAUNCH: &str = "grid = [8]
block = [64]
arguments = [\"to\", \"from\", 500, 0.5]
[buffers.from]
type = \"f32\"
count = 500
ramp = { from = 0, step = 2 }
[buffers.to]
type = \"f32\"
count = 500
output = true
expected = \"expected.bin\"
";

/// A folder with the program, whose buffer should hold these numbers, and a launch file.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new(ptx: &str, launch: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let numbers = (0..500u16).flat_map(|number| f32::from(number).to_le_bytes());
        std::fs::write(
            folder.path().join("expected.bin"),
            numbers.collect::<Vec<_>>(),
        )
        .unwrap();
        std::fs::write(folder.path().join("scale.ptx"), ptx).unwrap();
        std::fs::write(folder.path().join("scale.toml"), launch).unwrap();
        Self(folder)
    }

    /// The command with these arguments.
    fn call(&self, arguments: &[&str]) -> assert_cmd::assert::Assert {
        let mut command = faultline();
        command.current_dir(self.0.path()).args(arguments).assert()
    }

    /// The sentence that `faultline ptx` ends with.
    fn told(&self) -> String {
        let assert = self
            .call(&["ptx", "scale.ptx", "--launch", "scale.toml"])
            .failure();
        String::from_utf8(assert.get_output().stderr.clone()).unwrap()
    }
}

#[test]
fn a_kernel_of_a_users_own_runs_everywhere() {
    let folder = Folder::new(SCALE, LAUNCH);
    let ran = contains("scale")
        .and(contains("warp instructions"))
        .and(contains("million a second"));
    folder
        .call(&["ptx", "scale.ptx", "--launch", "scale.toml"])
        .success()
        .stdout(ran)
        .stderr(is_empty());
    let sm = folder
        .call(&["sm", "scale.ptx", "--runs", "1", "--json"])
        .success();
    let rows: Value = serde_json::from_slice(&sm.get_output().stdout).unwrap();
    assert!(rows.to_string().contains("\"scale\""), "{rows}");
    let gpu = ["gpu", "scale.ptx", "--absent", "--scheme", "all"];
    // The runs, and the times of their faults.
    folder
        .call(&gpu)
        .success()
        .stdout(contains("scale").count(2 * 5));
    let names = folder
        .call(&["gpu", "scale.ptx", "scale.ptx", "--launch", "scale.toml"])
        .success();
    names.stdout(contains("scale").count(1));
}

#[test]
fn results_are_compared_with_those_that_are_expected() {
    let folder = Folder::new(SCALE, &LAUNCH.replace("0.5]", "0.25]"));
    let told = contains("to[1] is 0.5 and should be 1.0 (499 of 500 elements differ)");
    folder
        .call(&["ptx", "scale.ptx", "--launch", "scale.toml"])
        .code(1)
        .stdout(told);
    let json = folder
        .call(&["ptx", "scale.ptx", "--launch", "scale.toml", "--json"])
        .code(1);
    let execution: Value = serde_json::from_slice(&json.get_output().stdout).unwrap();
    assert_eq!(execution["launches"][0]["thread_blocks"], 8);
    assert_eq!(execution["differences"].as_array().unwrap().len(), 1);
}

#[test]
fn what_kernels_write_is_written_to_files() {
    let folder = Folder::new(SCALE, LAUNCH);
    let call = [
        "ptx",
        "scale.ptx",
        "--launch",
        "scale.toml",
        "--outputs",
        "out",
    ];
    folder.call(&call).success();
    let read = |name: &str| std::fs::read(folder.0.path().join(name)).unwrap();
    assert_eq!(read("out/to.bin"), read("expected.bin"));
    folder
        .call(&["ptx", "scale.ptx", "--outputs", "out"])
        .failure()
        .stderr(contains("--launch"));
    let schema = folder.call(&["ptx", "--print-schema"]).success();
    let schema: Value = serde_json::from_slice(&schema.get_output().stdout).unwrap();
    assert!(schema["properties"]["arguments"].is_object(), "{schema}");
}

#[test]
fn errors_name_the_file_and_the_line() {
    let told = |ptx: &str, launch: &str| Folder::new(ptx, launch).told();
    let expected = [
        (
            SCALE.replace("setp.ge.u32 %p1, %r5, %r1;", "setp.ge.u32 %p1, %r5, 512;"),
            LAUNCH.to_owned(),
            "scale.ptx:20: scale: global memory is accessed at 0x1000007d0, which is in no buffer",
        ),
        (
            SCALE.replace("[%d5], %f3", "[%d5+2], %f3"),
            LAUNCH.to_owned(),
            "scale.ptx:22: scale: 4 bytes are accessed at 0x100010002, which is not a multiple of 4",
        ),
        (
            SCALE.replace(
                "mul.f32 %f3, %f2, %f1;",
                "fns.b32 %r2, %r3; mul.f32 %f3, %f2, %f1;",
            ),
            LAUNCH.to_owned(),
            "scale.ptx:21: fns.b32 %r2, %r3;",
        ),
        (
            SCALE.to_owned(),
            LAUNCH.replace("500, 0.5]", "0.5]"),
            "scale.toml:3: scale takes 4 arguments, and there are 3",
        ),
        (
            SCALE.to_owned(),
            LAUNCH.replace("500, 0.5]", "0.5, 500]"),
            "scale.toml:3: the parameter count has the type .u32 and 4 bytes: 0.5 is no whole number",
        ),
        (
            SCALE.to_owned(),
            LAUNCH.replace("\"to\", \"from\"", "\"to\", \"of\""),
            "scale.toml:3: there is no buffer of",
        ),
        (
            SCALE.to_owned(),
            format!("{LAUNCH}[symbols.table]\ntype = \"u8\"\ncount = 1\n"),
            "the PTX has no variable table",
        ),
        (
            format!("{SCALE}\n.shared .align 4 .b8 tile[4];\n"),
            format!("{LAUNCH}[symbols.tile]\ntype = \"u8\"\ncount = 1\n"),
            "the variable tile is in .shared memory, which a launch does not fill",
        ),
        (
            SCALE.to_owned(),
            format!("{LAUNCH}[textures.picture]\nbuffer = \"to\"\nwidth = 2\n"),
            "the PTX has no texture reference picture",
        ),
        (
            SCALE.replace("st.global.f32 [%d5]", "st.shared.f32 [0]"),
            LAUNCH.to_owned(),
            "past its end at 0x0; there is none, so give the bytes of dynamic shared memory (in a launch file, shared = BYTES)",
        ),
        (
            SCALE.to_owned(),
            format!("entry = \"other\"\n{LAUNCH}"),
            "scale.toml:1: there is no kernel other; there are: scale",
        ),
        (
            SCALE.to_owned(),
            format!("entri = \"scale\"\n{LAUNCH}"),
            "scale.toml:1: unknown field `entri`",
        ),
        (
            SCALE.to_owned(),
            format!(
                "registers = 255\nblock = [1024]\n{}",
                LAUNCH.replace("block = [64]\n", "")
            ),
            "no thread block of scale fits on an SM",
        ),
    ];
    for (ptx, launch, sentence) in expected {
        let told = told(&ptx, &launch);
        assert!(told.contains(sentence), "{told}\n{sentence}");
        assert_eq!(told.lines().count(), 1, "{told}");
        let is_table = sentence.contains("the PTX has no") || sentence.contains("does not fill");
        let line = 1 + LAUNCH.lines().count();
        assert!(
            !is_table || told.contains(&format!("scale.toml:{line}: ")),
            "{told}"
        );
    }
}

#[test]
fn a_launch_file_belongs_to_one_file_of_ptx() {
    let folder = Folder::new(SCALE, LAUNCH);
    std::fs::remove_file(folder.0.path().join("scale.toml")).unwrap();
    let told = contains(
        "scale.ptx: there is no launch file scale.toml; write one, or give it with --launch",
    );
    folder.call(&["gpu", "scale.ptx"]).failure().stderr(told);
    let told = contains("--launch: it is for one file of PTX, and 0 are named");
    folder
        .call(&["gpu", "histo", "--launch", "scale.toml"])
        .failure()
        .stderr(told);
}

#[test]
fn a_back_end_changes_the_program_and_not_its_results() {
    let folder = Folder::new(SCALE, LAUNCH);
    for option in ["--oldest-register", "--hoist-loads", "--no-offsets"] {
        folder
            .call(&["ptx", "scale.ptx", "--launch", "scale.toml", option])
            .success();
        folder.call(&["sm", "scale.ptx", option]).success();
        let told = contains(format!("{option}: it is for PTX, so name a file of it too"));
        folder.call(&["sm", "histo", option]).failure().stderr(told);
        let told = contains(format!("{option}: it is for a run, so give --launch too"));
        folder
            .call(&["ptx", "scale.ptx", option])
            .failure()
            .stderr(told);
    }
}
