import {
  contentParts,
  defineTool,
  type JsonObject,
  type Tool,
  type ToolArgs,
  type ToolContext,
  toolError,
} from "@capstan/core";

const reads = { effects: "read", permission: { executionPolicy: "auto" } } as const;
const anything = { type: "object" } as const;

/** The tools of the cases; `ran` is called with the arguments of each tool that runs. */
export function caseTools(ran: (args: unknown) => void): readonly Tool[] {
  const tool = (
    name: string,
    execute: (args: ToolArgs, context: ToolContext) => unknown,
    rest: Partial<Parameters<typeof defineTool>[0]> = {},
  ): Tool =>
    defineTool({
      name,
      description: `${name}, a tool of the cases`,
      parameters: anything,
      ...reads,
      ...rest,
      execute: (args: unknown, context: ToolContext) => {
        ran(args);
        return execute(args as ToolArgs, context);
      },
    });

  const circular: { self?: unknown } = {};
  circular.self = circular;
  const rows = Array.from({ length: 400 }, (_, index) => `row ${index}: ünïcødé 🚣`);

  return [
    tool("Add", ({ a, b }) => Number(a) + Number(b), {
      parameters: objectOf({ a: { type: "number" }, b: { type: "number" } }, ["a", "b"]),
    }),
    tool("Join", ({ words }) => (words as readonly string[]).join(" "), {
      parameters: objectOf({ words: { type: "array", items: { type: "string" } } }, ["words"]),
    }),
    tool("Echo", ({ value }) => value),
    tool("Quote", () => "$VAR_REF{{Add_1}}"),
    tool("Slug", ({ text }) => text, {
      parameters: objectOf({ text: { type: "string", pattern: "^[a-z-]+$" } }, ["text"]),
    }),
    tool("Tangled", ({ text }) => String(text).length, {
      parameters: objectOf({ text: { type: "string", pattern: "^(a+)+$" } }, ["text"]),
    }),
    tool("Sealed", ({ kind }) => kind, {
      parameters: {
        ...anything,
        properties: { kind: { enum: ["one", "two"] } },
        anyOf: [{ required: ["kind"] }, { properties: { other: true }, required: ["other"] }],
        unevaluatedProperties: false,
      },
    }),
    tool("Broken", () => "never", {
      parameters: { ...anything, properties: { a: { type: "nothing" } } },
    }),
    tool("Rows", () => rows.join("\n")),
    tool("Nothing", () => undefined),
    tool("Circular", () => circular),
    tool("BigInt", () => 10n),
    tool("Stream", () => new ReadableStream()),
    tool("Throws", () => {
      throw new Error("the rope broke");
    }),
    tool("Fails", () =>
      toolError({ code: "no_wind", message: "There is no wind.", retryable: true }),
    ),
    tool("Picture", () =>
      contentParts([
        { type: "text", text: "A ship:" },
        { type: "image", mimeType: "image/png", source: { type: "base64", data: "AAAA" } },
      ]),
    ),
    tool("Slow", (_, { signal }) => untilAborted(signal), { timeoutMs: 30 }),
    tool("Deaf", () => new Promise(() => undefined), { timeoutMs: 30 }),
    tool("Waits", (_, { signal }) => untilAborted(signal)),
    tool("Flaky", flaky(), { retry: { attempts: 3, baseMs: 1 } }),
    tool("Write", ({ path }) => `wrote ${String(path)}`, {
      effects: "write",
      permission: { executionPolicy: "ask-always" },
    }),
    tool("Visit", ({ url }) => `visited ${String(url)}`, {
      permission: { executionPolicy: "ask-once" },
    }),
    tool("Denied", () => "never", { permission: { executionPolicy: "deny" } }),
    tool("Undeclared", () => "ran", { permission: undefined, effects: undefined } as never),
    tool("Secret", () => "the code is 4711", {
      permission: { executionPolicy: "auto", resultApprovalPolicy: "always" },
    }),
    tool("Sum", async (_, { callTool }) => {
      const [two, four] = await Promise.all([
        callTool("Add", { a: 1, b: 1 }),
        callTool("Add", { a: "2", b: 2 }),
      ]);
      return [two, four].map((result) => (result.status === "success" ? result.data : result));
    }),
    tool("Around", async (_, { callTool }) => (await callTool("Write", { path: "x" })).status),
    tool("Deep", async (_, { callTool }) => {
      const inner = await callTool("Deep", {});
      return inner.status === "success" ? inner.data : codeOf(inner);
    }),
    tool("WhoAmI", ({ value }, { principal, idempotencyKey, callId }) => ({
      value,
      principal: principal.id,
      hasKey: idempotencyKey !== "" && callId !== "",
    })),
    tool("Says", async ({ words, ms, after }, { output }) => {
      if (after !== undefined) await pause(Number(after));
      for (const word of words as readonly string[]) {
        output.write(word);
        await pause(Number(ms ?? 0));
      }
      return "said";
    }),
    tool("Gasps", (_, { output }) => {
      output.write("ah");
      throw new Error("out of breath");
    }),
  ];
}

function objectOf(properties: JsonObject, required: readonly string[]) {
  return { ...anything, properties, required, additionalProperties: false };
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function flaky(): () => unknown {
  let tries = 0;
  return () => {
    tries += 1;
    return tries < 3 ? toolError({ code: "busy", message: "Busy.", retryable: true }) : "at last";
  };
}

function codeOf(result: object): string {
  return "error" in result ? (result.error as { readonly code: string }).code : "pending";
}
