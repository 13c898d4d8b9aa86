use crate::bench::{Bench, masked, transcript};

#[test]
fn every_command_explains_itself() {
    let bench = Bench::new();
    masked(|| {
        for arguments in [
            &["--help"][..],
            &["-h"],
            &["--version"],
            &["-V"],
            &["run", "--help"],
            &["run", "-h"],
            &["check", "--help"],
            &["plan", "--help"],
            &["report", "--help"],
            &["schema", "--help"],
            &["completions", "--help"],
        ] {
            let name = arguments.join(" ").replace('-', "").replace(' ', "_");
            let name = if arguments.contains(&"-h") || arguments.contains(&"-V") {
                format!("{name}_short")
            } else {
                name
            };
            insta::assert_snapshot!(name, transcript(&bench.run(arguments)));
        }
    });
}

#[test]
fn no_command_at_all_is_a_usage_error_that_lists_them() {
    let finished = Bench::new().run(&[]);
    assert_eq!(finished.status.code(), Some(2));
    assert!(finished.stdout.is_empty());
    assert!(finished.stderr.contains("completions"), "{}", finished.stderr);
}

#[test]
fn completions_name_the_commands_of_the_program() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let finished = Bench::new().run(&["completions", shell]);
        assert_eq!(finished.status.code(), Some(0), "{shell}");
        assert!(finished.stdout.contains("skip-tag"), "{shell}");
        assert!(finished.stderr.is_empty(), "{shell}");
    }
}
