import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { PolicyRule } from "@capstan/core";
import { executionRule, resultRule } from "@capstan/core/host";
import { loadConfiguration } from "./load-configuration.ts";
import { loosenedSettings } from "./loosened-settings.ts";
import type { Configuration } from "./configuration.ts";

async function load(
  settings: object,
  environment: { readonly [name: string]: string } = {},
): Promise<Configuration> {
  const settingsText = JSON.stringify(settings);
  const outcome = await loadConfiguration({
    directory: "/w",
    environment,
    flags: {},
    settingsText,
  });
  return outcome.status === "valid" ? outcome.configuration : assert.fail(JSON.stringify(outcome));
}

async function looser(
  accepted: object,
  changed: object,
  environment: { readonly [name: string]: string } = {},
): Promise<readonly string[]> {
  return loosenedSettings(await load(accepted, environment), await load(changed, environment));
}

const rules = (...list: readonly object[]) => ({ rules: list });
const ask = { tool: "code.*", execution: "ask-always" };
const deny = { tool: "files.*", when: { path: "secrets/**" }, execution: "deny" };

const agent = (fields: object) => ({ agents: { a: fields } });
const web = { group: "web" };
const freeWeb = { ...web, require_approval: "never" };

const cases: readonly (readonly [string, object, object, readonly string[]])[] = [
  ["an agent is added", {}, agent({ groups: [web], model: "a/b", instructions: "x" }), []],
  ["an agent without approvals is added", {}, agent({ groups: [freeWeb] }), ["agents.a"]],
  [
    "an agent without some approvals is added",
    {},
    agent({ groups: [{ ...web, require_approval: { never: { read_only: true } } }] }),
    ["agents.a"],
  ],
  [
    "an agent asks less",
    agent({ groups: [{ ...web, require_approval: "always" }] }),
    agent({ groups: [web] }),
    ["agents.a"],
  ],
  [
    "an agent asks more",
    agent({ groups: [freeWeb] }),
    agent({ groups: [{ ...web, require_approval: "always" }] }),
    [],
  ],
  ["an agent is removed", agent({ groups: [freeWeb] }), {}, []],
  ["an agent gets a group", agent({}), agent({ groups: [web] }), ["agents.a"]],
  [
    "an agent gets a tool",
    agent({ groups: [{ ...web, allowed_tools: ["A"] }] }),
    agent({ groups: [{ ...web, allowed_tools: ["A", "B"] }] }),
    ["agents.a"],
  ],
  [
    "an agent loses a tool",
    agent({ groups: [{ ...web, allowed_tools: ["A", "B"] }] }),
    agent({ groups: [{ ...web, allowed_tools: ["A"] }] }),
    [],
  ],
  ["an agent gets another model", agent({}), agent({ model: "a/b" }), ["agents.a"]],
  ["an agent gets other instructions", agent({}), agent({ instructions: "x" }), ["agents.a"]],
  ["an agent gets a title and a history", agent({}), agent({ title: "A", history: "full" }), []],
  ["an agent gets a limit", agent({}), agent({ limits: { calls: 2 } }), []],
  ["an agent loses a limit", agent({ limits: { calls: 2 } }), agent({}), ["agents.a"]],
  ["a rule that asks is removed", rules(ask), {}, ["rules: code.*"]],
  ["a rule asks less", rules(ask), rules({ ...ask, execution: "ask-once" }), ["rules: code.*"]],
  ["a rule is about another tool", rules(ask), rules({ ...ask, tool: "web.*" }), ["rules: code.*"]],
  ["a deny is removed", rules(ask, deny), rules(ask), ['rules: files.* {"path":"secrets/**"}']],
  [
    "a deny covers less",
    rules(deny),
    rules({ ...deny, when: { path: "secrets/a" } }),
    ['rules: files.* {"path":"secrets/**"}'],
  ],
  ["a rule that allows is added", {}, rules({ tool: "*", execution: "auto" }), ["rules: *"]],
  [
    "a rule that allowed calls in which every element matches asks for calls in which one element matches",
    rules({ ...deny, execution: "auto" }),
    rules({ ...deny, execution: "ask-once" }),
    ['rules: files.* {"path":"secrets/**"}'],
  ],
  [
    "a narrower rule asks less",
    rules(ask),
    rules(ask, { tool: "code.Shell", execution: "ask-once" }),
    ["rules: code.Shell"],
  ],
  [
    "results are not shown first any more",
    rules({ tool: "*", result: "always" }),
    rules({ tool: "*", result: "on-error" }),
    ["rules: *"],
  ],
  [
    "a question says another reason",
    rules(ask),
    rules({ ...ask, reason: "ok" }),
    ["rules: code.*"],
  ],
  ["a folder is opened", { roots: ["a"] }, { roots: ["a", "/etc"] }, ["roots"]],
  ["paths get other names", { roots: ["a", "b"] }, { roots: ["a"] }, ["roots"]],
  ["code may write", {}, { code: { write: true } }, ["code.write"]],
  ["code reaches the network", {}, { code: { network: true } }, ["code.network"]],
  ["code is on", {}, { groups: { code: true } }, ["groups.code"]],
  ["code stays off", {}, { groups: { code: false } }, []],
  ["models write tools", {}, { groups: { scripts: false } }, ["groups.scripts"]],
  ["a group is on", { groups: { web: false } }, { groups: { web: true } }, ["groups.web"]],
  ["a tool becomes final", {}, { toolSettings: { "a.B": { final: true } } }, ["toolSettings"]],
  ["a type gets a tool", {}, { hostedTools: { web_search: "a.B" } }, ["hostedTools"]],
  ["files get a tool", {}, { attachmentTools: { document: ["a.B"] } }, ["attachmentTools"]],
  ["documents go to a provider", {}, { embeddingModel: "a/b" }, ["embeddingModel"]],
  ["tools get a header", {}, { requestHeaders: ["X-Tenant"] }, ["requestHeaders"]],
  ["tools get fewer headers", { requestHeaders: ["x-tenant"] }, {}, []],
  ["a tool is on", { tools: { "web.X": false } }, {}, ["tools.web.X"]],
  [
    "scripts get another value",
    { scripts: { environment: { REGION: "eu" } } },
    { scripts: { environment: { REGION: "us" } } },
    ["scripts.environment"],
  ],
  ["scripts come from elsewhere", {}, { scripts: { folders: ["b"] } }, ["scripts.folders"]],
  [
    "the calls of more keys are not stored",
    { mcp: { unstored: ["ci"] } },
    { mcp: { unstored: ["*"] } },
    ["mcp.unstored"],
  ],
  [
    "MCP clients answer more",
    { mcp: { clientApproves: "reads" } },
    { mcp: { clientApproves: "everything" } },
    ["mcp.clientApproves"],
  ],
  ["anyone answers", { approvals: { from: "people" } }, {}, ["approvals.from"]],
  ["searches go elsewhere", {}, { web: { search: { url: "http://x" } } }, ["web.search"]],
  ["hosts are allowed", {}, { web: { allowPrivateHosts: ["x"] } }, ["web.allowPrivateHosts"]],
  ["it listens elsewhere", {}, { port: 9000 }, ["port"]],
  ["data are elsewhere", {}, { data: "b" }, ["data"]],
  ["another model", {}, { model: "a/b" }, ["model"]],
  ["a page may call", {}, { allowedOrigins: ["https://x.org"] }, ["allowedOrigins"]],
  ["a name is allowed", {}, { allowedHosts: ["x"] }, ["allowedHosts"]],
  ["every name is allowed", { allowedHosts: ["x"] }, { allowedHosts: [] }, ["allowedHosts"]],
  [
    "a limit is raised",
    { limits: { turnCalls: 5 } },
    { limits: { turnCalls: 6 } },
    ["limits.turnCalls"],
  ],
  ["a limit is gone", { limits: { turnCost: 5 } }, {}, ["limits.turnCost"]],
  ["evidence is deleted", {}, { retention: { days: 1 } }, ["retention"]],
  ["unknown settings", {}, { future: { on: true } }, ["unknown settings"]],
  ["nothing differs but the place", rules(ask, deny), rules(deny, ask), []],
  ["a rule asks more", rules({ ...ask, execution: "ask-once" }), rules(ask), []],
  ["a deny is added", rules(ask), rules(ask, deny), []],
  ["a rule that allows is removed", rules({ tool: "*", execution: "auto" }), {}, []],
  ["code may write no more", { code: { write: true } }, {}, []],
  ["code is gone", { groups: { code: true } }, {}, []],
  ["a group is off", {}, { groups: { web: false } }, []],
  ["MCP clients answer less", { mcp: { clientApproves: "reads" } }, {}, []],
  ["people answer", {}, { approvals: { from: "people" } }, []],
  ["a limit is set", {}, { limits: { turnCalls: 5 } }, []],
  ["a name is allowed no more", { allowedHosts: ["x", "y"] }, { allowedHosts: ["y"] }, []],
  ["the model sees more of earlier turns", {}, { history: "full" }, []],
];

test("changes that allow more are named, and changes that allow less are not", async () => {
  for (const [what, accepted, changed, expected] of cases)
    assert.deepEqual(await looser(accepted, changed), expected, what);
});

test("listening for other machines is looser, and listening for this machine is not", async () => {
  const keys = { CAPSTAN_API_KEYS: "a:b" };
  assert.deepEqual(await looser({}, { host: "0.0.0.0" }, keys), ["host"]);
  assert.deepEqual(await looser({ host: "0.0.0.0" }, { host: "localhost" }, keys), []);
});

const rule = fc.record(
  {
    tool: fc.constantFrom("*", "a.*", "a.X", "b.*"),
    when: fc.constantFrom({ path: "d/**" }, { path: "d/e/**" }, { n: { min: 3 } }),
    execution: fc.constantFrom("auto", "ask-once", "ask-always", "deny"),
    result: fc.constantFrom("never", "on-error", "always"),
  },
  { requiredKeys: ["tool"] },
) as fc.Arbitrary<PolicyRule>;
const calls = ["a.X", "a.Y", "b.X"].flatMap((toolId) =>
  [{}, { path: "d/f" }, { path: ["d/e/f", "x"] }, { path: "d/e/f", n: 5 }].map((args) => ({
    toolId,
    args,
  })),
);

test("rules that are not looser keep every approval and review that the accepted rules require", async () => {
  const base = await load({});
  const execution = ["auto", "ask-once", "ask-always", "deny"] as const;
  const result = ["never", "on-error", "always"] as const;
  let compared = 0;
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          rule,
          before: fc.boolean(),
          after: fc.boolean(),
          differs: fc.boolean(),
          other: rule,
        }),
        {
          maxLength: 4,
        },
      ),
      (given) => {
        const accepted = given.filter(({ before }) => before).map((one) => one.rule);
        // Most changes affect a single field of a rule.
        const changed = given
          .filter(({ after }) => after)
          .map(
            ({
              rule: { tool, when, ...words },
              differs,
              other: { tool: _, when: __, ...more },
            }) => ({
              tool,
              ...(when && { when }),
              ...words,
              ...(differs && more),
            }),
          );
        const looser = loosenedSettings({ ...base, rules: accepted }, { ...base, rules: changed });
        if (looser.length > 0) return;
        compared++;
        for (const call of calls) {
          const [one, other] = [executionRule(accepted, call), executionRule(changed, call)];
          for (const own of execution) {
            const word = (found: PolicyRule | undefined) =>
              own === "deny" ? own : (found?.execution ?? own);
            assert.ok(execution.indexOf(word(other)) >= execution.indexOf(word(one)));
          }
          for (const own of result) {
            const [before, after] = [
              resultRule(accepted, call)?.result ?? own,
              resultRule(changed, call)?.result ?? own,
            ];
            assert.ok(result.indexOf(after) >= result.indexOf(before));
          }
        }
      },
    ),
    { numRuns: 10_000 },
  );
  assert.ok(compared > 300, `${compared} pairs were not looser`);
});
