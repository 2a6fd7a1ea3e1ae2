# A change of scope inside a tool call carries the pending chain; neither scope keeps an orphan.
# Proves X-9.
$ ambit init
Created [..]
Next: [..]

$ ambit append -
< {"role":"user","content":"look into it in a scope of its own"}
< {"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"scope","arguments":"{}"}}]}
Appended 2 messages to main ([..] tokens, head 4).

$ ambit scope look -m "Looking into it"
Now in look, opened from main (note [..]). A pending tool-call chain came along (1 turn).

$ ambit append --role tool --tool-call-id call_1 "now in look"
Appended 1 message to look ([..] tokens, head 11).

$ ambit compose
system
  [EPISODIC MEMORY]
  - [[..]] [→ look] Looking into it

assistant [..]
  → scope({})

tool [..]
  now in look

look: [..] of 200,000 tokens, 3 messages
  system                                             0 tokens in 0
  notes     [..] tokens in 1
  messages  [..] tokens in 2
0 tokens are a stable prefix; this call costs [..] with a prompt cache, [..] without

# The content of main before the call does not change: the note comes after it.
$ ambit compose --scope main
user [..]
  look into it in a scope of its own

system [..]
  [EPISODIC MEMORY]
  - [[..]] [→ look] Looking into it

main: [..] of 200,000 tokens, 2 messages
  system                                             0 tokens in 0
  notes                                              0 tokens in 0
  messages  [..] tokens in 2
13 tokens are a stable prefix; this call costs [..] with a prompt cache, [..] without
