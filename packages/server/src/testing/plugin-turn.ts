import assert from "node:assert/strict";
import type { CallView, RunEvent } from "@capstan/contract";
import { ScriptedModel, type ScriptedStep } from "@capstan/core/testing";
import { openMemoryStore } from "@capstan/store";
import type { ResponseObject } from "../responses/projection/wire.ts";
import { createTestApp, requestTo, type TestApp, toyTools } from "./app-fixtures.ts";
import { readRunEvents } from "./read-stream.ts";
import { runIn, type Setup } from "./run-fixtures.ts";

/** A turn of a client of the HTTP APIs that uses plugin tools. */
export interface PluginTurn {
  readonly app: TestApp;
  readonly model: ScriptedModel;
  readonly id: string;
  /** Waits for a pending approval or review, and answers it. */
  answer(answer: object): Promise<void>;
  /** Waits for the end of the turn, and reads it again. */
  ended(): Promise<EndedTurn>;
}

/** A turn that has ended, as a client reads it. */
export interface EndedTurn {
  readonly response: ResponseObject;
  readonly events: readonly RunEvent[];
  readonly calls: readonly CallView[];
  /** The outputs of the calls by the names of their tools; the errors of calls that failed. */
  readonly outputs: { readonly [tool: string]: string };
  /** The events `begins` and `ends` that tools report, in their order, with the tools' names. */
  readonly order: readonly string[];
}

/** Starts a turn in the background: its model makes the given steps with tools of the group `g`. */
export async function startPluginTurn({
  steps,
  body = {},
  ...setup
}: Omit<Setup, "model"> & {
  readonly steps: readonly ScriptedStep[];
  /** More fields of the request. */
  readonly body?: object;
}): Promise<PluginTurn> {
  const store = openMemoryStore();
  const model = new ScriptedModel(steps);
  const app = createTestApp({ ...setup, model, store });
  const ask = { input: "Go", tools: toyTools, background: true, approvals: "inline", ...body };
  const begun = await app.call("POST", "/v1/responses", ask);
  assert.equal(begun.status, 200, JSON.stringify(begun.body));
  const { id } = begun.body;
  const get = async <Body>(path: string): Promise<Body> =>
    (await app.fetch(requestTo("GET", path))).json() as Promise<Body>;
  return {
    app,
    model,
    id,
    async answer(answer) {
      for (;;) {
        const { data } = await get<{ readonly data: readonly { readonly id: string }[] }>(
          "/v1/approvals?status=pending",
        );
        const [pending] = data;
        if (pending === undefined) await new Promise((resolve) => setTimeout(resolve, 2));
        else {
          const { status, body: made } = await app.call(
            "POST",
            `/v1/approvals/${pending.id}`,
            answer,
          );
          assert.equal(status, 200, JSON.stringify(made));
          return;
        }
      }
    },
    async ended() {
      await runIn(store, id, "completed");
      const events = await readRunEvents(app, id);
      const response = await get<ResponseObject>(`/v1/responses/${id}`);
      const { data: calls } = await get<{ readonly data: readonly CallView[] }>(
        `/v1/runs/${id}/calls`,
      );
      return { response, events, calls, outputs: outputsOf(response), order: orderOf(events) };
    },
  };
}

function outputsOf({ output }: ResponseObject): EndedTurn["outputs"] {
  return Object.fromEntries(
    output.flatMap((item) =>
      item.type === "mcp_call"
        ? [[item.name, item.output ?? JSON.stringify(item.error)] as const]
        : [],
    ),
  );
}

function orderOf(events: readonly RunEvent[]): readonly string[] {
  const names = new Map<string, string>();
  const order: string[] = [];
  for (const event of events) {
    if (event.type === "call.proposed") names.set(event.callId, event.name);
    if (event.type === "call.event" && /^(?:begins|ends)$/.test(event.name))
      order.push(`${names.get(event.callId)} ${event.name}`);
  }
  return order;
}
