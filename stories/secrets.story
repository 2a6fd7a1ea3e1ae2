# Secrets are taken out before anything is stored, and a mark says what stood there. None of these is real.
$ ambit init
Created [..]
Next: [..]

$ ambit append -
< {"role":"user","content":"deploy with ghp_0123456789abcdefghijABCDEFGHIJ012345, please"}
< {"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"sh","arguments":"{\"cmd\":\"psql postgres://ada:hunter2@db/shop\"}"}}]}
< {"role":"tool","tool_call_id":"c1","content":"AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE\nAWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"}
Appended 3 messages to main ([..] tokens, head 5).
warning: message 1: a GitHub token was redacted
warning: message 2: a URL password was redacted
warning: message 3: an AWS key id was redacted
warning: message 3: a secret key was redacted

$ ambit compose
user [..]
  deploy with [redacted: GitHub token], please

assistant [..]
  → sh({"cmd":"psql postgres://ada:[redacted: URL password]@db/shop"})

tool [..]
  AWS_ACCESS_KEY_ID=[redacted: AWS key id]
  AWS_SECRET_ACCESS_KEY=[redacted: secret key]

main: [..] of 200,000 tokens, 3 messages
  system [..]
  notes [..]
  messages [..]
[..] tokens are a stable prefix; this call costs [..]

$ ambit note -m "the header was Authorization: Bearer 0123456789abcdef"
Noted [..] in main.
warning: a bearer token was redacted

# Secrets of your own begin as you say.
$ ambit settings redact_also ACME-,corp_
redact_also is now ACME-,corp_ in the vault.

$ ambit scope step-1 -m "try ACME-4711-0815-xyz next"
Now in step-1, opened from main (note [..]).
warning: a configured token was redacted

$ ambit settings redact_also "a b"
? 2
error: invalid prefix of a secret "a b"
hint: a prefix has 3 to 64 letters, digits, _, - or . and begins with a letter or digit; separate prefixes by commas: ACME-,corp_

$ ambit notes main
[..] the header was Authorization: Bearer [redacted: bearer token] [..]
[..] [→ step-1] try [redacted: configured token] next [..]

# Who must keep them can.
$ ambit settings redact off
redact is now off in the vault.

$ ambit note -m "ACME-4711-0815-xyz"
Noted [..] in step-1.

$ ambit verify
All is well: [..]
