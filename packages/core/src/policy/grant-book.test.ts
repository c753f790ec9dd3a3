import assert from "node:assert/strict";
import { test } from "node:test";
import type { ToolExecutorOptions } from "../call/tool-executor.ts";
import { executorWith } from "../testing/executor-with.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { ToolPermission } from "../tool/tool.ts";
import type { ApprovalDecision, ApprovalRequest } from "./approval.ts";
import { createGrant, type Grant, GrantBook } from "./grant.ts";

function write(permission: ToolPermission = {}, description = "") {
  return defineTool({
    name: "Write",
    description,
    parameters: {
      type: "object",
      properties: { path: { type: "string" }, n: { type: "number" } },
    },
    permission,
    execute: () => "written",
  });
}

/** Makes calls of a tool whose requests get these answers. The last answer repeats. */
function answering(
  words: readonly unknown[],
  permission: ToolPermission = {},
  options: ToolExecutorOptions = {},
) {
  const asked: ApprovalRequest[] = [];
  const request = (approval: ApprovalRequest) => {
    asked.push(approval);
    return (words[asked.length - 1] ?? words.at(-1)) as ApprovalDecision;
  };
  const executor = executorWith([write(permission)], { approvals: { request }, ...options });
  const statusOf = async (args: { readonly path?: string; readonly n?: number } = {}) =>
    (await executor.execute("Write", args)).status;
  return { executor, asked, statusOf, grants: executor.gate.grants };
}
const allow = { decision: "allow" } as const;

// Contract: scripts-65
test("an approval of one version of a tool does not cover another version", async () => {
  const grants = new GrantBook();
  let asked = 0;
  const statusOf = async (version: string) => {
    const request = (): ApprovalDecision => {
      asked += 1;
      return { decision: "allow", scope: "always" };
    };
    const tools = [{ ...write(), version }];
    return (await executorWith(tools, { approvals: { request }, grants }).execute("Write", {}))
      .status;
  };
  assert.equal(await statusOf("sha256:a"), "success");
  assert.equal(await statusOf("sha256:a"), "success");
  assert.equal(asked, 1);
  assert.equal(await statusOf("sha256:b"), "success");
  assert.equal(asked, 2);
});

test("a grant for a pattern covers matching calls in its scope and time", async () => {
  const clock = new FakeClock(0);
  const covers = { type: "pattern", when: { path: "notes/**" } } as const;
  const word = { ...allow, scope: "session", covers, expiresAt: 1_000 } as const;
  const { asked, statusOf, grants } = answering([word, { decision: "refuse" }], {}, { clock });
  assert.equal(await statusOf({ path: "notes/a" }), "success");
  assert.equal(await statusOf({ path: "notes/b/c" }), "success");
  assert.equal(asked.length, 1);
  assert.equal(await statusOf({ path: "notes/../secrets" }), "execution_rejected");
  const [grant] = grants.list();
  assert.equal(grant?.title, "Write where path matches notes/**");
  assert.deepEqual(
    { by: grant?.grantedBy, at: grant?.createdAt, until: grant?.expiresAt },
    { by: "local", at: 0, until: 1_000 },
  );
  clock.advance(1_000);
  assert.equal(await statusOf({ path: "notes/d" }), "execution_rejected");
});

test("a pattern that does not cover the requested call is not an answer", async () => {
  const covers = { type: "pattern", when: { path: "other/**" } };
  const { statusOf, grants } = answering([{ ...allow, scope: "always", covers }]);
  assert.equal(await statusOf({ path: "notes/a" }), "execution_rejected");
  assert.equal(grants.list().length, 0);
});

const nonsense: readonly [what: string, answer: unknown][] = [
  ["an unknown scope", { ...allow, scope: "forever" }],
  ["a time that is past", { ...allow, scope: "session", expiresAt: 1 }],
  ["the expiry must be a valid time", { ...allow, scope: "session", expiresAt: "soon" }],
  ["a cover of an unknown kind", { ...allow, scope: "session", covers: { type: "all" } }],
  ["a broken pattern", { ...allow, scope: "session", covers: { type: "pattern", when: {} } }],
  ["a cover for one call", { ...allow, covers: { type: "tool" } }],
];
for (const [what, word] of nonsense)
  test(`${what} is not an approval, and creates no grant`, async () => {
    const { statusOf, grants } = answering([word]);
    assert.equal(await statusOf({ path: "a" }), "execution_rejected");
    assert.equal(grants.list().length, 0);
  });

// Contract: executor-228
test("an answer may cover exactly these arguments, or every call", async () => {
  const exact = answering([{ ...allow, scope: "session", covers: { type: "arguments" } }]);
  for (const path of ["a", "a", "b"]) await exact.statusOf({ path });
  assert.equal(exact.asked.length, 2);
  const every = answering([{ ...allow, scope: "always", covers: { type: "tool" } }]);
  for (const path of ["a", "b"]) await every.statusOf({ path });
  assert.equal(every.asked.length, 1);
  assert.equal(every.grants.list()[0]?.scope, "always");
});

test("the tool offers a pattern, which the user sees before it is stored", async () => {
  const grantScope = () => ({ when: { path: "notes/**" }, title: "all notes" });
  const { asked, statusOf, grants } = answering([{ ...allow, scope: "session" }], { grantScope });
  await statusOf({ path: "notes/a" });
  assert.deepEqual(asked[0]?.grant, { when: { path: "notes/**" }, title: "Write: all notes" });
  await statusOf({ path: "notes/b" });
  assert.equal(asked.length, 1);
  assert.deepEqual(grants.list()[0]?.match, { type: "pattern", when: { path: "notes/**" } });
  await statusOf({ path: "else" });
  assert.equal(asked.length, 2);
});

test("changed arguments are approved once: no grant is created without a request for it", async () => {
  const word = { ...allow, scope: "always", arguments: { path: "b" } };
  const { executor, asked, statusOf, grants } = answering([word]);
  const result = await executor.execute("Write", { path: "a" });
  assert.match(result.status === "success" ? result.finalText : "", /A user changed the arguments/);
  assert.equal(grants.list().length, 0);
  await statusOf({ path: "b" });
  assert.equal(asked.length, 2);
});

// Contract: executor-56, executor-193, executor-226, executor-243
test("a rejection is remembered, listed, reported to the model, and revoked", async () => {
  const { executor, asked, statusOf, grants } = answering([
    { decision: "refuse", reason: "not there" },
    allow,
  ]);
  await statusOf({ path: "a" });
  const again = await executor.execute("Write", { path: "a" });
  assert.equal(asked.length, 1);
  assert.match(
    again.status === "execution_rejected" ? again.finalText : "",
    /rejected exactly this call before \(not there\), and the rejection applies until a user revokes it/,
  );
  const [refusal] = grants.list();
  assert.deepEqual([refusal?.verdict, refusal?.reason], ["refuse", "not there"]);
  assert.equal(grants.revoke(refusal!.id), true);
  assert.equal(await statusOf({ path: "a" }), "success");
});

test("a remembered rejection overrides a rule that lets the tool run", async () => {
  const grants = new GrantBook();
  const refused = answering([{ decision: "refuse" }], {}, { grants });
  await refused.statusOf({ path: "a" });
  const rules = [{ tool: "*", execution: "auto" }] as const;
  const { statusOf } = answering([allow], {}, { grants, rules });
  assert.equal(await statusOf({ path: "a" }), "execution_rejected");
  assert.equal(await statusOf({ path: "b" }), "success");
});

// Contract: executor-56, executor-220
test("a grant covers only the tool's definition at the time of the approval", async () => {
  const grants = new GrantBook();
  const before = answering([{ ...allow, scope: "always" }], {}, { grants });
  await before.statusOf();
  let asked = 0;
  const approvals = { request: () => (asked++, allow) };
  const changed = executorWith([write({}, "writes, and sends")], { approvals, grants });
  await changed.execute("Write", {});
  assert.equal(asked, 1);
});

test("a grant and its revocation apply to every executor that shares the book", async () => {
  const grants = new GrantBook();
  const one = answering([{ ...allow, scope: "session" }], {}, { grants });
  const fork = answering([{ decision: "refuse" }], {}, { grants });
  await one.statusOf();
  assert.equal(await fork.statusOf(), "success");
  grants.revoke(grants.list()[0]!.id);
  assert.equal(await fork.statusOf(), "execution_rejected");
});

const badOffers: readonly [what: string, grantScope: NonNullable<ToolPermission["grantScope"]>][] =
  [
    [
      "throws",
      () => {
        throw new Error("broken");
      },
    ],
    ["is no pattern", () => ({ when: {}, title: "x" })],
    ["does not cover its own call", () => ({ when: { path: "else" }, title: "x" })],
  ];
for (const [what, grantScope] of badOffers)
  test(`a tool whose offer ${what} offers no wider answer`, async () => {
    const { asked, statusOf, grants } = answering([{ ...allow, scope: "always" }], {
      executionPolicy: "ask-always",
      grantScope,
    });
    assert.equal(await statusOf({ path: "a" }), "success");
    assert.equal(asked[0]?.grant, undefined);
    assert.equal(grants.list().length, 0);
  });

/** Creates tools of a group that share their grants for a site. Records their approval requests. */
function sharing(
  tools: readonly {
    readonly name: string;
    readonly more?: Partial<ToolPermission>;
    readonly effects?: "read" | "write";
    readonly description?: string;
  }[],
  grants = new GrantBook(),
) {
  const asked: ApprovalRequest[] = [];
  const made = tools.map(({ name, more, effects = "read", description = "" }) =>
    defineTool({
      name,
      description,
      parameters: { type: "object", properties: { url: { type: "string" } } },
      effects,
      permission: {
        executionPolicy: "ask-once",
        grantScope: ({ url }) => ({
          when: { url: { site: new URL(String(url)).origin } },
          title: `pages of ${new URL(String(url)).host}`,
        }),
        sharesGrants: "pages",
        ...more,
      },
      execute: () => "read",
    }),
  );
  const request = (approval: ApprovalRequest): ApprovalDecision => {
    asked.push(approval);
    return { decision: "allow", scope: "session" };
  };
  const executor = executorWith(made, { approvals: { request }, grants });
  const read = async (tool: string, url = "https://a.example/x") => {
    await executor.execute(tool, { url });
    return asked.length;
  };
  return { read, asked, grants };
}

test("tools of a group that share grants ask once for a scope, and the request names them", async () => {
  const { read, asked, grants } = sharing([{ name: "Fetch" }, { name: "Search" }]);
  assert.equal(await read("Fetch"), 1);
  assert.equal(asked[0]?.grant?.title, "Fetch, Search: pages of a.example");
  assert.equal(await read("Search", "https://a.example/y"), 1);
  assert.equal(await read("Search", "https://b.example/"), 2);
  assert.equal(await read("Fetch", "https://b.example/z"), 2);
  for (const { id } of grants.list()) grants.revoke(id);
  assert.equal(await read("Search"), 3);
  // Grants are read back from a store as JSON.
  const stored = new GrantBook(JSON.parse(JSON.stringify(grants.list())) as Grant[]);
  assert.equal(await sharing([{ name: "Fetch" }, { name: "Search" }], stored).read("Fetch"), 0);
});

test("shared grants do not cover other effects, other names, other groups, or changed definitions", async () => {
  const grants = new GrantBook();
  const { read, asked } = sharing(
    [
      { name: "Fetch" },
      { name: "Post", effects: "write" },
      { name: "Other", more: { sharesGrants: "others" } },
      { name: "Alone", more: { sharesGrants: undefined } as unknown as Partial<ToolPermission> },
      { name: "Search" },
    ],
    grants,
  );
  assert.equal(await read("Fetch"), 1);
  assert.deepEqual(
    asked[0]?.grant?.sharedWith?.map(({ toolId }) => toolId),
    ["test.Search"],
  );
  assert.equal(await read("Post"), 2);
  assert.equal(await read("Other"), 3);
  assert.equal(await read("Alone"), 4);
  const changed = sharing([{ name: "Fetch" }, { name: "Search", description: "sends" }], grants);
  assert.equal(await changed.read("Fetch"), 0);
  assert.equal(await changed.read("Search"), 1);
});

test("only an answer for the offered scope is shared, and a tool cannot name other tools itself", async () => {
  for (const covers of [
    { type: "arguments" },
    { type: "tool" },
    { type: "pattern", when: { url: { site: "https://a.example" } } },
  ] as const) {
    const grants = new GrantBook();
    const { asked } = sharing([{ name: "Fetch" }, { name: "Search" }], grants);
    const approval = { ...(await offered()), id: "appr_1" };
    const grant = createGrant({
      approval,
      decision: { decision: "allow", scope: "session", covers },
      now: 0,
    });
    assert.equal(grant?.sharedWith, undefined, covers.type);
    assert.equal(asked.length, 0);
  }
  const grantScope = () =>
    ({
      when: { url: { site: "https://a.example" } },
      title: "mine",
      sharedWith: [{ toolId: "test.Search", definitionDigest: "x" }],
    }) as never;
  const { read, asked } = sharing([{ name: "Fetch", more: { grantScope } }]);
  await read("Fetch");
  assert.equal(asked[0]?.grant?.sharedWith, undefined);
});

async function offered(): Promise<ApprovalRequest> {
  const { read, asked } = sharing([{ name: "Fetch" }, { name: "Search" }]);
  await read("Fetch");
  const [approval] = asked;
  assert.equal(approval?.grant?.sharedWith?.length, 1);
  return approval;
}
