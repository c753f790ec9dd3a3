// Tools of every kind, in the order of docs/guides/write-a-tool.md. Run it: npm run example -- examples/write-a-tool.ts
import {
  type ApprovalAdapter,
  contentParts,
  defineTool,
  defineToolGroup,
  runToolChain,
  type ToolArgs,
  toolError,
  ToolExecutor,
  withAnnotations,
  withNeed,
} from "@capstan/core";
import { ScriptedModel } from "@capstan/core/testing";
import { z } from "zod";

interface Boat {
  readonly metres: number;
  readonly berth: number;
}
const boats = new Map<string, Boat>([
  ["Anna", { metres: 12, berth: 3 }],
  ["Bris", { metres: 9, berth: 7 }],
]);

// A first tool

const findBoat = defineTool({
  name: "FindBoat",
  description: "Finds a boat's berth and its length in metres.",
  parameters: z.object({ name: z.string().describe("The boat's name, for example Anna") }),
  effects: "read",
  permission: { executionPolicy: "auto" },
  execute: ({ name }) => {
    const boat = boats.get(name);
    if (boat !== undefined) return { name, ...boat };
    return toolError({
      code: "boat_not_found",
      message: `There is no boat ${name} in this harbour. Call ListBoats to list all boats.`,
    });
  },
});

// JSON Schema, and text for the model

const listBoats = defineTool({
  name: "ListBoats",
  description: "Lists the boats in the harbour.",
  parameters: { type: "object", properties: { longerThan: { type: "number" } } },
  effects: "read",
  permission: { executionPolicy: "auto" },
  execute: ({ longerThan = 0 }: { readonly longerThan?: number }) =>
    [...boats].filter(([, { metres }]) => metres > longerThan),
  formatForLLM: (rows) =>
    ["name,metres,berth", ...rows.map(([name, b]) => `${name},${b.metres},${b.berth}`)].join("\n"),
  DEFAULT_OUTPUT_LIMIT_CHAR: 2_000,
});

// Permissions and effects

const moveBoat = defineTool({
  name: "MoveBoat",
  description: "Moves a boat to another berth.",
  parameters: z.object({ name: z.string(), berth: z.number().int().min(1).max(40) }),
  effects: { locks: ({ name }) => [name] },
  permission: {
    executionPolicy: ({ berth }) => (berth > 30 ? "deny" : "ask-once"),
    grantScope: ({ name }) => ({ key: name, title: `moves of ${name}` }),
  },
  execute: ({ name, berth }) => {
    const boat = boats.get(name);
    if (boat === undefined)
      return toolError({ code: "boat_not_found", message: `There is no boat ${name}.` });
    boats.set(name, { ...boat, berth });
    return `${name} is now at berth ${berth}.`;
  },
});

// Pictures, files and links

const drawHarbour = defineTool({
  name: "DrawHarbour",
  description: "Draws a map of the harbour.",
  effects: "read",
  permission: { executionPolicy: "auto" },
  execute: () => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg"><text>${[...boats.keys()].join(" ")}</text></svg>`;
    return contentParts([
      { type: "text", text: `${boats.size} boats:` },
      { type: "image", mimeType: "image/svg+xml", source: { type: "base64", data: btoa(svg) } },
      { type: "link", url: "https://harbour.example/map", title: "The map" },
    ]);
  },
});

// Progress, cancellation and retries

let failures = 1;
const soundDepth = defineTool({
  name: "SoundDepth",
  description: "Measures the water's depth at each berth.",
  parameters: z.object({ berths: z.array(z.number().int()).min(1) }),
  effects: "read",
  permission: { executionPolicy: "auto" },
  timeoutMs: 30_000,
  retry: { attempts: 3, baseMs: 1 },
  execute: async ({ berths }, { output, signal }) => {
    if (failures-- > 0)
      return toolError({ code: "busy", message: "The echo sounder is busy.", retryable: true });
    const depths: Record<number, number> = {};
    for (const [done, berth] of berths.entries()) {
      signal.throwIfAborted();
      output.progress({ message: `berth ${berth}`, done, total: berths.length });
      depths[berth] = await Promise.resolve(3 + (berth % 2));
    }
    return depths;
  },
});

// Calling other tools

const swapBoats = defineTool({
  name: "SwapBoats",
  description: "Swaps the berths of two boats.",
  parameters: z.object({ one: z.string(), other: z.string() }),
  effects: { locks: ({ one, other }) => [one, other] },
  permission: { executionPolicy: "auto" },
  execute: async ({ one, other }, { callTool }) => {
    const [first, second] = [boats.get(one), boats.get(other)];
    if (first === undefined || second === undefined)
      return toolError({ code: "boat_not_found", message: "One boat is not in this harbour." });
    const moves = [
      await callTool("MoveBoat", { name: one, berth: second.berth }),
      await callTool("MoveBoat", { name: other, berth: first.berth }),
    ];
    return moves.map(({ status }) => status);
  },
});

// Files from the caller

const readManifest = defineTool({
  name: "ReadManifest",
  description: "Reads the attached manifests.",
  effects: "read",
  permission: { executionPolicy: "auto" },
  execute: async (_args, { files, signal }) => {
    const texts = files.map(async (file) => new TextDecoder().decode(await file.read(signal)));
    return (await Promise.all(texts)).join("\n");
  },
});

// Sources of a result

const harbourNews = defineTool({
  name: "HarbourNews",
  description: "Returns the harbour's news.",
  effects: "read",
  permission: { executionPolicy: "auto" },
  execute: () =>
    withAnnotations("The tide is high at noon.", [
      { type: "url_citation", url: "https://harbour.example/news", title: "Harbour news" },
    ]),
});

// The request

const nearestHarbour = defineTool({
  name: "NearestHarbour",
  description: "Finds the nearest harbour.",
  effects: "read",
  permission: { executionPolicy: "auto" },
  execute: (_args, { tool, request, principal }) => ({
    city: tool?.["city"] ?? "Bergen",
    for: request.user ?? principal.id,
  }),
});

// A final tool, a hidden tool and a client tool

const announce = defineTool({
  name: "Announce",
  description: "Tells the user a boat's berth and ends the turn.",
  parameters: z.object({ name: z.string() }),
  effects: "read",
  permission: { executionPolicy: "auto" },
  final: true,
  execute: ({ name }, { output }) => {
    output.write(`${name} is at berth ${boats.get(name)?.berth ?? "(unknown)"}.`);
  },
});

const logVisit = defineTool({
  name: "LogVisit",
  description: "Records a visit in the harbour's log book.",
  permission: { executionPolicy: "auto" },
  output: "hidden",
  execute: (_args, { output }) => {
    output.write("hidden from the user and the model");
    return "written";
  },
});

const showOnMap = defineTool({
  name: "ShowOnMap",
  description: "Highlights a berth on the user's map.",
  parameters: z.object({ berth: z.number().int() }),
});

// Return types and the log

const countCrew = defineTool({
  name: "CountCrew",
  description: "Counts the people on board.",
  parameters: z.object({ names: z.array(z.string()) }),
  effects: "read",
  permission: { executionPolicy: "auto" },
  declaredReturnType: { type: "number", note: "people", schema: { type: "integer", minimum: 0 } },
  compressArgs: ({ names }) => `${names.length} boats`,
  compressResult: (people) => `${String(people)} people`,
  execute: ({ names }) => names.length * 2,
});

// A group of tools

const harbour = defineToolGroup({
  name: "harbour",
  title: "The harbour",
  tools: [
    findBoat,
    listBoats,
    moveBoat,
    drawHarbour,
    soundDepth,
    swapBoats,
    readManifest,
    harbourNews,
    nearestHarbour,
    announce,
    logVisit,
    showOnMap,
    countCrew,
  ],
  rulePrompt: (names) => (names.includes("MoveBoat") ? "Find a boat before you move it." : ""),
  declareSkillRules: {
    berths: {
      desc: "How berths are numbered",
      when: "Before a move",
      prompt: "Berth 1 is next to the sea.",
    },
  },
});

// A group that needs a key

const need =
  process.env["TIDES_KEY"] === undefined
    ? { needs: "a key for tide tables", fix: "Set TIDES_KEY." }
    : undefined;
const tides = defineToolGroup({
  name: "tides",
  title: "Tides",
  description: "Tells the tides.",
  tools: withNeed(need, [harbourNews]),
});

// Call each tool

const approvals: ApprovalAdapter = {
  request: ({ toolName, args, grant }) => {
    console.log(`asked: ${toolName} ${JSON.stringify(args)}, or ${grant?.title}`);
    return { decision: "allow", scope: "session" };
  },
};
const executor = new ToolExecutor({
  approvals,
  files: {
    "harbour.ReadManifest": [
      { name: "a.txt", mimeType: "text/plain", read: () => new TextEncoder().encode("12 barrels") },
    ],
  },
});
executor.registerToolGroup(harbour);
executor.registerToolGroup(tides);
executor.toggleGroupEnabled("harbour", true);

async function show(name: string, args: ToolArgs | string = {}): Promise<void> {
  const result = await executor.execute(name, args as never);
  const text = result.status === "pending" ? "" : result.finalText;
  console.log(`${name}: ${result.status}: ${text.replaceAll("\n", " | ")}`);
}

await show("FindBoat", { name: "Anna" });
await show("FindBoat", { name: "Cato" });
await show("FindBoat", { nam: "Anna" });
await show("ListBoats", '{"longerThan": "10",}');
await show("MoveBoat", { name: "Anna", berth: 4 });
await show("MoveBoat", { name: "Anna", berth: 35 });
await show("DrawHarbour");
await show("SoundDepth", { berths: [3, 4] });
await show("SwapBoats", { one: "Anna", other: "Bris" });
await show("ReadManifest");
await show("HarbourNews");
await show("NearestHarbour");
await show("LogVisit");
await show("CountCrew", { names: ["Anna", "Bris"] });

// Test with a scripted model

const model = new ScriptedModel([{ calls: [{ name: "Announce", args: { name: "Anna" } }] }]);
const { answer, replayContent } = await runToolChain({
  executor,
  model,
  contextMessages: [],
  inputMessages: [{ role: "user", content: "Where is Anna?" }],
}).result;
console.log(`answer: ${answer}`);
console.log(replayContent.split("\n").at(-2));
