"""Calls the endpoint for assistants with the Python SDK, in both protocol eras, and with FastMCP.

Arguments: the address, then the credential. Prints one JSON line for each client: its name and what the tools answered.
"""

import asyncio
import json
import sys

import httpx2
from fastmcp import Client as FastClient
from mcp import Client as SdkClient
from mcp.client.streamable_http import streamable_http_client

URL, KEY = sys.argv[1:3]


def calls(path):
    return [
        ("append_to_note", {"path": path, "heading": "Log", "text": "Sown.", "create": True}),
        ("get_notes", {"paths": [path]}),
        ("list_tasks", {}),
        ("list_links", {"dangling": True}),
        ("recent_changes", {}),
        ("delete_note", {"path": path}),
        ("restore_note", {"path": path}),
    ]


async def use(name, client):
    listed = await client.list_tools()
    tools = [tool.name for tool in getattr(listed, "tools", listed)]
    answers = []
    for tool, given in calls(f"{name}.md"):
        result = await client.call_tool(tool, given)
        text = "\n".join(getattr(part, "text", "") for part in result.content)
        answers.append({"tool": tool, "error": bool(result.is_error), "text": text})
    print(json.dumps({"client": name, "tools": tools, "answers": answers}), flush=True)


async def main():
    for mode in ("legacy", "auto"):
        async with httpx2.AsyncClient(headers={"authorization": f"Bearer {KEY}"}, timeout=300) as http:
            async with SdkClient(streamable_http_client(URL, http_client=http), mode=mode) as client:
                await use(f"Python SDK, {mode}", client)
    async with FastClient(URL, auth=KEY, timeout=300) as client:
        await use("FastMCP", client)


asyncio.run(main())
