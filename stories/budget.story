# Content that does not fit is left out; the receipt lists it, and its handle reads it back.
$ ambit init
Created [..]
Next: [..]

$ ambit append -
< {"role":"system","content":"You fix bugs."}
< {"role":"user","content":"one one one one one one one one one one one one one one one one one one one one one one one one one one one one one one"}
< {"role":"user","content":"two two two two two two two two two two two two two two two two two two two two two two two two two two two two two two"}
< {"role":"user","content":"three"}
Appended 4 messages to main (81 tokens, head 6).

$ ambit compose --budget 110
system [..]
  You fix bugs.

user [..]
  two two two two two two two two two two two two two two two two two two two two two two two two two two two two two two

user [..]
  three

main: 47 of 110 tokens, 3 messages
  system                                             0 tokens in 0
  notes                                              0 tokens in 0
  messages  ████████████████████████████████        47 tokens in 3
0 tokens are a stable prefix; this call costs 59 with a prompt cache, 47 without
 left out           why              tokens  read
 before the window  over the budget  34

$ ambit read 4.0
one one one one one one one one one one one one one one one one one one one one one one one one one one one one one one

$ ambit compose --budget 3
? 5
error: a budget of 3 tokens is too small: [..]
hint: raise --budget, or the setting budget
