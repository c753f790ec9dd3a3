import assert from "node:assert/strict";
import { test } from "node:test";
import { type Api, createApi, eventsOf } from "./api.ts";
import { createServerFolder, startServerProcess } from "./server-process.ts";
import { toyServer } from "./server-scripts.ts";
import { obey, startUpstream } from "./upstream.ts";

const page = Array.from(
  { length: 700 },
  (_, n) => `${n}\t"quoted" \\n é 漢 😀 {{x}} 50% <b>&amp;</b>\n`,
).join("");

test("after ten turns and a restart, ReadVar and references return a result byte for byte", async () => {
  await using resources = new AsyncDisposableStack();
  const folder = resources.use(await createServerFolder({ "page.txt": page }));
  const start = async () => {
    const server = resources.use(await startServerProcess({ folder }));
    return { server, api: createApi(server.url) };
  };
  const turn = async (api: Api, conversation: string, lines: readonly string[]) => {
    const groups = ["files", "basic", "vars"];
    const run = await api.startTurn({ conversation, input: lines.join("\n"), groups });
    return eventsOf(await api.finishedEvents(run), "call.settled");
  };

  const first = await start();
  const { id } = await first.api.createConversation();
  const [viewed] = await turn(first.api, id, ['/ViewFile {"path":"page.txt"}']);
  const name = viewed?.result.cacheVarResult ?? assert.fail("it is kept");
  assert.ok(viewed?.result.isTruncated);
  const whole = (await first.api.readVariable(id, name, "?start=0&length=100000")).text;
  assert.ok(whole.includes('699\t"quoted" \\n é 漢 😀 {{x}} 50% <b>&amp;</b>'));
  for (let n = 0; n < 5; n++) await turn(first.api, id, ["/DateTime {}"]);
  await first.server.stop();

  const { api } = await start();
  for (let n = 0; n < 4; n++) await turn(api, id, ["/DateTime {}"]);
  const starts = Array.from({ length: Math.ceil(whole.length / 8_000) }, (_, n) => n * 8_000);
  const read = await turn(
    api,
    id,
    starts.map((start) => `/ReadVar ${JSON.stringify({ name, start })}`),
  );
  const pages = read.map(({ result }) =>
    result.finalText.replace(/\n\[Characters \d+ to \d+ of \d+\. .*\]$/s, ""),
  );
  assert.equal(pages.join(""), whole);
  await turn(api, id, [`/WriteVar {"name":"copy","value":"$VAR_REF{{${name}}}"}`]);
  // WriteVar keeps the value's type: the copy is the object, and not the text that shows it.
  const { text: copy } = await api.readVariable(id, "copy", "?start=0&length=100000");
  const { path, text, totalLines } = JSON.parse(copy) as { [field: string]: unknown };
  assert.equal(text, page);
  assert.deepEqual({ path, totalLines }, { path: "page.txt", totalLines: 700 });
});

test("later turns contain earlier ones as the same bytes, also after restarts", async () => {
  await using resources = new AsyncDisposableStack();
  const upstream = resources.use(await startUpstream(obey));
  const folder = resources.use(await createServerFolder());
  const start = async () => {
    const { environment } = upstream;
    const server = await startServerProcess({ folder, script: toyServer, environment });
    resources.use(server);
    return { server, api: createApi(server.url) };
  };
  // Three turns that are long enough for a log, and one that is shown unchanged.
  const long = "a long line ".repeat(400);
  const turns = [
    `call Record {"line":"one ${long}"}\ncall Throws {}\ncall Nobody {}`,
    Array.from({ length: 5 }, (_, n) => `call Record {"line":"${n} ${long}"}`).join("\n"),
    `call Hangs {}\ncall Record {"line":"<turn-log> \`\`\` \\"quoted\\" 😀 ${long}"}`,
    'call Record {"line":"short"}',
    "No call",
    "None either",
  ];
  let { server, api } = await start();
  const { id: conversation } = await api.createConversation();
  const shown: string[][] = [];
  for (const [n, input] of turns.entries()) {
    const run = await api.startTurn({ conversation, input, groups: ["toys"] });
    await api.finishedEvents(run);
    const { messages = [] } = upstream.requests.at(-1) ?? {};
    const until = messages.findLastIndex(({ role }) => role === "user");
    shown.push(messages.slice(0, until).map((message) => JSON.stringify(message)));
    if (n % 2 === 1) continue;
    await (n === 0 ? server.stop() : server.kill());
    ({ server, api } = await start());
  }
  for (const [n, earlier] of shown.entries())
    assert.deepEqual(shown[n + 1]?.slice(0, earlier.length) ?? earlier, earlier, `turn ${n + 1}`);
  assert.equal(
    shown
      .at(-1)
      ?.join()
      .match(/<turn-log>/g)?.length,
    3,
  );
  assert.match(shown.at(-1)?.join() ?? "", /Record ×5 ✓ → Record_3 to Record_7/);
  assert.match(shown.at(-1)?.join() ?? "", /"role":"tool",[^]*short/);
});
