# `check` reports whether a provider would accept a request, and its faults if not. It needs no store.
$ ambit check -
< {"messages": [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}]}
2 messages, no faults (as openai).

# A call without a reply, and a part that is not allowed for its role.
$ ambit check -
< {"messages": [
<   {"role": "user", "content": "what is in main.rs?"},
<   {"role": "assistant", "content": null, "tool_calls": [
<     {"id": "call_1", "type": "function", "function": {"name": "read", "arguments": "{}"}}]},
<   {"role": "user", "content": [{"type": "refusal", "refusal": "never mind"}]}]}
? 5
2 faults in 3 messages (as openai):
 where                      rule        what
 messages[1].tool_calls[0]  unanswered  nothing answers the call "call_1"
 messages[2].content[0]     part-role   a part of type "refusal" in a message of role user
unanswered: add the missing reply, or take the call out
part-role: move the part into a message of the user, or say it in text

# The same conversation as a request to another provider.
$ ambit check - --format anthropic
< [{"role": "system", "content": "be brief"}, {"role": "user", "content": " "}]
? 5
2 faults in 2 messages (as anthropic):
 where                rule        what
 messages[0]          role        the role "system" is not accepted
 messages[1].content  empty-text  the content is empty
role: put instructions into `system`; few models take them among the messages
empty-text: leave the block out

$ ambit check -
< {"messages": [}
? 2
error: the input is not JSON: expected value at line 1 column 15
hint: give one request, its list of messages, or the answer of `ambit compose --json`
