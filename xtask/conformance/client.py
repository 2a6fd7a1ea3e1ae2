"""Runs the official Python SDK (the package `mcp`) against `ambit mcp` over stdio.

    python client.py AMBIT FOLDER MODE

AMBIT is the program, FOLDER contains an empty store, and MODE is how the SDK connects: `auto`
without a handshake, `legacy` with one. Prints one line for each check, `ok` or `FAILED`.
`cargo xtask conformance python` runs it.
"""

import asyncio
import json
import sys
from urllib.parse import quote

from mcp import Client, MCPError, StdioServerParameters

ANSWER_SECONDS_MAX = 20

REVISIONS = {"auto": "2026-07-28", "legacy": "2025-11-25"}


failed = []


def check(holds, what, seen=""):
    if holds:
        print(f"ok      {what}")
    else:
        print(f"FAILED  {what}: {seen}")
        failed.append(what)


class Tools:
    """Calls tools. The SDK validates each answer against the tool's output schema, if any."""

    def __init__(self, client):
        self.client = client
        self.called = set()

    async def __call__(self, tool, **arguments):
        self.called.add(tool)
        answer = await self.client.call_tool(tool, arguments)
        if answer.is_error:
            raise RuntimeError(f"{tool}({arguments}): {answer.content}")
        return answer.structured_content["result"]


async def worked_example(call):
    """Runs stories/worked-example.story, with messages in both scopes."""
    question = {"role": "user", "content": "Users are logged out after a second. Why?"}
    finding = {"role": "assistant", "content": "The session lasts 1 s instead of 3600 s."}
    await call("append", messages=[question])
    opened = await call("scope", name="step-1", note="Investigating authentication bug")
    check((opened["scope"], opened["origin"]) == ("step-1", "main"), "scope: opens step-1", opened)
    await call("append", messages=[finding], key="once")
    again = await call("append", messages=[finding], key="once")
    check(again["appended"] == 1, "append: repeated under a key, it is done once", again)
    await call("note", message="Found: session timeout was 1s instead of 3600s")
    back = await call("goto", name="main", note="Fixed: session timeout corrected to 3600s")
    check(back["scope"] == "main", "goto: goes back to main", back)
    there = await call("where")
    check(there["primary_scope"] == "main", "where: returns main", there)

    notes = [note["message"] for note in (await call("notes"))["notes"]]
    check(
        notes
        == [
            "[→ step-1] Investigating authentication bug",
            "[← step-1] Fixed: session timeout corrected to 3600s",
        ],
        "notes: main has the departure and the arrival note",
        notes,
    )
    notes = [note["message"] for note in (await call("notes", name="step-1"))["notes"]]
    check(
        notes
        == [
            "[→ step-1] Investigating authentication bug",
            "Found: session timeout was 1s instead of 3600s",
        ],
        "notes: step-1 inherits the departure note and has its own",
        notes,
    )
    shown = json.dumps((await call("compose"))["messages"], ensure_ascii=False)
    check(question["content"] in shown, "compose: main shows its own message", shown)
    check(finding["content"] not in shown, "compose: main does not show the message of step-1", shown)


async def other_tools(call):
    scopes = [scope["name"] for scope in (await call("scopes"))["scopes"]]
    check(scopes == ["main", "step-1"], "scopes: lists both", scopes)
    found = await call("search", query="session")
    check(len(found["hits"]) >= 2, "search: finds texts of both scopes", found)
    question = (await call("search", query="logged out"))["hits"][0]["handle"]
    hash = (await call("notes"))["notes"][0]["hash"]
    text = json.dumps(await call("read", handle=hash))
    check("Investigating" in text, "read: returns a note", text)
    request = {"model": "some-model", "messages": [{"role": "tool", "content": "orphan"}]}
    verdict = await call("check", request=request)
    rules = [fault["rule"] for fault in verdict["faults"]]
    check("reply-id" in rules, "check: reports a reply without a call", verdict)
    await call("append", messages=[{"role": "user", "content": "one too many"}])
    await call("rewind", to=question)
    shown = json.dumps((await call("compose"))["messages"])
    check("one too many" not in shown, "rewind: hides later messages", shown)
    kept = await call("insight", message="The tests need a server")
    known = [insight["hash"] for insight in (await call("insights"))["insights"]]
    check(known == [kept["hash"]], "insight: it is listed", known)
    gone = await call("insight", retract=kept["hash"])
    check(gone["retracted"] and gone["insights"] == 0, "insight: it can be retracted", gone)
    plan = await call("put", name="plan.md", content="1. look")
    got = await call("get", id="plan.md")
    check(got["text"] == "1. look" and got["visited"], "get: returns the object and visits it", got)
    mind = await call("attend", op="context")
    check(plan["id"] in mind["context"], "attend: the object is in mind", mind)
    why = await call("trace", op="why", id="plan.md")
    check(why["event"] == plan["event"], "trace: why names the change", why)
    child = await call("subagent", op="fork", name="sub", task="look closer")
    where = await call("where", actor=child["actor"])
    check(where["primary_scope"] == "sub", "subagent: works under its own name", where)
    back = await call("subagent", op="rejoin", actor=child["actor"], note="done")
    check(back["parent_scope"] == "main", "subagent: rejoins its parent", back)
    verified = await call("keep", op="verify")
    check(verified["ok"] is True, "keep: verify passes", verified)


async def tools(client):
    listed = {tool.name: tool for tool in (await client.list_tools()).tools}
    with_schema = [name for name, tool in listed.items() if tool.output_schema]
    check(len(listed) == 20, f"tools: {', '.join(listed)}", list(listed))
    check(all(tool.description for tool in listed.values()), "tools: each has a description")
    call = Tools(client)
    await worked_example(call)
    await other_tools(call)
    left = set(listed) - call.called
    check(not left, f"tools: all {len(listed)} were called", left)
    check(with_schema, f"tools: answers match the output schemas of {', '.join(with_schema)}")


async def errors(client):
    answer = await client.call_tool("goto", {"name": "nowhere", "note": "lost"})
    error = (answer.structured_content or {}).get("error", {})
    check(answer.is_error, "error: an unknown scope is a tool error", answer)
    check(error.get("code") == "not_found" and error.get("hint"), "error: it has a hint", error)
    check(error["hint"] in answer.content[0].text, "error: the model is shown the hint", answer)
    answer = await client.call_tool("scope", {"name": "x"})
    check(answer.is_error, "error: a missing argument is a tool error", answer)
    try:
        await client.call_tool("dance", {})
        check(False, "error: an unknown tool is refused")
    except MCPError as refused:
        check(refused.code == -32602, "error: an unknown tool is a protocol error", refused)


async def resources(client):
    async def read(uri):
        contents = (await client.read_resource(uri)).contents
        check(len(contents) == 1 and json.loads(contents[0].text), f"resource: {uri}", contents)
        return contents[0].text

    listed = {resource.uri: resource for resource in (await client.list_resources()).resources}
    texts = {uri: await read(uri) for uri in listed}
    check(len(texts) == 6, "resources: all were read", list(texts))
    templates = (await client.list_resource_templates()).resource_templates
    check(len(templates) == 1, "resource templates: one is listed", templates)
    for template in templates:
        check(template.uri_template.count("{name}") == 1, f"template: {template.uri_template}")
        for scope in ["main", "step-1"]:
            uri = template.uri_template.replace("{name}", quote(scope, safe=""))
            check(await read(uri) == texts[uri], "template: returns the same as the resource", uri)
    try:
        await client.read_resource("ambit://nothing")
        check(False, "resource: an unknown one is refused")
    except MCPError as refused:
        check("hint" in (refused.data or {}), "resource: an unknown one is refused", refused)


async def prompts(client):
    listed = (await client.list_prompts()).prompts
    check(len(listed) == 2, "prompts: two are listed", listed)
    for prompt in listed:
        messages = (await client.get_prompt(prompt.name)).messages
        check(messages and messages[0].content.text, f"prompt: {prompt.name}", messages)


async def main(ambit, folder, mode):
    server = StdioServerParameters(command=ambit, args=["mcp", "--admin"], cwd=folder)
    async with Client(server, mode=mode, read_timeout_seconds=ANSWER_SECONDS_MAX) as client:
        revision = client.protocol_version
        check(revision == REVISIONS[mode], f"connect: {mode}, in revision {revision}", revision)
        check(client.server_info.name == "ambit", "connect: the server is ambit", client.server_info)
        for part in [tools, errors, resources, prompts]:
            try:
                await part(client)
            except Exception as error:
                check(False, f"{part.__name__}: could not continue", error)


asyncio.run(main(*sys.argv[1:]))
sys.exit(1 if failed else 0)
