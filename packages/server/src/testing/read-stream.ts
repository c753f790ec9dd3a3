import assert from "node:assert/strict";
import type { RunEvent } from "@capstan/contract";
import type { TestApp } from "./app-fixtures.ts";
import { requestTo } from "./app-fixtures.ts";

/** Sends a request with `stream: true`, and returns the data of its events. */
export async function streamOf<Event>(
  app: Pick<TestApp, "fetch">,
  path: string,
  body: object,
): Promise<readonly Event[]> {
  const response = await app.fetch(requestTo("POST", path, { ...body, stream: true }));
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return text
    .split("\n\n")
    .map((frame) => /^data: (.*)$/m.exec(frame)?.[1])
    .filter((data) => data !== undefined && data !== "[DONE]")
    .map((data) => JSON.parse(data ?? "") as Event);
}

/** Reads the events of a run, as the page does. The run must have ended. */
export async function readRunEvents(
  app: Pick<TestApp, "fetch">,
  id: string,
): Promise<readonly RunEvent[]> {
  const response = await app.fetch(requestTo("GET", `/v1/runs/${id}/events`));
  return (await response.text())
    .split("\n\n")
    .flatMap((frame) => /^data: (\{.*\})$/m.exec(frame)?.[1] ?? [])
    .map((data) => JSON.parse(data) as RunEvent);
}
