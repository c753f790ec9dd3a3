import { isDeepStrictEqual as equal } from "node:util";
import type { PolicyRule } from "@capstan/core";
import { type Agent, agentLoosens, type Agents, isLoopback } from "@capstan/server";
import type { Configuration, ConfiguredLimits } from "./configuration.ts";

/**
 * Returns the settings by which a changed configuration lets tools, scripts, code or callers do
 * more than the accepted one. A difference with an unknown effect also counts.
 *
 * @returns settings as the file names them, such as `code.write`; empty if nothing is looser
 * @example loosenedSettings(accepted, { ...accepted, port: 9000 }) // ["port"]
 */
export function loosenedSettings(
  accepted: Configuration,
  changed: Configuration,
): readonly string[] {
  const names = Object.keys(comparisons) as (keyof Configuration)[];
  return names.flatMap((name) => compare(name, accepted, changed));
}

function compare<K extends keyof Configuration>(
  name: K,
  accepted: Pick<Configuration, K>,
  changed: Pick<Configuration, K>,
): readonly string[] {
  if (equal(accepted[name], changed[name])) return [];
  return comparisons[name](accepted[name], changed[name]);
}

/** Each check is called with two different values. */
const comparisons: {
  readonly [K in keyof Required<Configuration>]: (
    accepted: Configuration[K],
    changed: Configuration[K],
  ) => readonly string[];
} = {
  // Scripts may have access to the new port, and the new model's provider receives the conversations.
  port: always("port"),
  model: always("model"),
  host: (_accepted, changed) => (isLoopback(changed) ? [] : ["host"]),
  dataDir: always("data"),
  acceptedDir: always("data"),
  settingsFile: always("--config"),
  databaseUrl: always("CAPSTAN_DATABASE_URL"),
  redisUrl: always("CAPSTAN_REDIS_URL"),
  secretKey: always("CAPSTAN_SECRET_KEY"),
  previousSecretKey: always("CAPSTAN_PREVIOUS_SECRET_KEY"),
  fileStore: always("files.store"),
  apiKeys: always("CAPSTAN_API_KEYS"),
  prices: always("prices"),
  groups: (accepted, changed) => loosenedSwitches("groups", accepted, changed, groupRank),
  tools: (accepted, changed) => loosenedSwitches("tools", accepted, changed, toolRank),
  toolSettings: always("toolSettings"),
  hostedTools: always("hostedTools"),
  // The provider of the model receives the texts of documents.
  embeddingModel: always("embeddingModel"),
  attachmentTools: always("attachmentTools"),
  requestHeaders: (accepted, changed) => (isPartOf(changed, accepted) ? [] : ["requestHeaders"]),
  // The number and the names of roots are part of the paths that rules see.
  roots: always("roots"),
  code: (accepted, changed) =>
    (["write", "network"] as const)
      .filter((name) => changed[name] && !accepted[name])
      .map((name) => `code.${name}`),
  scripts: (
    { folders, environment, ...accepted },
    { folders: ofChanged, environment: environmentOfChanged, ...changed },
  ) => [
    ...(isPartOf(ofChanged, folders) && equal(accepted, changed) ? [] : ["scripts.folders"]),
    // A value can be an address to which a script sends data.
    ...(equal(environment, environmentOfChanged) ? [] : ["scripts.environment"]),
  ],
  mcp: (accepted, changed) => {
    const order = ["nothing", "reads", "everything"];
    const isLooser = order.indexOf(changed.clientApproves) > order.indexOf(accepted.clientApproves);
    return [
      ...(isLooser ? ["mcp.clientApproves"] : []),
      // Calls of an added key are not recorded.
      ...(isPartOf(changed.unstored, accepted.unstored) ? [] : ["mcp.unstored"]),
    ];
  },
  approvalsFrom: (accepted, changed) => {
    const order = ["people", "anyone-until-connected", "anyone"];
    return order.indexOf(changed) > order.indexOf(accepted) ? ["approvals.from"] : [];
  },
  web: (accepted, changed) => [
    ...(isPartOf(changed.allowPrivateHosts, accepted.allowPrivateHosts)
      ? []
      : ["web.allowPrivateHosts"]),
    // Queries go to another service.
    ...(equal(accepted.search, changed.search) ? [] : ["web.search"]),
  ],
  // Each part of a connection decides which programs run and which services get data.
  connections: (accepted, changed) =>
    changed
      .filter((one) => one.on && !accepted.some((other) => equal(other, one)))
      .map(({ connection: { name } }) => `connections.${name}`),
  // A request can send data to the server that it names.
  requestServers: (accepted, changed) => [
    ...(equal(changed.hosts, accepted.hosts) ||
    (changed.hosts !== true && accepted.hosts !== true && isPartOf(changed.hosts, accepted.hosts))
      ? []
      : ["requestServers.hosts"]),
    ...(changed.askers && !accepted.askers ? ["requestServers.askers"] : []),
  ],
  // Anyone with the link reads a shared conversation.
  sharing: (accepted, changed) => (changed && !accepted ? ["sharing"] : []),
  // A new address receives messages about the called tools.
  webhooks: (accepted, changed) =>
    changed
      .filter((one) => !accepted.some((other) => equal(other, one)))
      .map(({ endpoint }) => `webhooks.${endpoint}`),
  // A user who follows a link to this address signs in there.
  publicUrl: always("publicUrl"),
  skills: (accepted, changed) => (isPartOf(changed, accepted) ? [] : ["skills"]),
  media: loosenedMedia,
  knowledge: always("knowledge"),
  siyuan: always("siyuan"),
  rules: loosenedRules,
  agents: loosenedAgents,
  limits: loosenedLimits,
  retention: always("retention"),
  // With an empty list, a server that other machines can reach accepts any name.
  allowedHosts: (accepted, changed) =>
    changed.length > 0 && isPartOf(changed, accepted) ? [] : ["allowedHosts"],
  allowedOrigins: (accepted, changed) => (isPartOf(changed, accepted) ? [] : ["allowedOrigins"]),
  unknown: always("unknown settings"),
  // These settings are never looser: the form of earlier turns, and positions in the file.
  history: () => [],
  places: () => [],
};

function loosenedMedia(
  accepted: Configuration["media"],
  changed: Configuration["media"],
): readonly string[] {
  return (["images", "transcription", "vision"] as const).filter(
    (name) => !equal(accepted?.[name], changed?.[name]),
  );
}

function always(name: string): () => readonly string[] {
  return () => [name];
}

/** Returns whether the other list contains all entries of a list. */
function isPartOf(list: readonly string[], whole: readonly string[]): boolean {
  return equal(
    list,
    whole.filter((one) => list.includes(one)),
  );
}

type Switches = { readonly [name: string]: boolean };

/**
 * The group `scripts` exists only if the configuration names it, and `code` is off by default. All
 * other groups are on by default.
 */
const groupRank = (name: string, on: boolean | undefined): number => {
  if (name === "scripts") return rank(on, [undefined, false, true]);
  return name === "code" ? Number(on === true) : Number(on !== false);
};
const toolRank = (_name: string, on: boolean | undefined): number =>
  rank(on, [false, undefined, true]);

function rank<T>(value: T, order: readonly T[]): number {
  return order.indexOf(value);
}

function loosenedSwitches(
  setting: string,
  accepted: Switches,
  changed: Switches,
  rankOf: (name: string, on: boolean | undefined) => number,
): readonly string[] {
  return namesIn(accepted, changed)
    .filter((name) => rankOf(name, valueOf(changed, name)) > rankOf(name, valueOf(accepted, name)))
    .map((name) => `${setting}.${name}`);
}

function namesIn(one: object, other: object): readonly string[] {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])];
}

function valueOf<T>(object: { readonly [name: string]: T }, name: string): T | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Limits without a default. */
const unlimited: readonly string[] = [
  "turnCalls",
  "turnTokens",
  "turnMs",
  "runMs",
  "turnCost",
  "filesOfAll",
  "fileBytesOfAll",
];

function loosenedLimits(accepted: ConfiguredLimits, changed: ConfiguredLimits): readonly string[] {
  return namesIn(accepted, changed)
    .filter((name) => {
      const [before, after] = [
        valueOf<number | undefined>(accepted, name),
        valueOf<number | undefined>(changed, name),
      ];
      if (before === after) return false;
      if (after === undefined) return true;
      return before === undefined ? !unlimited.includes(name) : after > before;
    })
    .map((name) => `limits.${name}`);
}

/**
 * A new agent is looser only if it sets `require_approval`, because requests can name the same
 * model and groups without it. A changed agent also affects clients that already use it.
 */
function loosenedAgents(accepted: Agents, changed: Agents): readonly string[] {
  return Object.entries(changed)
    .filter(([name, after]) => {
      const before = valueOf(accepted, name);
      if (before === undefined) return agentLoosens(after);
      const { title: _t, history: _h, approvals: _a, groups = [], limits = {}, ...rest } = after;
      const known = before.groups ?? [];
      return (
        !equal(rest.model, before.model) ||
        !equal(rest.instructions, before.instructions) ||
        groups.some((group) =>
          loosensGroup(
            known.find((one) => one.group === group.group),
            group,
          ),
        ) ||
        (["rounds", "calls"] as const).some(
          (limit) => (limits[limit] ?? Infinity) > (before.limits?.[limit] ?? Infinity),
        )
      );
    })
    .map(([name]) => `agents.${name}`);
}

type Group = NonNullable<Agent["groups"]>[number];

function loosensGroup(before: Group | undefined, after: Group): boolean {
  if (before === undefined) return true;
  const asksLess =
    after.require_approval !== "always" && !equal(before.require_approval, after.require_approval);
  const [given, then] = [after.allowed_tools, before.allowed_tools];
  const isPart =
    equal(given, then) ||
    then === undefined ||
    (Array.isArray(given) && Array.isArray(then) && isPartOf(given, then));
  return asksLess || !isPart;
}

/** The values of a rule's field, from the loosest to the strictest. */
interface Scale {
  readonly words: readonly string[];
  /**
   * A rule with this value or a stricter one applies whatever other rules and the tool's policy
   * allow.
   */
  readonly strict: string;
}

const execution: Scale = {
  words: ["auto", "ask-once", "ask-always", "deny"],
  strict: "ask-always",
};
const result: Scale = { words: ["never", "on-error", "always"], strict: "always" };

/** The order of rules has no effect, so it is not compared. */
function loosenedRules(
  accepted: readonly PolicyRule[],
  changed: readonly PolicyRule[],
): readonly string[] {
  const scopes = distinctScopes([...accepted, ...changed]);
  return scopes.flatMap((scope) => {
    const [before, after] = [ofScope(accepted, scope), ofScope(changed, scope)];
    const isLooser =
      loosensWord(scope, execution, before.execution, after.execution) ||
      loosensWord(scope, result, before.result, after.result) ||
      after.approvalMs > before.approvalMs ||
      (before.approvalMs === Infinity && after.approvalMs < Infinity) ||
      (before.found && after.found && !equal(before.reasons, after.reasons));
    const when = scope.when === undefined ? "" : ` ${JSON.stringify(scope.when)}`;
    return isLooser ? [`rules: ${scope.tool}${when}`] : [];
  });
}

type Scope = Pick<PolicyRule, "tool" | "when">;

function distinctScopes(rules: readonly PolicyRule[]): readonly Scope[] {
  return rules.filter(
    (rule, index) => !rules.slice(0, index).some((other) => isSameScope(other, rule)),
  );
}

function isSameScope(one: Scope, other: Scope): boolean {
  return one.tool === other.tool && equal(one.when, other.when);
}

/** Returns the combined effect of rules on the calls of one scope: the strictest value counts. */
function ofScope(rules: readonly PolicyRule[], scope: Scope) {
  const here = rules.filter((rule) => isSameScope(rule, scope));
  const strictest = ({ words }: Scale, given: readonly (string | undefined)[]) =>
    words.findLast((word) => given.includes(word));
  return {
    found: here.length > 0,
    execution: strictest(
      execution,
      here.map((rule) => rule.execution),
    ),
    result: strictest(
      result,
      here.map((rule) => rule.result),
    ),
    approvalMs: Math.min(...here.map((rule) => rule.approvalMs ?? Infinity)),
    reasons: here.map((rule) => rule.reason),
  };
}

function loosensWord(
  { when }: Scope,
  { words, strict }: Scale,
  before: string | undefined,
  after: string | undefined,
): boolean {
  if (before === after) return false;
  const [loosest = ""] = words;
  // Without the rule, wider rules and the tool's default apply, which are at least as strict as
  // this value.
  if (after === undefined) return before !== loosest;
  if (rank(after, words) < rank(before ?? "", words)) return true;
  if (rank(after, words) >= rank(strict, words)) return false;
  if (before === undefined) return true;
  // The loosest value applies to a call if all elements match; other values apply if one element
  // matches.
  return before === loosest && when !== undefined;
}
