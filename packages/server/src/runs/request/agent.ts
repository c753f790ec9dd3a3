import type { HistoryMode, ToolDefinition } from "@capstan/core";
import { schemaDepthProblem } from "@capstan/core/host";
import type { AgentBody, AgentFunction, AgentGroup } from "@capstan/contract";
import type { ServerGroup, Store } from "@capstan/store";
import { z } from "zod";
import type { RunRequest } from "./run-request.ts";
import { loosensApproval, requireApproval, toolFilter } from "./server-group.ts";

/** A named preset for requests: model, instructions, tool groups, history, limits. */
export type Agent = Readonly<z.infer<typeof agentSchema>>;

/** Agents by name. */
export type Agents = { readonly [name: string]: Agent };

/** Names of agents. They have no slash, so that they differ from `provider/model`. */
export const agentName = /^[a-z0-9-]{1,48}$/;

/** Names of the agents that `/v1/assistants` creates. */
export const assistantId = /^asst_[A-Za-z0-9_-]{1,64}$/;

// Each `error` describes the expected value; the message adds the key and the given value.

const objectOf =
  (what: string, ...fields: readonly string[]) =>
  (issue: { readonly code?: string | undefined; readonly keys?: unknown }): string =>
    issue.code === "unrecognized_keys" && Array.isArray(issue.keys)
      ? `no field "${String(issue.keys[0]).slice(0, 60)}" (the fields are ${fields.join(", ")})`
      : what;

const text = (error: string, max: number) =>
  z.string({ error }).trim().min(1, { error }).max(max, { error });

const oneTo = (max: number) => {
  const error = `a whole number from 1 to ${max}`;
  return z.int({ error }).min(1, { error }).max(max, { error }).exactOptional();
};

const filter = z.strictObject({
  tool_names: z.array(z.string()).exactOptional(),
  read_only: z.boolean().exactOptional(),
});
const filterText = 'a list of names such as ["FetchWebPage"], or {"read_only": true}';
const approvalText = '"always", "never", or {"always": FILTER, "never": FILTER}';

const group = z.strictObject(
  {
    group: z
      .string({ error: "the name of a tool group" })
      .regex(/^[a-zA-Z0-9_-]{1,64}$/, { error: "the name of a tool group" }),
    allowed_tools: z.union([z.array(z.string()), filter], { error: filterText }).exactOptional(),
    require_approval: z
      .union(
        [
          z.enum(["always", "never"]),
          z.strictObject({ always: filter.exactOptional(), never: filter.exactOptional() }),
        ],
        { error: approvalText },
      )
      .exactOptional(),
  },
  {
    error: objectOf(
      'a group such as "web" or {"group": "web"}',
      "group",
      "allowed_tools",
      "require_approval",
    ),
  },
);

const functionsText = 'a list of functions such as [{"name": "send_mail", "parameters": {…}}]';

const clientFunction = z.strictObject(
  {
    name: z.string({ error: "the name of a function" }).regex(/^[a-zA-Z0-9_-]{1,64}$/, {
      error: "1 to 64 of the characters a-z, A-Z, 0-9, _ and -",
    }),
    description: text("a text of 1 to 4000 characters", 4_000).exactOptional(),
    parameters: z
      .record(z.string(), z.unknown(), { error: "a JSON Schema" })
      .refine((schema) => schemaDepthProblem(schema) === undefined, {
        error: "a JSON Schema of at most 200 levels",
      })
      .exactOptional(),
    strict: z.boolean({ error: "true or false" }).exactOptional(),
  },
  { error: objectOf(functionsText, "name", "description", "parameters", "strict") },
);

const historyText = '"log", "full" or {"keep_turns": 3}';

/** The schema of an agent in requests and in the configuration. Unknown fields are errors. */
export const agentSchema = z.strictObject(
  {
    title: text("a title of 1 to 100 characters", 100).exactOptional(),
    model: text('a model such as "openai/gpt-5.5"', 200).exactOptional(),
    instructions: text("a text of 1 to 100000 characters", 100_000).exactOptional(),
    temperature: z
      .number({ error: "a number from 0 to 2" })
      .min(0, { error: "a number from 0 to 2" })
      .max(2, { error: "a number from 0 to 2" })
      .exactOptional(),
    groups: z
      .array(
        z.preprocess((given) => (typeof given === "string" ? { group: given } : given), group),
        { error: 'a list of tool groups such as ["web"]' },
      )
      .max(100, { error: "at most 100 tool groups" })
      .refine((list) => new Set(list.map((each) => each.group)).size === list.length, {
        error: "each tool group once",
      })
      .exactOptional(),
    history: z
      .union(
        [z.enum(["log", "full"]), z.strictObject({ keep_turns: z.int().min(0).max(10_000) })],
        { error: historyText },
      )
      .exactOptional(),
    limits: z
      .strictObject(
        { rounds: oneTo(1_000), calls: oneTo(100_000) },
        { error: objectOf('limits such as {"rounds": 5, "calls": 20}', "rounds", "calls") },
      )
      .exactOptional(),
    approvals: z.enum(["inline", "deferred"], { error: '"inline" or "deferred"' }).exactOptional(),
    functions: z
      .array(clientFunction, { error: functionsText })
      .max(128, { error: "at most 128 functions" })
      .refine((list) => new Set(list.map((each) => each.name)).size === list.length, {
        error: "functions with different names",
      })
      .exactOptional(),
    offer_client_tools: z.boolean({ error: "true or false" }).exactOptional(),
  },
  {
    error: objectOf(
      "an object",
      "title",
      "model",
      "instructions",
      "temperature",
      "groups",
      "history",
      "limits",
      "approvals",
      "functions",
      "offer_client_tools",
    ),
  },
) satisfies z.ZodType<AgentBody>;

/** An agent with its name and its owner. */
export interface NamedAgent {
  readonly name: string;
  /** `configuration`: every caller can use it, and no request changes it. */
  readonly source: "configuration" | "user";
  readonly agent: Agent;
}

/** The sources of agents: the configuration, and the store with the users' agents. */
export interface AgentSources {
  readonly configured: Agents;
  readonly store: Pick<Store, "getAgent">;
}

/**
 * Finds the agent that a request names as its model, as `NAME` or `agent/NAME`. An agent of the
 * configuration precedes the user's own with the same name.
 */
export async function findAgent(
  { configured, store }: AgentSources,
  { owner, model }: { readonly owner: string; readonly model: string },
): Promise<NamedAgent | undefined> {
  const name = model.replace(/^agent\//, "");
  if (!agentName.test(name) && !assistantId.test(name)) return undefined;
  const given = Object.hasOwn(configured, name) ? configured[name] : undefined;
  if (given !== undefined) return { name, source: "configuration", agent: given };
  const own = await store.getAgent({ owner, name });
  return own && { name, source: "user", agent: own.agent };
}

/** Returns the settings of a request; the temperature of the agent applies if it has none. */
export function settingsWith<T extends { readonly temperature?: number }>(
  agent: Agent | undefined,
  settings: T,
): T {
  const temperature = settings.temperature ?? agent?.temperature;
  return temperature === undefined ? settings : { ...settings, temperature };
}

/** Returns whether an agent lets calls run without an approval that their tools require. */
export function agentLoosens({ groups = [] }: Agent): boolean {
  return groups.some((each) => loosensApproval(serverGroup(each).requireApproval));
}

/** The parts of a request that an agent completes. */
export interface RequestParts {
  readonly instructions?: string | undefined;
  /** The groups that the request names. */
  readonly servers: readonly ServerGroup[];
  /** Whether the tool choice excludes all tools that the request does not list. */
  readonly excludesOthers: boolean;
  readonly history?: HistoryMode | undefined;
  readonly approvals?: "inline" | "deferred" | undefined;
  readonly maxToolCalls?: number | undefined;
  /** The request's tools that the client runs. */
  readonly clientTools: readonly ToolDefinition[];
  /** Whether the agent's tools that a client runs are offered. @default the agent's setting */
  readonly offersClientTools?: boolean | undefined;
}

/** The fields of a run that depend on the agent. */
export type AgentFields = Pick<
  RunRequest,
  | "instructions"
  | "servers"
  | "clientTools"
  | "omitsClientTools"
  | "approvals"
  | "maxToolCalls"
  | "maxRounds"
> & { readonly history: HistoryMode | undefined };

/**
 * Combines an agent with a request. The agent's instructions precede those of the request. A group
 * that the request names has only the request's settings: an agent's `never` must not apply to
 * tools that only the request allows. Of two limits, the lower one applies. The same holds for a
 * function of the agent whose name the request declares.
 *
 * @param agent absent: the fields of the request alone
 */
export function applyAgent(
  agent: Agent | undefined,
  {
    instructions,
    servers,
    excludesOthers,
    history,
    approvals,
    maxToolCalls,
    clientTools,
    offersClientTools = agent?.offer_client_tools ?? false,
  }: RequestParts,
): AgentFields {
  const { groups = [], limits = {}, functions = [] } = agent ?? {};
  const known = new Set(clientTools.map((tool) => tool.function.name));
  const own = functions.filter(({ name }) => !known.has(name)).map(functionTool);
  const more = groups
    .filter(({ group: name }) => !servers.some((server) => isGroup(server, name)))
    .map(serverGroup);
  const texts = [agent?.instructions, instructions].filter((each) => each !== undefined);
  // A client that knows only an agent's name, or a hosted type, cannot answer approval requests.
  const canAnswer = agent === undefined && servers.every(({ hosted }) => hosted === undefined);
  const calls = Math.min(maxToolCalls ?? Infinity, limits.calls ?? Infinity);
  return {
    instructions: texts.length === 0 ? null : texts.join("\n\n"),
    servers: excludesOthers ? servers : [...servers, ...more],
    clientTools: excludesOthers || !offersClientTools ? clientTools : [...clientTools, ...own],
    ...(!offersClientTools && { omitsClientTools: true }),
    history: history ?? historyMode(agent?.history),
    approvals: approvals ?? agent?.approvals ?? (canAnswer ? "deferred" : "inline"),
    maxToolCalls: Number.isFinite(calls) ? calls : null,
    maxRounds: limits.rounds ?? null,
  };
}

function functionTool(given: AgentFunction): ToolDefinition {
  return { type: "function", function: given };
}

/** Whether an entry offers the group itself, and not only the tool of a hosted type. */
function isGroup({ group: name, hosted }: ServerGroup, wanted: string): boolean {
  return name === wanted && hosted === undefined;
}

function historyMode(given: Agent["history"]): HistoryMode | undefined {
  return typeof given === "object" ? { keepTurns: given.keep_turns } : given;
}

function serverGroup({
  group: name,
  allowed_tools: allowed,
  require_approval: required,
}: AgentGroup): ServerGroup {
  return {
    label: name,
    group: name,
    ofAgent: true,
    ...(allowed !== undefined && { allowedTools: toolFilter(allowed) }),
    ...(required !== undefined && { requireApproval: requireApproval(required) }),
  };
}
