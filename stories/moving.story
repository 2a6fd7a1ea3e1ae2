# A vault is exported as lines of JSON, and imported elsewhere without a change.
$ ambit init
Created [..]
Next: [..]

$ ambit append --role user "why does login time out?"
Appended 1 message to main ([..] tokens, head 3).

$ ambit note -m "the session lasts 1 s instead of 3600 s"
Noted [..] in main.

$ ambit export vault.jsonl
Exported 4 events and 2 texts to vault.jsonl: [..] bytes.

$ ambit export vault.jsonl
? 4
error: vault.jsonl exists already
hint: name another file, or replace it with --force

$ ambit import vault.jsonl --vault copy
Imported 4 events and 2 texts into the vault copy.

$ ambit notes --vault copy
[..] the session lasts 1 s instead of 3600 s [..] ada

$ ambit verify --vault copy
All is well: 4 events, 2 texts, digest [..]

$ ambit import vault.jsonl --vault copy
? 4
error: cannot import: the vault "copy" exists and holds exactly this export
hint: nothing has to be done

# An incomplete export is refused as a whole.
$ ambit import - --vault other
? 2
< {"header":{"format":"ambit-export","version":1}}
error: line 2: the manifest is missing: the file is incomplete
hint: nothing was imported: the file is not a complete export, so export it again

$ ambit where --vault other
? 3
error: there is no vault named "other"
hint: `ambit init --vault other` creates it
