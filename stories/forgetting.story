# A stored password is deleted for good, and a mark replaces it.
$ ambit init
Created [..]
Next: [..]

$ ambit append --role user "why does login fail? it worked with hunter2"
Appended 1 message to main ([..] tokens, head 3).

$ ambit note -m "hunter2 is the old password"
Noted [..] in main.

$ ambit append --role user "ok"
Appended 1 message to main ([..] tokens, head 5).

# Without --yes, `forget` only lists what it would delete.
$ ambit forget --containing hunter2
Would forget 1 block, 1 note: 2 texts gone for good.
  3.0 why does login fail? it worked with hunter2 ada
  4.0 hunter2 is the old password ada
Where: main (2)
Not reached: [..]
Nothing is forgotten yet: repeat it with --yes. It cannot be undone.

$ ambit forget --containing hunter2 --yes
Forgot 1 block, 1 note: 2 texts gone for good (event 6).
Not reached: [..]

$ ambit notes
[..] [forgotten] [..] ada

$ ambit read 3
? 3
error: cannot read 3: ada forgot it on [..]
hint: it cannot be read back; its place in the log remains

$ ambit verify
All is well: 6 events, 1 text (2 forgotten), digest [..]

# If somebody else wrote the same text, theirs stays.
$ ambit append --role user "ok" --as bob
Appended 1 message to main ([..] tokens, head 8).

$ ambit forget --by bob --yes
Forgot 1 block: 0 texts gone for good (event 9).
Stays: 1 text, for others bear the same.
Not reached: [..]

$ ambit read 5
{"role":"user","content":"ok"}

# Names are part of events, and events are never deleted.
$ ambit scope project-x -m "off"
Now in project-x, opened from main (note [..]).

$ ambit forget project-x --yes
? 5
error: cannot forget the scope name "project-x": names are part of events
hint: `ambit forget --in project-x` forgets its texts; keep secrets out of names
