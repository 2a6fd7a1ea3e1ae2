# A person and two agents: each change records what its author had in mind.
# Proves S0-10, S0-40, S0-72, S0-73, S0-74, S0-75, S0-80, S0-92.
$ ambit init
Created [..]
Next: [..]

$ ambit put --name docs/session.md --type document --content "A session lasts an hour."
Put docs/session.md (document), version 1: obj_[..]
Nothing was in mind.

$ ambit put --name src/session.rs --type file --content "const TTL: u64 = 1;"
Put src/session.rs (file), version 1: obj_[..]
1 thing was in mind: `ambit why 4` tells.

$ ambit note -m "Login times out after a second"
Noted [..] in main.

# The first agent reads two objects and changes one.
$ ambit get docs/session.md --as coder --kind agent
A session lasts an hour.

$ ambit get src/session.rs --as coder
const TTL: u64 = 1;

$ ambit put --name src/session.rs --content "const TTL: u64 = 3600;" --as coder
Put src/session.rs (file), version 2: obj_[..]
3 things were in mind: `ambit why 9` tells.

# Later somebody asks why.
$ ambit why src/session.rs
put src/session.rs by coder (agent) at [..], event 9
in main (active: main)
In mind, most recent first (from main):
  src/session.rs version 1
    const TTL: u64 = 1;
  docs/session.md version 1
    A session lasts an hour.
  Login times out after a second
Just before:
       8  visited        src/session.rs
       7  visited        docs/session.md

$ ambit diff src/session.rs
--- src/session.rs (version 1)
+++ src/session.rs (version 2)
@@ -1,1 +1,1 @@
-const TTL: u64 = 1;
+const TTL: u64 = 3600;

# The first agent forks a subagent, which starts with a copy of its frame.
$ ambit fork test-ttl -m "Write a test for the session's length" --as coder
Forked test-ttl from main: 2 things in mind, [..] tokens to begin with.
It works with --as test-ttl, or AMBIT_ACTOR; `compose` gives what to show it first.

$ ambit context --as test-ttl
test-ttl: 2 of 7 in mind
 name             type      id
 src/session.rs   file      obj_[..]
 docs/session.md  document  obj_[..]

$ ambit put --name tests/session.rs --type file --content "assert_eq!(TTL, 3600);" --as test-ttl
Put tests/session.rs (file), version 1: obj_[..]
3 things were in mind: `ambit why 12` tells.

$ ambit rejoin -m "The test passes" --as test-ttl
test-ttl rejoined main at [..].

$ ambit note -m "one more thing" --as test-ttl
? 5
error: cannot act as "test-ttl": it rejoined with event 14
hint: go on as the actor that forked it

# History lists who did what in main, and what each had in mind.
$ ambit history --of main
                            test-ttl
                            │ coder
                            │ │ ada
[..]      13 ● │ │  noted The test passes  (3 in mind)
[..]      11 │ ● │  noted Write a test for the session's length  (3 in mind)
[..]      10 │ ○ │  forked test-ttl
[..]       9 │ ● │  put src/session.rs  (3 in mind)
[..]       8 │ ○ │  visited src/session.rs
[..]       7 │ ○ │  visited docs/session.md
[..]       5 │ │ ●  noted Login times out after a second  (2 in mind)
[..]       4 │ │ ●  put src/session.rs  (1 in mind)
[..]       3 │ │ ●  put docs/session.md

$ ambit related src/session.rs
src/session.rs, over 3 visits
████████████████████████████████     3  docs/session.md
██████████▋                          1  Login times out after a second

# A new scope, and a break of the context.
$ ambit scope billing -m "Something else: the invoices"
Now in billing, opened from main (note [..]).

$ ambit break
A new chapter begins after event 20.
active: billing*

$ ambit put --name invoices.md --content "Round to cents."
Put invoices.md (artifact), version 1: obj_[..]
Nothing was in mind.

$ ambit enter main
active: main, billing*

$ ambit focus main
active: main*, billing

$ ambit leave billing
active: main*

$ ambit leave billing
? 4
error: cannot leave scope "billing": it is not active; active: main
hint: `ambit where` shows the active scopes

# Revert undoes the agent's change with a new version.
$ ambit revert 9
src/session.rs: back to version 1, as version 3

$ ambit get src/session.rs --no-visit
const TTL: u64 = 1;

$ ambit verify
All is well: [..]
