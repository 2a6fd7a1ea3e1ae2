# A turn is regenerated: later turns are out of sight, and not lost.
$ ambit init
Created [..]
Next: [..]

$ ambit append -
< {"role":"user","content":"name a colour"}
< {"role":"assistant","content":"blue"}
< {"role":"user","content":"another"}
Appended 3 messages to main ([..] tokens, head 5).

$ ambit rewind --to 3
Rewound main to turn 3: 1 message in sight.

$ ambit append --role assistant "green"
Appended 1 message to main ([..] tokens, head 7).

$ ambit compose
user [..]
  name a colour

assistant [..]
  green

main: [..] of 200,000 tokens, 2 messages
  system                                             0 tokens in 0
  notes                                              0 tokens in 0
  messages  [..] tokens in 2
[..] tokens are a stable prefix; this call costs [..] with a prompt cache, [..] without

$ ambit read 4
{"role":"assistant","content":"blue"}
