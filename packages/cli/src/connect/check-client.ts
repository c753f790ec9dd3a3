import { CommandFailure } from "../arguments/command.ts";
import { formatDuration } from "../terminal/style.ts";
import { connectTexts } from "../texts/connect.ts";
import { readClientFile } from "./client-file.ts";
import type { Machine } from "./clients/client-paths.ts";
import type { ClientKind } from "./clients/client.ts";
import { connectionFiles } from "./connection-record.ts";
import { writtenEntry } from "./plan-change.ts";
import { type Probe, probeCommand, ProbeFailure, probeHttp } from "./probe.ts";

const texts = connectTexts.check;

/** A step of a check, in the form of `capstan doctor`. */
export interface ConnectionCheck {
  readonly name: string;
  readonly status: "ok" | "wrong";
  readonly detail: string;
  readonly without: string;
  readonly fix?: string;
}

interface ToolEntry {
  readonly name: string;
  readonly inputSchema?: { readonly required?: readonly string[] };
  readonly annotations?: { readonly readOnlyHint?: boolean; readonly openWorldHint?: boolean };
}

/** Makes a call through the configuration that a client has, as the client would. */
export async function checkClient({
  kind,
  dataDir,
  machine,
}: {
  readonly kind: ClientKind;
  readonly dataDir: string;
  readonly machine: Machine;
}): Promise<readonly ConnectionCheck[]> {
  const checks: ConnectionCheck[] = [];
  const without = texts.without;
  const again = texts.connectAgain(kind.name);
  const ok = (name: string, detail: string) => checks.push({ name, status: "ok", detail, without });
  const wrong = (name: string, detail: string, fix?: string) => {
    checks.push({ name, status: "wrong", detail, without, ...(fix !== undefined && { fix }) });
    return checks;
  };
  const files = connectionFiles(dataDir, kind.name);
  const path = files.readRecord()?.path ?? kind.file(machine);
  let probe: Probe | undefined;
  let step = kind.name;
  try {
    const entry = writtenEntry(kind, await readClientFile(path));
    const target = entry === undefined ? undefined : kind.targetOf(entry);
    if (target === undefined) return wrong(step, texts.noEntry(path, kind.path.join(".")), again);
    const how = target.type === "http" ? target.url : [target.command, ...target.args].join(" ");
    ok(step, texts.entry(path, how));
    step = "server";
    if (target.type === "http") {
      const key = target.key ?? files.readKey();
      if (key === undefined) return wrong(step, texts.noKey, again);
      probe = probeHttp({ url: target.url, key });
    } else probe = probeCommand(target);
    const { serverInfo } = await probe.request("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "capstan-check", version: "1" },
    });
    await probe.notify("notifications/initialized");
    const { name = "", version = "" } = (serverInfo ?? {}) as { name?: string; version?: string };
    ok(step, texts.initialized(`${name} ${version}`));
    step = "tools";
    const tools = await listTools(probe);
    if (tools.length === 0) return wrong(step, texts.noTools);
    ok(step, texts.tools(tools.length));
    step = "call";
    const tool = harmlessTool(tools);
    if (tool === undefined) {
      ok(step, texts.noTool);
      return checks;
    }
    const start = performance.now();
    const result = await probe.request("tools/call", { name: tool.name, arguments: {} });
    const text = textOf(result);
    if (result["isError"] === true) return wrong(step, texts.failed(tool.name, firstLine(text)));
    if (/waits for the approval/.test(text)) ok(step, texts.waits(tool.name));
    else ok(step, texts.called(tool.name, formatDuration(performance.now() - start)));
    return checks;
  } catch (thrown) {
    if (!(thrown instanceof ProbeFailure) && !(thrown instanceof CommandFailure)) throw thrown;
    const isRejected = thrown.message.startsWith("status 401");
    const isDown = /ECONNREFUSED/.test(thrown.message);
    return wrong(
      step,
      firstLine(thrown.message),
      isDown ? texts.start : isRejected ? again : undefined,
    );
  } finally {
    await probe?.close();
  }
}

async function listTools(probe: Probe): Promise<readonly ToolEntry[]> {
  const tools: ToolEntry[] = [];
  let cursor: unknown;
  do {
    const page = await probe.request("tools/list", cursor === undefined ? {} : { cursor });
    tools.push(...((page["tools"] ?? []) as readonly ToolEntry[]));
    cursor = page["nextCursor"];
  } while (cursor !== undefined && tools.length < 10_000);
  return tools;
}

/** Returns a read-only tool without required arguments, preferably one for variables. */
function harmlessTool(tools: readonly ToolEntry[]): ToolEntry | undefined {
  const found = tools.filter(
    ({ inputSchema, annotations }) =>
      annotations?.readOnlyHint === true && (inputSchema?.required ?? []).length === 0,
  );
  return found.find(({ annotations }) => annotations?.openWorldHint === false) ?? found[0];
}

function textOf({ content }: { readonly [name: string]: unknown }): string {
  if (!Array.isArray(content)) return "";
  return content.map((part: { readonly text?: string }) => part.text ?? "").join("\n");
}

function firstLine(text: string): string {
  return text.split("\n")[0] ?? "";
}
