//! Transfers from one store to another, unchanged, and interrupted imports.

use std::io::Cursor;

use ambit::{Error, Kind, check_export};
use ambit_core::Hash;
use ambit_store::{Error as StoreError, Import};

use crate::world::{ada, all, memory, sqlite};

#[test]
fn the_same_script_gives_the_same_bytes_on_every_store() {
    let worlds = all();
    let exports: Vec<_> = worlds
        .iter()
        .map(|world| {
            world.play("default");
            world.verified("default");
            world.export("default")
        })
        .collect();
    assert!(exports[0].lines().count() > 40);
    for (world, export) in worlds.iter().zip(&exports) {
        assert_eq!(*export, exports[0], "{}", world.name);
    }
}

#[test]
fn export_import_export_is_identical_between_any_two_stores() {
    let from = sqlite();
    from.play("default");
    let (first, composed) =
        (from.export("default"), from.engine.compose(&ada("default"), &Default::default()));
    let composed: Vec<_> =
        composed.unwrap().messages.iter().map(|it| it.get().to_string()).collect();
    let mut export = first.clone();
    // From SQLite to each of the others, and from the last one back.
    let mut worlds = all();
    worlds.push(sqlite());
    for world in &worlds {
        let answer = world.import("taken over", export.as_bytes()).unwrap();
        assert_eq!(
            (answer.resumed, answer.events),
            (0, first.lines().count() as i64 - 2 - answer.contents)
        );
        assert!(answer.forgotten >= 3, "{answer:?}");
        world.verified("taken over");
        export = world.export("taken over");
        assert_eq!(export, first, "{}", world.name);
        let shown = world.engine.compose(&ada("taken over"), &Default::default()).unwrap();
        let shown: Vec<_> = shown.messages.iter().map(|it| it.get().to_string()).collect();
        assert_eq!(shown, composed, "{}", world.name);
        // The imported vault can be used.
        world.engine.note(&ada("taken over"), "and on it goes").unwrap();
        world.verified("taken over");
    }
}

#[test]
fn an_existing_vault_is_a_conflict() {
    for world in all() {
        world.play("default");
        let export = world.export("default");
        let error = world.import("default", export.as_bytes()).unwrap_err();
        assert_eq!(error.kind(), Kind::Conflict);
        assert!(error.to_string().contains("holds exactly this export"), "{error}");
        world.engine.note(&ada("default"), "one more").unwrap();
        let error = world.import("default", export.as_bytes()).unwrap_err();
        assert_eq!(error.kind(), Kind::Conflict);
        assert!(matches!(error, Error::Store(StoreError::VaultThere(_))), "{error}");
        let error = world.import(" bad", export.as_bytes()).unwrap_err();
        assert_eq!(error.kind(), Kind::Usage);
    }
}

/// An import is interrupted after each of its transactions; the same command continues it.
#[test]
fn an_interrupted_import_continues() {
    let from = memory();
    from.play("default");
    // Large enough for several transactions.
    let lines = (0..1_700).map(|n| format!(r#"{{"role":"user","content":"line {n}"}}"#));
    let lines: Vec<_> = lines.collect();
    from.engine.append_json(&ada("default"), &lines.join("\n")).unwrap();
    let export = from.export("default");
    for world in all() {
        let mut source = Cursor::new(export.clone().into_bytes());
        let checked = check_export(&mut source, &|_| {}).unwrap();
        let mut resumed = Vec::new();
        loop {
            // Panics as soon as something is loaded.
            let run = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                let mut source = Cursor::new(export.clone().into_bytes());
                world.engine.import("copy", &checked, &mut source, &|done| {
                    assert!(done >= checked.events() || done == i64::MAX, "interrupted at {done}");
                })
            }));
            match run {
                Err(_) => resumed.push(0),
                Ok(answer) => {
                    let answer = answer.unwrap();
                    assert!(answer.resumed > 0, "{}", world.name);
                    break;
                }
            }
            // Until then no verb can use the vault.
            let error = world.engine.where_am_i(&ada("copy")).unwrap_err();
            assert_eq!(error.kind(), Kind::Conflict);
            let importing =
                matches!(&error, Error::Store(StoreError::Importing(it)) if it == "copy");
            assert!(importing, "{error}");
            assert!(world.engine.create_vault("copy").is_err());
            assert!(world.vaults().is_empty());
        }
        assert!(resumed.len() >= 3, "{}: {} runs", world.name, resumed.len());
        assert_eq!(world.export("copy"), export, "{}", world.name);
    }
}

#[test]
fn another_file_cannot_finish_an_import_and_abandoning_removes_it() {
    let from = memory();
    from.play("default");
    let export = from.export("default");
    from.engine.note(&ada("default"), "later").unwrap();
    let other = from.export("default");
    for world in all() {
        let begun = world.store.import("copy", Import::Begin { source: Hash([1; 32]) });
        assert!(begun.is_ok());
        let error = world.import("copy", export.as_bytes()).unwrap_err();
        assert!(matches!(&error, ambit::Error::Store(StoreError::Importing(_))), "{error}");
        world.engine.abandon_import("copy").unwrap();
        assert_eq!(world.engine.abandon_import("copy").unwrap_err().kind(), Kind::NotFound);
        world.import("copy", other.as_bytes()).unwrap();
        assert_eq!(world.engine.abandon_import("copy").unwrap_err().kind(), Kind::Conflict);
        assert_eq!(world.export("copy"), other);
    }
}

/// The loaded events are not the beginning of the file that is to continue the import.
#[test]
fn a_file_that_changes_during_the_import_leaves_nothing() {
    let from = memory();
    from.play("default");
    let export = from.export("default");
    for world in all() {
        let checked = check_export(&mut Cursor::new(export.clone().into_bytes()), &|_| {}).unwrap();
        let text = export.replacen("the end", "the End", 1);
        for changed in [text.as_str(), &export[..export.len() / 2], ""] {
            let mut source = Cursor::new(changed.as_bytes().to_vec());
            let error = world.engine.import("copy", &checked, &mut source, &|_| {}).unwrap_err();
            assert!(error.kind() != Kind::Bug, "{error}");
            assert_eq!(world.engine.where_am_i(&ada("copy")).unwrap_err().kind(), Kind::NotFound);
        }
        world.import("copy", export.as_bytes()).unwrap();
    }
}
