//! What the exported text promises.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

use std::collections::BTreeMap;

use faultline_hw::registry::{File, designs};
use faultline_hw::verilog::words;

/// Every module of every design, once.
fn modules() -> Vec<File> {
    let mut modules: Vec<File> = Vec::new();
    for design in designs() {
        let export = design
            .export()
            .unwrap_or_else(|error| panic!("{}: {error}", design.name));
        for module in export.files {
            match modules.iter().find(|other| other.name == module.name) {
                Some(other) => assert_eq!(other.text, module.text, "two texts of {}", module.name),
                None => modules.push(module),
            }
        }
    }
    modules
}

/// The text without comments.
fn code(text: &str) -> String {
    let without = |line: &str| line.split("//").next().unwrap_or_default().to_owned();
    text.lines().map(without).collect::<Vec<_>>().join("\n")
}

#[test]
fn names_are_plain_and_nothing_relies_on_initial_values() {
    for module in modules() {
        for bad in ['$', '\\', '`'] {
            assert!(
                !code(&module.text).contains(bad),
                "{} holds {bad}",
                module.name
            );
        }
        assert!(!code(&module.text).contains("initial"), "{}", module.name);
    }
}

/// Numbers without a width, outside of ranges, indices, counts of a replication and loop headers.
fn bare_numbers(line: &str) -> usize {
    let mut depth = 0_i32;
    let mut before = ' ';
    let mut found = 0;
    for (at, character) in line.char_indices() {
        match character {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        let starts = character.is_ascii_digit()
            && !before.is_ascii_alphanumeric()
            && !['_', '\''].contains(&before);
        let rest = line[at..].trim_start_matches(|c: char| c.is_ascii_digit());
        let repeats = before == '{' && rest.starts_with('{');
        if starts && depth == 0 && !repeats && !rest.starts_with('\'') {
            found += 1;
        }
        before = character;
    }
    found
}

/// An instance without the values of its parameters.
fn without_parameters(line: &str) -> String {
    match line.split_once(" #(") {
        Some((module, rest)) => {
            let (_, rest) = rest.split_once(")) ").unwrap_or_default();
            format!("{module} {rest}")
        }
        None => line.to_owned(),
    }
}

#[test]
fn every_literal_has_its_width() {
    assert_eq!(bare_numbers("a = b[3] + 8'd1;"), 0);
    assert_eq!(bare_numbers("a = b[3] + 1;"), 1);
    assert_eq!(bare_numbers("a = {3{b}};"), 0);
    assert_eq!(bare_numbers("a = {3, b};"), 1);
    // Primitives calculate with their parameters, which are integers.
    for module in modules()
        .iter()
        .filter(|module| module.folder != "primitives")
    {
        for line in code(&module.text).lines() {
            let is_loop = line.trim_start().starts_with("for (");
            assert!(
                is_loop || bare_numbers(&without_parameters(line)) == 0,
                "{}: {line}",
                module.name
            );
        }
    }
}

/// A statement behind the condition that it depends on.
fn behind_condition(line: &str) -> &str {
    let line = line.trim_start();
    let line = line.strip_prefix("else ").unwrap_or(line);
    let Some(condition) = line.strip_prefix("if ") else {
        return line;
    };
    let mut depth = 0;
    let end = condition.find(|character| {
        depth += i32::from(character == '(') - i32::from(character == ')');
        depth == 0
    });
    end.map_or("", |end| condition[end + 1..].trim_start())
}

/// The wires that a process drives, in the order of their first assignments.
fn driven(process: &str) -> Vec<&str> {
    let mut own = Vec::new();
    let mut found = Vec::new();
    for line in process.lines().map(behind_condition) {
        if line.starts_with("integer ") || line.starts_with("reg ") {
            own.extend(words(line).map(|(_, word)| word));
        }
        let is_assignment = line.contains(" = ") || line.contains(" <= ");
        let Some((_, name)) = words(line).next().filter(|_| is_assignment) else {
            continue;
        };
        if name != "for" && !own.contains(&name) && !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

#[test]
fn every_process_is_named_after_what_it_drives_and_has_a_sentence() {
    let mut processes = 0;
    for module in modules() {
        let name = &module.name;
        for (at, _) in module.text.match_indices("\n    always ") {
            processes += 1;
            let (before, process) = module.text.split_at(at + 1);
            let above = before.lines().next_back().unwrap_or_default();
            assert!(
                above.starts_with("    // ") && above.ends_with('.'),
                "{name}: {above}"
            );
            let process = process.split("\n    end\n").next().unwrap_or_default();
            let head = process.lines().next().unwrap_or_default();
            let driven = driven(process);
            let whole = driven.join("_and_");
            let short = format!("{}_and_{}_more", driven[0], driven.len() - 1);
            assert!(
                [whole, short]
                    .iter()
                    .any(|label| head.ends_with(&format!(" begin : drive_{label}"))),
                "{name}: {head} drives {driven:?}"
            );
        }
        // In a branch of what is generated they are further in.
        let lines = module.text.lines().zip(module.text.lines().skip(1));
        let inner = lines.filter(|(_, line)| {
            line.starts_with("     ") && line.trim_start().starts_with("always ")
        });
        let mut count = module.text.matches("\n    always ").count();
        for (above, line) in inner {
            let above = above.trim_start();
            let is_told = above.starts_with("// ") && above.ends_with('.');
            let is_named = line.contains(" begin : drive_");
            let is_generated = module.text.contains("\n    generate\n");
            assert!(is_told && is_named && is_generated, "{name}: {line}");
            count += 1;
        }
        let all = code(&module.text).matches("always").count();
        assert_eq!(all, count, "{name}: a process that is not at the margin");
    }
    assert!(processes > 1_000, "{processes}");
}

/// So a design that is exported alone has the names that it has among all others.
#[test]
fn one_text_has_one_name() {
    let tops: Vec<&str> = designs().iter().map(|design| design.name).collect();
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for module in modules() {
        let name = module.name.trim_end_matches(".v");
        if !tops.contains(&name) {
            let text = module
                .text
                .replace(&format!("\nmodule {name} "), "\nmodule ");
            let other = names.insert(text, name.to_owned());
            assert_eq!(other, None, "another name of {name}");
        }
    }
    assert!(names.len() > 100, "{}", names.len());
}

#[test]
fn every_module_is_there_once_and_says_what_it_is() {
    for design in designs() {
        let export = design
            .export()
            .unwrap_or_else(|error| panic!("{}: {error}", design.name));
        let top = &export.files[0];
        assert_eq!(top.name, format!("{}.v", design.name));
        assert!(
            top.text
                .contains(&format!("configuration {}", design.config))
        );
        for file in &export.files {
            let name = file.name.trim_end_matches(".v");
            assert_eq!(file.text.matches("endmodule").count(), 1, "{}", file.name);
            assert!(
                file.text.contains(&format!("\nmodule {name} ")),
                "{}",
                file.name
            );
            assert!(
                file.text.starts_with("// Generated by Faultline "),
                "{}",
                file.name
            );
            let namesakes = export.files.iter().filter(|other| other.name == file.name);
            assert_eq!(namesakes.count(), 1, "{}", file.name);
        }
    }
}
