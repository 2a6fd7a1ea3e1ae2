# A refused command prints a hint and changes nothing.
$ ambit init
Created [..]
Next: [..]

$ ambit goto nowhere -m "off"
? 3
error: there is no scope named "nowhere"
hint: `ambit scopes` lists them; `ambit scope NAME -m NOTE` opens a new one

$ ambit scope main -m "again"
? 4
error: cannot open scope "main": there is a scope with this name already
hint: `ambit goto main -m NOTE` goes there

$ ambit note -m ""
? 2
error: the note is empty
hint: say in a line what was learned, what is next, or why you leave: -m "…"

$ ambit verify
All is well: 1 event, 0 texts, digest [..]
