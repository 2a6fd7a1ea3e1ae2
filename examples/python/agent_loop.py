#!/usr/bin/env python3
"""An agent loop with Ambit as its memory, over MCP. It uses only Python's standard library.

    ambit init
    OPENAI_BASE_URL=http://localhost:8080/v1 OPENAI_MODEL=some-model \\
        python3 agent_loop.py "why does login time out?"

The loop appends every message and composes the model's context. The model opens scopes, notes
findings and returns with Ambit's own tools. With --scripted a fixed script replaces the model, to
try the loop without one.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import urllib.request
import uuid

# Ambit's tools for the model; the loop itself uses append and compose.
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
    """A client of `ambit mcp`: one JSON object per line, over the process's pipes."""

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
        raise RuntimeError("cannot read an answer: ambit mcp has ended")

    def call(self, tool, arguments):
        """Returns the text for a model. An error is text too: the model can correct its call."""
        answer = self.request("tools/call", {"name": tool, "arguments": arguments})
        return answer["content"][0]["text"], answer

    def done(self, tool, arguments):
        """Returns the result for a program. Raises an exception for an error."""
        text, answer = self.call(tool, arguments)
        if answer.get("isError"):
            raise RuntimeError(f"{tool}: {text}")
        return answer["structuredContent"]["result"]

    def append(self, *messages):
        # The key makes the call safe to repeat.
        self.done("append", {"messages": list(messages), "key": str(uuid.uuid4())})

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=30)


def read_file(arguments):
    """Reads a file in the current folder or below."""
    root = pathlib.Path.cwd().resolve()
    path = (root / str(arguments.get("path", ""))).resolve()
    if not path.is_relative_to(root) or not path.is_file():
        return "error: no such file in this folder"
    return path.read_bytes()[:FILE_BYTES_MAX].decode("utf-8", "replace")


def openai_model(messages, tools):
    """Calls an OpenAI-compatible chat endpoint once."""
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
    """Returns a model that gives fixed replies."""

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
                    # A change of scope carries the pending call, so its reply goes there.
                    text, _ = ambit.call(name, arguments)
                else:
                    text = f"error: unknown tool {name}"
            except (ValueError, AttributeError) as error:
                text = f"error: {error}"
            ambit.append({"role": "tool", "tool_call_id": call["id"], "content": text})
    raise RuntimeError(f"no answer after {STEPS_MAX} steps")


def main():
    parser = argparse.ArgumentParser(
        description="Answer a question about the files in this folder, with Ambit as memory."
    )
    parser.add_argument("question")
    parser.add_argument("--ambit", default="ambit", help="path of the ambit program")
    parser.add_argument("--scripted", action="store_true", help="use a script instead of a model")
    options = parser.parse_args()
    ambit = Ambit(options.ambit)
    try:
        print(run(ambit, scripted_model() if options.scripted else openai_model, options.question))
    finally:
        ambit.close()


if __name__ == "__main__":
    main()
