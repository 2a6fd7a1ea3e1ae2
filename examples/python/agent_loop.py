#!/usr/bin/env python3
"""An agent loop whose memory is Ambit, over MCP. Python's standard library alone.

    ambit init
    OPENAI_BASE_URL=http://localhost:8080/v1 OPENAI_MODEL=some-model \\
        python3 agent_loop.py "why does login time out?"

The loop appends what is said, composes what the model is shown, and lets the model open scopes,
note findings and return by itself: the tools of the same names are Ambit's own. With --scripted the
model is a fixed script, for trying it out without one.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import urllib.request
import uuid

# What the model may use of Ambit; the loop itself uses append and compose.
MODEL_TOOLS = ["scope", "goto", "note", "notes", "read"]
STEPS_MAX = 30
FILE_BYTES_MAX = 100_000

SYSTEM = (
    "You answer questions about the files in this folder. Open a scope before you look into "
    "something, note what you find, and go back to main with the result before you answer."
)

READ_FILE = {
    "name": "read_file",
    "description": "Read a text file of this folder.",
    "parameters": {
        "type": "object",
        "properties": {"path": {"type": "string"}},
        "required": ["path"],
    },
}


class Ambit:
    """A client of `ambit mcp`: one JSON object a line, over the process's pipes."""

    def __init__(self, program):
        self.process = subprocess.Popen(
            [program, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )
        self.next_id = 0
        self.request(
            "initialize",
            {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "python-agent", "version": "1"},
            },
        )
        self.send({"method": "notifications/initialized"})
        self.tools = {tool["name"]: tool for tool in self.request("tools/list", {})["tools"]}

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def request(self, method, params):
        self.next_id += 1
        self.send({"id": self.next_id, "method": method, "params": params})
        for line in self.process.stdout:
            answer = json.loads(line)
            if answer.get("id") != self.next_id:
                continue
            if "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']['message']}")
            return answer["result"]
        raise RuntimeError("ambit mcp has ended")

    def call(self, tool, arguments):
        """The text for a model. What went wrong is text too: the model can mend it."""
        answer = self.request("tools/call", {"name": tool, "arguments": arguments})
        return answer["content"][0]["text"], answer

    def done(self, tool, arguments):
        """The result for a program. What went wrong ends it."""
        text, answer = self.call(tool, arguments)
        if answer.get("isError"):
            raise RuntimeError(f"{tool}: {text}")
        return answer["structuredContent"]["result"]

    def append(self, *messages):
        # Under a key the call may be repeated without harm.
        self.done("append", {"messages": list(messages), "key": str(uuid.uuid4())})

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=30)


def read_file(arguments):
    """Files beneath the current folder alone."""
    root = pathlib.Path.cwd().resolve()
    path = (root / str(arguments.get("path", ""))).resolve()
    if not path.is_relative_to(root) or not path.is_file():
        return "error: there is no such file in this folder"
    return path.read_bytes()[:FILE_BYTES_MAX].decode("utf-8", "replace")


def openai_model(messages, tools):
    """One call of an OpenAI-compatible chat endpoint."""
    base = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1").rstrip("/")
    body = {"model": os.environ.get("OPENAI_MODEL", "gpt-4.1-mini"), "messages": messages}
    body["tools"] = [{"type": "function", "function": tool} for tool in tools]
    headers = {"Content-Type": "application/json"}
    if os.environ.get("OPENAI_API_KEY"):
        headers["Authorization"] = "Bearer " + os.environ["OPENAI_API_KEY"]
    request = urllib.request.Request(base + "/chat/completions", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=300) as response:
        return json.load(response)["choices"][0]["message"]


def scripted_model():
    """A model that says the same things every time."""

    def call(number, tool, /, **arguments):
        function = {"name": tool, "arguments": json.dumps(arguments)}
        calls = [{"id": f"call_{number}", "type": "function", "function": function}]
        return {"role": "assistant", "content": None, "tool_calls": calls}

    finding = "config.py: SESSION_SECONDS is 1, it should be 3600"
    replies = iter(
        [
            call(1, "scope", name="look", note="Looking into the timeout"),
            call(2, "read_file", path="config.py"),
            call(3, "note", message=finding),
            call(4, "goto", name="main", note=finding),
            {"role": "assistant", "content": "The session lasts 1 s; it should last 3600 s."},
        ]
    )
    return lambda messages, tools: next(replies)


def run(ambit, model, question):
    tools = [READ_FILE]
    for name in MODEL_TOOLS:
        tool = ambit.tools[name]
        tools.append(
            {"name": name, "description": tool["description"], "parameters": tool["inputSchema"]}
        )
    ambit.append({"role": "user", "content": question})
    for _ in range(STEPS_MAX):
        shown = ambit.done("compose", {"system": SYSTEM})
        print(f"{shown['scope']}: {shown['tokens']} tokens", file=sys.stderr)
        reply = model(shown["messages"], tools)
        ambit.append(reply)
        calls = reply.get("tool_calls") or []
        if not calls:
            return reply["content"]
        for call in calls:
            name = call["function"]["name"]
            try:
                arguments = json.loads(call["function"]["arguments"] or "{}")
                if name == "read_file":
                    text = read_file(arguments)
                elif name in MODEL_TOOLS:
                    # A switch takes the pending call along, so its reply is appended there.
                    text, _ = ambit.call(name, arguments)
                else:
                    text = f"error: there is no tool {name}"
            except (ValueError, AttributeError) as error:
                text = f"error: {error}"
            ambit.append({"role": "tool", "tool_call_id": call["id"], "content": text})
    raise RuntimeError(f"no answer after {STEPS_MAX} steps")


def main():
    parser = argparse.ArgumentParser(description="An agent loop whose memory is Ambit.")
    parser.add_argument("question")
    parser.add_argument("--ambit", default="ambit", help="the program")
    parser.add_argument("--scripted", action="store_true", help="a fixed script for a model")
    options = parser.parse_args()
    ambit = Ambit(options.ambit)
    try:
        print(run(ambit, scripted_model() if options.scripted else openai_model, options.question))
    finally:
        ambit.close()


if __name__ == "__main__":
    main()
