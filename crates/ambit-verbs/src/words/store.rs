//! Hints for errors of a store.

use ambit::StoreError as S;

use super::{Interface, refusals};

pub fn hint(error: &S, to: Interface) -> String {
    match error {
        S::Refused(refusal) => refusals::hint(refusal, to),
        S::Address { .. } => {
            "expected postgres://USER@HOST/DATABASE?schema=NAME&sslmode=verify-full".into()
        }
        S::CopyOntoItself { .. } | S::CopyInUse { .. } => "name another file".into(),
        S::MemoryBackup => "keep what matters in a store on disk".into(),
        S::ServerBackup => to.either(
            "`pg_dump --schema=NAME`, or base backups with archived WAL; `ambit export` writes one \
             vault to a file that any store imports",
            "pg_dump of its schema, or base backups with archived WAL; an export writes one vault \
             to a file that any store imports",
        ),
        S::NoVault(name) => to.either(
            &format!("`ambit init --vault {name}` creates it"),
            "an operator creates it with the command line's init",
        ),
        S::VaultThere(_) => to.either(
            "import it into a new one: `ambit import FILE --vault NAME`",
            "import it into a new one",
        ),
        S::Importing(name) => to.either(
            &format!(
                "finish it with the same `ambit import`, or remove what is there of it: \
                 `ambit import --abandon --vault {name}`"
            ),
            "an operator finishes the import, or abandons it",
        ),
        S::Busy { .. } | S::Moved | S::Again(_) | S::Interrupted(_) => {
            "nothing was changed: try again".into()
        }
        S::Full { .. } => {
            "make room on that disk and try again: everything stored before is intact".into()
        }
        S::Newer { .. } => "upgrade ambit: the store is left as it is".into(),
        S::Damaged(_) => format!(
            "{} says what is wrong: {} restores rows, a backup everything else",
            to.verb("verify", ""),
            to.verb("rebuild", "")
        ),
        S::Unusable { .. } => to.either(
            "check the path, its permissions and the disk; `ambit init` creates a store",
            "check the path, its permissions and the disk",
        ),
        S::Unreachable(_) => {
            "check the address and that the server runs; nothing was changed".into()
        }
        S::Server(_) => "nothing was changed: check user, password, database, sslmode and the \
                         role's rights; docs/operations.md says which it needs"
            .into(),
        S::Lost => format!(
            "{} shows whether it was written; with {} the call can be repeated safely",
            to.verb("log", ""),
            to.argument("--key", "key")
        ),
        S::SnapshotOver { .. } => {
            "nothing was changed; read less at a time, or when the machine is less busy".into()
        }
        S::Database(_) => {
            format!("nothing was changed; {} checks the store", to.verb("verify", ""))
        }
    }
}
