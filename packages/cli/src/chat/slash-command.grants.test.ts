import assert from "node:assert/strict";
import { test } from "node:test";
import type { CorruptView, GrantView } from "@capstan/contract";
import type { ChatSession } from "./chat-session.ts";
import { grantsCommand, variablesCommand } from "./slash-command.ts";
import { plainStyle } from "../terminal/style.ts";

const grant: GrantView = {
  object: "grant",
  id: "grant_1",
  conversation: "conv_1",
  toolId: "files.Write",
  verdict: "refuse",
  scope: "session",
  definitionDigest: "",
  principalId: "local",
  match: { type: "tool" },
  title: "Write\u001b[2J with exactly these arguments",
  grantedBy: "ann",
  createdAt: Date.UTC(2026, 0, 2, 3, 4),
  expiresAt: Date.UTC(2026, 0, 2, 4, 4),
};

const message = "The stored data of this entry is corrupt.";
const error = { code: "entry_corrupt", message } as const;
const corrupt: CorruptView = { object: "corrupt", id: "grant_2", error };

async function say(grants: readonly (GrantView | CorruptView)[], revoke?: string) {
  const written: string[] = [];
  const revoked: string[] = [];
  const session = {
    client: {
      grants: () => Promise.resolve(grants),
      variables: () => Promise.resolve(grants),
      revokeGrant: (id: string) => Promise.resolve(revoked.push(id)),
    },
    terminal: {
      write: (parts: readonly { readonly text: string }[]) =>
        written.push(...parts.map(({ text }) => text)),
    },
    style: plainStyle,
    conversation: { id: "conv_1" },
  } as unknown as ChatSession;
  if (revoke === "variables") await variablesCommand(session, undefined);
  else await grantsCommand(session, revoke);
  return { text: written.join(""), revoked };
}

test("grants are listed with verdict, covered calls, scope, user, start and end", async () => {
  const { text } = await say([grant]);
  assert.match(text, /^1 {2}denied: Write.* with exactly these arguments/);
  assert.match(text, /this session · by ann · since 2026-01-02 03:04 · until 2026-01-02 04:04/);
  assert.ok(!text.includes("\u001b"));
});

test("a grant is revoked by its number, and an unknown number revokes nothing", async () => {
  assert.deepEqual((await say([grant], "1")).revoked, ["grant_1"]);
  for (const number of ["0", "2", "x"]) assert.deepEqual((await say([grant], number)).revoked, []);
});

test("the command reports that there are no grants", async () => {
  assert.match((await say([])).text, /There are no saved approvals/);
});

// Contract: durability-57
test("a corrupt grant is marked, does not hide other grants, and can be revoked", async () => {
  const { text } = await say([grant, corrupt]);
  assert.match(text, /^1 {2}denied: .*\n2 {2}corrupt: it allows nothing {2}The stored data/);
  assert.deepEqual((await say([grant, corrupt], "2")).revoked, ["grant_2"]);
  assert.match((await say([corrupt], "variables")).text, /^grant_2 {2}The stored data/);
});
