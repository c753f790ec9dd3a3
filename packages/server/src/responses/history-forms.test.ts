import assert from "node:assert/strict";
import { test } from "node:test";
import { noUsage } from "@capstan/core/host";
import type { Message, Model } from "@capstan/core";
import { type Answer, createTestApp, toyTools } from "../testing/app-fixtures.ts";
import { asking } from "../testing/run-fixtures.ts";

/* Every way in which a client can state the same history gives the model the same messages. */

type Item = { readonly [name: string]: unknown };

type Kind = "function" | "custom" | "approval";

/** How the request names the user's message, the call, and the response that it continues. */
interface Form {
  readonly user: "absent" | "full" | "reference";
  readonly said: "absent" | "full" | "reference";
  readonly call: "absent" | "full" | "without id" | "reference";
  readonly parent: "unnamed" | "previous_response_id" | "conversation";
  /** Whether a new message of the user follows the answer. */
  readonly more: boolean;
}

interface Case {
  readonly kind: Kind;
  /** `store` of the first request and of its answer. */
  readonly store: readonly [boolean, boolean];
  /** Whether another request has already answered the call. */
  readonly fork: boolean;
}

const names = { function: "C", custom: "P", approval: "Ask" };
const tools = [
  { type: "function", name: "C", parameters: { type: "object" } },
  { type: "custom", name: "P" },
  ...toyTools,
];

/** A model that calls the tool once in each turn, and the messages of its last request. */
function callingModel(kind: Kind) {
  const sent: { messages: readonly Message[]; calls: number } = { messages: [], calls: 0 };
  const model: Model = {
    id: "test/calling",
    async *stream({ messages }) {
      sent.messages = messages.filter(({ role }) => role !== "system");
      if (messages.some(({ role }) => role === "tool")) {
        yield { type: "text-delta", text: "done" };
        yield { type: "finish", reason: "stop", usage: noUsage };
        return;
      }
      const id = `call_${++sent.calls}`;
      yield { type: "text-delta", text: "I call it." };
      yield { type: "tool-call-end", id, name: names[kind], arguments: argumentsOf(kind) };
      yield { type: "finish", reason: "tool_calls", usage: noUsage };
    },
  };
  return { model, sent };
}

function argumentsOf(kind: Kind): string {
  return kind === "custom" ? '{"input":"patch"}' : "{}";
}

function itemsOf({ body }: Answer): { readonly said: Item; readonly call: Item } {
  const items = body.output.filter(({ type }) => type !== "mcp_list_tools");
  const [said, call] = items as unknown as readonly Item[];
  assert.ok(said !== undefined && call !== undefined, JSON.stringify(body));
  return { said, call };
}

function answerTo(kind: Kind, call: Item): Item {
  if (kind === "approval")
    return { type: "mcp_approval_response", approval_request_id: call["id"], approve: true };
  return { type: `${String(call["type"])}_output`, call_id: call["call_id"], output: "OUTPUT" };
}

const reference = (id: unknown): Item => ({ type: "item_reference", id });

/** Returns the input that answers the call in one form. `userId` is the id of the stored message. */
function inputOf(first: Answer, kind: Kind, form: Form, userId: unknown): readonly Item[] {
  const { said, call } = itemsOf(first);
  const { id: _id, ...callWithoutId } = call;
  const forms = {
    user: { absent: [], full: [user], reference: [reference(userId)] },
    said: { absent: [], full: [said], reference: [reference(said["id"])] },
    call: {
      absent: [],
      full: [call],
      "without id": [callWithoutId],
      reference: [reference(call["id"])],
    },
  };
  return [
    ...forms.user[form.user],
    ...forms.said[form.said],
    ...forms.call[form.call],
    answerTo(kind, call),
    ...(form.more ? [{ role: "user", content: "and quickly" }] : []),
  ];
}

const user = { role: "user", content: "go" };

function formsOf({ kind, store, fork }: Case): readonly Form[] {
  const forms: Form[] = [];
  for (const named of ["absent", "full", "reference"] as const)
    for (const said of ["absent", "full", "reference"] as const)
      for (const call of ["absent", "full", "without id", "reference"] as const)
        for (const parent of ["unnamed", "previous_response_id", "conversation"] as const) {
          const refers = [named, said, call].includes("reference");
          // Requests cannot refer to an unstored response.
          if (!store[0] && (refers || parent !== "unnamed")) continue;
          // A conversation continues its newest response, which is stored.
          if (parent === "conversation" && (fork || !store[1])) continue;
          // Clients name an approval request by its id.
          if (kind === "approval" && call === "without id") continue;
          // The model's text follows the user's message.
          if (said !== "absent" && named === "absent") continue;
          const more = forms.length % 2 === 1;
          forms.push({ user: named, said, call, parent, more });
        }
  return forms;
}

/** The messages of the history that all forms state. */
function expected(kind: Kind, { more }: Form, callId: string): readonly Message[] {
  const name = names[kind];
  const called = { name, arguments: argumentsOf(kind) };
  const content = kind === "approval" ? "ran" : "OUTPUT";
  return [
    { role: "user", content: "go" },
    {
      role: "assistant",
      content: "I call it.",
      tool_calls: [{ id: callId, type: "function", function: called }],
    },
    { role: "tool", tool_call_id: callId, name, content },
    ...(more ? [{ role: "user", content: "and quickly" } as const] : []),
  ];
}

/** Runs all forms, and returns the forms whose messages differ. */
async function wrongForms(given: Case): Promise<readonly string[]> {
  const { kind, store, fork } = given;
  const { model, sent } = callingModel(kind);
  let ran = 0;
  const ask = asking("Ask", () => {
    ran++;
    return "ran";
  });
  const { call } = createTestApp({ model, tools: [ask] });
  const create = (body: object) => call("POST", "/v1/responses", { tools, ...body });
  const wrong: string[] = [];
  for (const form of formsOf(given)) {
    ran = 0;
    const isInConversation = form.parent === "conversation";
    const conversation = isInConversation
      ? { conversation: (await call("POST", "/v1/conversations", {})).body.id }
      : {};
    const first = await create({ input: [user], store: store[0], ...conversation });
    const callId = `call_${sent.calls}`;
    const listed =
      form.user === "reference"
        ? await call("GET", `/v1/responses/${first.body.id}/input_items`)
        : undefined;
    if (fork) await create({ input: [answerTo(kind, itemsOf(first).call)], store: store[0] });
    sent.messages = [];
    const answer = await create({
      input: inputOf(first, kind, form, listed?.body.data[0]?.id),
      store: store[1],
      ...conversation,
      ...(form.parent === "previous_response_id" && { previous_response_id: first.body.id }),
    });
    const crosses = kind === "approval" && store[0] !== store[1];
    const isRight = crosses
      ? answer.body.error?.code === "approval_needs_store"
      : JSON.stringify(sent.messages) === JSON.stringify(expected(kind, form, callId)) &&
        ran === (kind === "approval" ? 1 : 0);
    if (!isRight) {
      const got = answer.status === 200 ? sent.messages : answer.body;
      wrong.push(`${JSON.stringify(form)} ran ${ran}: ${JSON.stringify(got)}`);
    }
  }
  return wrong;
}

for (const kind of ["function", "custom", "approval"] as const)
  for (const [first, second] of [
    [true, true],
    [false, false],
    [true, false],
  ] as const)
    for (const fork of [false, true]) {
      const how = `store ${first} then ${second}${fork ? ", as a fork" : ""}`;
      // Contract: history-1
      test(`every form of an answer gives the model the same messages: ${kind}, ${how}`, async () => {
        const store = [first, second] as const;
        assert.deepEqual(await wrongForms({ kind, store, fork }), []);
      });
    }
