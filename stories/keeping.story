# Maintenance of a store: the output of `verify`, `rebuild`, `gc`, `backup` and `doctor`.
# On a file.

$ ambit init
Created sqlite:[..] with the vault "default".
Next: [..]

$ ambit append --role user "why does login time out?"
[..]

$ ambit verify --quick
The chain is whole: 3 events, digest [..]

$ ambit rebuild
Rebuilt [..] rows from 3 events.

$ ambit verify
All is well: 3 events, 1 text, digest [..]

$ ambit gc --dry-run
Would remove 0 keys and 0 texts: 0 B.

$ ambit gc
Removed 0 keys and 0 texts: 0 B.
On disk: [..] before, [..] now.

$ ambit backup copy.db
Copied [..] to copy.db.
Next: ambit verify --store sqlite:copy.db

$ ambit verify --store sqlite:copy.db
All is well: 3 events, 1 text, digest [..]

$ ambit backup copy.db
? 4
error: cannot write copy.db: the file exists
hint: name another file, or replace it with --force

$ ambit backup copy.db --force
Copied [..] to copy.db.
Next: ambit verify --store sqlite:copy.db
