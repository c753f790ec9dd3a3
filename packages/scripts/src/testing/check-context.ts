import assert from "node:assert/strict";
import { type Annotation, type GivenFile, ToolExecutor, type ToolGroup } from "@capstan/core";

/** A file of a call. */
export const file = (name: string, text: string, id?: string): GivenFile => ({
  ...(id !== undefined && { id }),
  name,
  mimeType: "text/plain",
  size: text.length,
  read: () => Buffer.from(text),
});
/** A tool object of a request. */
const web = { type: "web_search", user_location: { city: "Bergen" } };
/** The data of a request. */
const request = { user: "u1", metadata: { order: "7" }, headers: { "x-tenant": "north" } };
/** The citation that the functions add. */
const url: Annotation = { type: "url_citation", url: "https://a.example/" };

/** Returns an executor with a group, which is enabled. */
export function executorOf(group: ToolGroup): ToolExecutor {
  const executor = new ToolExecutor();
  executor.registerToolGroup(group);
  executor.toggleGroupEnabled(group.name, true);
  return executor;
}

/**
 * Asserts that a function of a script has the whole context: the same case in each language.
 *
 * @param group the group with the function
 * @param name the function, which writes "written", sends the event `web_search.searching`, cites
 *   `url`, and returns its user, request, tool and files
 */
export async function checkContext(group: ToolGroup, name: string): Promise<void> {
  const seen: unknown[] = [];
  const call = (caller: object) =>
    executorOf(group).execute(
      name,
      {},
      {
        caller,
        onOutput: (_callId, output) => {
          if (output.type !== "progress") seen.push(output.type === "text" ? output.text : output);
        },
      },
    );
  const files = {
    _all: [file("a.txt", "first"), file("b.txt", "zwölf")],
    other: [file("c", "no")],
  };
  const tools = { [`${group.name}.${name}`]: web };
  const result = await call({ request, tools, files });
  assert.ok(result.status === "success", JSON.stringify(result));
  assert.deepEqual(result.data, {
    user: "u1",
    request,
    tool: web,
    files: [
      ["a.txt", "first"],
      ["b.txt", "zwölf"],
    ],
  });
  assert.deepEqual(result.annotations, [url]);
  const searching = { type: "event", name: "web_search.searching", data: { query: "q" } };
  assert.ok(JSON.stringify(seen).includes(JSON.stringify(searching)), JSON.stringify(seen));
  assert.ok(seen.some((one) => typeof one === "string" && one.includes("written")));

  const plain = await call({ principal: { id: "ann" } });
  assert.ok(plain.status === "success", JSON.stringify(plain));
  assert.deepEqual(plain.data, { user: "ann", request: {}, tool: null, files: [] });
}
