# Work is handed over with its conversation: a fork can inherit everything that its origin shows.
# Later turns of the origin do not appear in the fork.
# Proves S0-90.
$ ambit init
Created [..]
Next: [..]

$ ambit append --role user "Users are logged out after a second. Why?"
Appended 1 message to main ([..] tokens, head [..]).

$ ambit append --role assistant "SESSION_TTL is 1; it should be 3600."
Appended 1 message to main ([..] tokens, head [..]).

$ ambit fork fix-ttl -m "Mend it, and say which test shows it" --inherit full
Forked fix-ttl from main: 0 things in mind, [..] tokens to begin with.
It works with --as fix-ttl, or AMBIT_ACTOR; `compose` gives what to show it first.

$ ambit append --role user "Meanwhile: look at the logs of Tuesday"
Appended 1 message to main ([..] tokens, head [..]).

$ ambit append --role assistant "Mended; session_lasts_an_hour shows it." --as fix-ttl
Appended 1 message to fix-ttl ([..] tokens, head [..]).

$ ambit compose --as fix-ttl
system
  [EPISODIC MEMORY]
  - [[..]] Mend it, and say which test shows it

user [..]
  Users are logged out after a second. Why?

assistant [..]
  SESSION_TTL is 1; it should be 3600.

assistant [..]
  Mended; session_lasts_an_hour shows it.

fix-ttl: [..] of 200,000 tokens, 4 messages
  system [..] 0 tokens in 0
  notes [..] tokens in 1
  inherited [..] tokens in 2
  messages [..] tokens in 1
[..] tokens are a stable prefix; this call costs [..] with a prompt cache, [..] without

$ ambit rejoin -m "Mended, with a test" --as fix-ttl
fix-ttl rejoined main at [..].
