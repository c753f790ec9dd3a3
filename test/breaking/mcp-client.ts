import { readEventStream } from "@capstan/client";

/** A session of an MCP client. */
export interface McpSession {
  /** Calls a tool, and returns the text of its result. Aborting only closes the connection. */
  call(name: string, args: object, signal?: AbortSignal): Promise<string>;
}

/** Starts a session with a server. */
export async function startMcpSession(url: string): Promise<McpSession> {
  const headers: { [name: string]: string } = {
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
  };
  let id = 0;
  const send = async (method: string, params: object, signal?: AbortSignal) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params });
    const options = { method: "POST", headers, body, ...(signal && { signal }) };
    const response = await fetch(`${url}/mcp`, options);
    if (!response.ok || response.body === null)
      throw new Error(`${response.status}: ${await response.text()}`);
    for await (const data of readEventStream(response.body)) {
      const message = data === "" ? undefined : (JSON.parse(data) as Answer);
      if (message?.id === id) return { response, message };
    }
    throw new Error("The connection ended without a result.");
  };
  const { response } = await send("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  });
  headers["Mcp-Session-Id"] = response.headers.get("mcp-session-id") ?? "";
  return {
    async call(name, args, signal) {
      const { message } = await send("tools/call", { name, arguments: args }, signal);
      return message.result?.content?.[0]?.text ?? JSON.stringify(message);
    },
  };
}

interface Answer {
  readonly id?: number;
  readonly result?: { readonly content?: readonly { readonly text?: string }[] };
}
