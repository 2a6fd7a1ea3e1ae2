# An insight is a note of the whole vault. Every scope shows it before its own notes until it is
# retracted.
# Proves X-8.
$ ambit init
Created [..]
Next: [..]

$ ambit insights
No insights yet: ambit insight -m "…"

$ ambit insight -m "The tests need a server: run them with make test"
Kept [..]: 1 insight shown in every scope.

$ ambit scope step-1 -m "Why is the login slow?"
Now in step-1, opened from main (note [..]).

$ ambit insight -m "Never touch legacy/: it is generated" --as bot
Kept [..]: 2 insights shown in every scope.

$ ambit compose
system
  [INSIGHTS]
  - [[..]] The tests need a server: run them with make test (ada)
  - [[..]] Never touch legacy/: it is generated (bot)

system
  [EPISODIC MEMORY]
  - [[..]] [→ step-1] Why is the login slow?

step-1: [..] of 200,000 tokens, 2 messages
  system [..] 0 tokens in 0
  insights [..] tokens in 2
  notes [..] tokens in 1
  messages [..] 0 tokens in 0
0 tokens are a stable prefix; this call costs [..] with a prompt cache, [..] without

$ ambit insights
[..] The tests need a server: run them with make test [..] ada
[..] Never touch legacy/: it is generated [..] bot

$ ambit notes
[..] [→ step-1] Why is the login slow? [..] ada (inherited)

$ ambit search generated --only insight
[..] insight, bot, [..]
  …touch legacy/: it is generated

$ ambit insight --retract 0000000
? 3
error: there is no insight "0000000"
hint: `ambit insights` lists them

$ ambit settings insights_shown 1
insights_shown is now 1 in the vault.

$ ambit compose --scope main
system
  [INSIGHTS]
  - [[..]] Never touch legacy/: it is generated (bot)

system
  [EPISODIC MEMORY]
  - [[..]] [→ step-1] Why is the login slow?

main: [..] of 200,000 tokens, 2 messages
  system [..] 0 tokens in 0
  insights [..] tokens in 1
  notes [..] tokens in 1
  messages [..] 0 tokens in 0
0 tokens are a stable prefix; this call costs [..] with a prompt cache, [..] without
