# The worked example of scope isolation: a departure note in the origin says why the actor leaves, an
# arrival note in the destination says what it brings.
# Proves S1-30.
$ ambit init
Created [..] with the vault "default".
Next: ambit append --role user "hello", ambit compose, ambit where.

$ ambit scope step-1 -m "Investigating authentication bug"
Now in step-1, opened from main (note [..]).

$ ambit note -m "Found: session timeout was 1s instead of 3600s"
Noted [..] in step-1.

$ ambit goto main -m "Fixed: session timeout corrected to 3600s"
Now in main, from step-1 (note [..]).
0 messages, 2 notes, 62 tokens in sight.

$ ambit notes
[..] [→ step-1] Investigating authentication bug [..] ada
[..] [← step-1] Fixed: session timeout corrected to 3600s [..] ada

$ ambit notes step-1
[..] [→ step-1] Investigating authentication bug [..] ada (inherited)
[..] Found: session timeout was 1s instead of 3600s [..] ada
