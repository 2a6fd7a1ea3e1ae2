# A scope shows its own messages and notes, and none of other scopes.
# Proves S1-11, S1-12, S1-13.
$ ambit init
Created [..]
Next: [..]

$ ambit append --role user "start the task"
Appended 1 message to main (7 tokens, head 3).

$ ambit scope step-1 -m "Reading the file"
Now in step-1, opened from main (note [..]).

$ ambit append --role user "read the file"
Appended 1 message to step-1 (7 tokens, head 9).

$ ambit compose
system
  [EPISODIC MEMORY]
  - [[..]] [→ step-1] Reading the file

user [..]
  read the file

step-1: [..] of 200,000 tokens, 2 messages
  system                                             0 tokens in 0
  notes     ████████████████████████████████        [..] tokens in 1
  messages  [..] 7 tokens in 1
0 tokens are a stable prefix; this call costs [..] with a prompt cache, [..] without

$ ambit scopes
    scope   messages  notes  tokens  created
    main    1         1      [..]
 *  step-1  1         0      7       [..]

$ ambit where
ada (operator) in step-1 of vault default
1 message, 0 notes, 7 tokens in sight
active: step-1*
