# Search finds texts by their words, in every scope.
$ ambit init
Created [..]
Next: [..]

$ ambit append --role user "Why are users logged out after a second?"
Appended 1 message to main ([..] tokens, head 3).

$ ambit scope step-1 -m "Investigating the logout"
Now in step-1, opened from main (note [..]).

$ ambit append --role assistant "SESSION_TTL is 1 in src/session/config.rs; it should be 3600."
Appended 1 message to step-1 ([..] tokens, head [..]).

$ ambit goto main -m "The session lasted one second"
Now in main, from step-1 (note [..]).
1 message, 2 notes, [..] tokens in sight.

# Words match in any form; names and paths match whole or in parts. A terminal shows hits in bold.
$ ambit search session config
[..] 9.0-[..] [..] ada in step-1, [..]
  SESSION_TTL is 1 in src/session/config.rs; it should be 3600.
[..] note, ada in main, [..]
  The session lasted one second

$ ambit search "log out" --in main --only message
[..] 3.0-[..] [..] ada in main, [..]
  Why are users logged out after a second?

# Rewound texts are found too, and marked.
$ ambit append --role user "Let us talk about quinces"
Appended 1 message to main ([..] tokens, head [..]).

$ ambit rewind --to 3
[..]

$ ambit search quince
[..] ada in main, out of sight, [..]
  Let us talk about quinces

$ ambit search xylophone
Nothing was found: fewer or other words may help.

$ ambit search "?"
? 2
error: cannot search: the query has no words
hint: say in a few words what to find: `ambit search "session timeout"`

# Texts that contain all given words can be forgotten, after a preview.
$ ambit forget --search "talking quince"
Would forget 1 block: 1 text gone for good.
  [..] Let us talk about quinces ada
Where: out of sight (1)
Not reached: [..]
Nothing is forgotten yet: repeat it with --yes. It cannot be undone.

$ ambit forget --search "talking quince" --yes
Forgot 1 block: 1 text gone for good (event [..]).
Not reached: [..]

$ ambit search quince
Nothing was found: fewer or other words may help.
