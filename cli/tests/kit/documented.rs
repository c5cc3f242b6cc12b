//! What kits name is documented, and the files are there.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use faultline_synth::kit::Flow;

use crate::made::{kits, name, read, variable};

fn documented(flow: Flow) -> BTreeSet<&'static str> {
    flow.documented()
        .lines()
        .filter(|line| !line.starts_with('#'))
        .collect()
}

#[test]
fn kits_name_documented_variables_and_files_that_are_there() {
    let known = documented(Flow::Orfs);
    let (folder, rows) = kits("orfs", None);
    assert_eq!(rows.len(), 17);
    for row in &rows {
        let kit = folder.path().join(name(row));
        let config = read(&kit, "config.mk").replace("\\\n", "");
        let set = config
            .lines()
            .filter(|line| !line.starts_with('#') && !line.is_empty());
        for line in set {
            let rest = line.strip_prefix("export ").unwrap();
            let variable = rest.split_once(" = ").unwrap().0;
            assert!(known.contains(variable), "{variable}");
        }
        let rtl = variable(&kit, "VERILOG_FILES");
        assert!(
            rtl.iter()
                .any(|file| file.ends_with(&format!("{}.v", name(row))))
        );
        assert_eq!(variable(&kit, "DESIGN_NAME"), [name(row)]);
        let kinds = row["macros"].as_array().unwrap().len();
        assert_eq!(variable(&kit, "ADDITIONAL_LEFS").len(), kinds);
        assert_eq!(variable(&kit, "ADDITIONAL_LIBS").len(), kinds);
        for file in ["SDC_FILE", "MACRO_PLACEMENT_TCL"] {
            for path in variable(&kit, file) {
                assert!(Path::new(&path).is_file(), "{path}");
            }
        }
        assert!(read(&kit, "README.md").contains("OpenROAD was not run."));
        // As the flow's `variables.mk` looks for the period that it gives ABC.
        let sdc = read(&kit, "constraint.sdc");
        let period = sdc
            .lines()
            .find_map(|line| line.strip_prefix("set clk_period "));
        assert_eq!(period, Some("1"));
    }
    let known = documented(Flow::Librelane);
    let (folder, rows) = kits("librelane", None);
    for row in &rows {
        let kit = folder.path().join(name(row));
        let config: BTreeMap<String, serde_json::Value> =
            serde_json::from_str(&read(&kit, "config.json")).unwrap();
        for (variable, value) in &config {
            assert!(
                variable == "meta" || known.contains(variable.as_str()),
                "{variable}"
            );
            let list = value
                .as_array()
                .map_or(vec![value], |list| list.iter().collect());
            let paths = list.into_iter().filter_map(serde_json::Value::as_str);
            for path in paths.filter_map(|text| text.strip_prefix("dir::")) {
                assert!(kit.join(path).is_file(), "{path}");
            }
        }
        assert!(read(&kit, "README.md").contains("LibreLane was not run."));
    }
    let known = documented(Flow::Fusesoc);
    let (folder, rows) = kits("fusesoc", None);
    for row in &rows {
        let kit = folder.path().join(name(row));
        let core = read(&kit, &format!("{}.core", name(row)));
        let own = ["CAPI=2", "rtl", "memories", "default", "lint"];
        for line in core.lines() {
            let key = line.split(':').next().unwrap().trim();
            let entry = key.strip_prefix("- ").map(|file| kit.join(file));
            match entry {
                Some(file) => assert!(file.is_file(), "{}", file.display()),
                None => assert!(
                    key.is_empty() || own.contains(&key) || known.contains(key),
                    "{key}"
                ),
            }
        }
    }
}
