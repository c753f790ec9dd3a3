import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock, toolOf } from "@capstan/core/testing";
import { siyuanTools } from "./siyuan-tools.ts";
import { ids, idOf, sampleNotes } from "./testing/sample-notes.ts";

test("notebooks are listed with their state", async () => {
  await using notes = await sampleNotes();
  assert.equal(
    await notes.text("listNotebooks"),
    `- Work (${ids.work}): open\n- Archive (${ids.closed}): closed\n- Private (${ids.locked}): locked`,
  );
  assert.match((await notes.fail("listNotebooks", { name: "none" })).message, /Work, Archive/);
});

test("the tree lists the documents below, next to and above a document, with titles", async () => {
  await using notes = await sampleNotes();
  const below = await notes.text("navigateDocTree", { entry: ids.work, depth: 2 });
  assert.match(below, new RegExp(`- Plan \\(${ids.plan}\\)\\n  - Child \\(${ids.child}\\)`));
  assert.match(await notes.text("navigateDocTree", { entry: ids.work }), /Plan \(\S+, 1 below\)/);
  assert.match(
    await notes.text("navigateDocTree", { entry: ids.child, direction: "parent" }),
    /- Plan/,
  );
  const sibling = await notes.text("navigateDocTree", {
    entry: idOf("first00"),
    direction: "siblings",
  });
  assert.match(sibling, /- Plan[\s\S]*- 50% it's_done/);
  assert.equal((await notes.fail("navigateDocTree", { entry: ids.missing })).code, "no_such_block");
  const locked = await notes.fail("navigateDocTree", { entry: ids.locked });
  assert.equal(locked.code, "locked_notebook");
});

test("a folder with more than 512 documents is listed up to the limit that the result states", async () => {
  await using notes = await sampleNotes();
  for (let at = 0; at < 600; at++) notes.kernel.notes.addDoc({ box: ids.work, title: `n${at}` });
  const tree = await notes.run<{ documents: unknown[]; cut: boolean }>("navigateDocTree", {
    entry: ids.work,
  });
  assert.deepEqual([tree.documents.length, tree.cut], [500, true]);
  assert.match(
    await notes.text("navigateDocTree", { entry: ids.work }),
    /Only 500 documents are listed/,
  );
});

test("recent documents are listed as recently viewed, not as open", async () => {
  await using notes = await sampleNotes();
  notes.kernel.notes.recent.push(
    { rootID: ids.child, viewedAt: 1_772_000_000 },
    { rootID: ids.plan, viewedAt: 1_772_000_100 },
  );
  assert.equal(
    await notes.text("listActiveDocs"),
    `Recently viewed, perhaps closed since:\n- Plan (${ids.plan}, 2026-02-25T06:15:00.000Z)\n- Child (${ids.child}, 2026-02-25T06:13:20.000Z)`,
  );
});

test("the user's time zone decides which daily note is today's", async () => {
  const clock = new FakeClock(Date.parse("2026-03-02T02:30:00Z"));
  await using notes = await sampleNotes({ clock, timeZone: "America/New_York" });
  for (const date of ["20260301", "20260302"]) {
    const doc = notes.kernel.notes.addDoc({ box: ids.work, title: date });
    doc.root.attrs.set(`custom-dailynote-${date}`, date);
  }
  notes.kernel.index.flush();
  const dates = async (args: object, request = {}) =>
    (
      await notes.run<{ documents: { date: string }[] }>("getDailyNoteDocs", args, { request })
    ).documents.map(({ date }) => date);
  assert.deepEqual(await dates({}), ["2026-03-01"]);
  assert.deepEqual(await dates({}, { metadata: { timezone: "Asia/Tokyo" } }), ["2026-03-02"]);
  assert.deepEqual(await dates({}, { metadata: { timezone: "nowhere" } }), ["2026-03-01"]);
  assert.deepEqual(await dates({ timeZone: "UTC" }), ["2026-03-02"]);
  assert.deepEqual(await dates({ atDate: "2026-03-02" }), ["2026-03-02"]);
  assert.deepEqual(await dates({ afterDate: "2026-02-01" }), ["2026-03-01", "2026-03-02"]);
  assert.deepEqual(await dates({ beforeDate: "2026-03-01" }), ["2026-03-01"]);
  assert.match(
    (await notes.fail("getDailyNoteDocs", { atDate: "2026-02-30" })).message,
    /not a day/,
  );
  assert.match(
    (await notes.fail("getDailyNoteDocs", { afterDate: "2026-03-02", beforeDate: "2026-03-01" }))
      .message,
    /is after/,
  );
  assert.match((await notes.fail("getDailyNoteDocs", { timeZone: "Mars" })).message, /time zone/);
  const sql = notes.kernel.requests.findLast(({ path }) => path === "/api/query/sql");
  assert.equal(sql?.body["mode"], "readonly");
  assert.match(String(sql?.body["stmt"]), /LIMIT 100$/);
});

test("information on blocks names those that are missing", async () => {
  await using notes = await sampleNotes();
  const text = await notes.text("getBlockInfo", { ids: [ids.plan, idOf("first00"), ids.missing] });
  assert.match(text, /document 20260101120000-plan000, 8 blocks in it/);
  assert.match(text, /- h1 Goals \(20260102000000-goals00\)/);
  assert.match(text, /paragraph 20260102000000-first00[\s\S]*custom-status="draft"/);
  assert.match(text, /There is no block 20260101120000-missing\./);
});

test("content is read in document order without attribute lists, and code stays as it is", async () => {
  await using notes = await sampleNotes();
  const text = await notes.text("getBlockContent", { blockId: ids.plan });
  assert.match(
    text,
    /^Document Plan \(20260101120000-plan000\), blocks 0 to 7 of 8\n\n@@20260102000000-goals00@@ \(heading h1\)\n# Goals\n\n@@/,
  );
  assert.match(text, /@@20260102000000-list000@@ \(list u\)\n\* Apples\n\* Pears\n/);
  assert.match(text, /const a = '\{: id="20260102000000-notanid"\}';/);
  assert.equal(text.match(/\{: /g)?.length, 1);
  assert.doesNotMatch(
    await notes.text("getBlockContent", { blockId: ids.plan, showIds: false }),
    /@@/,
  );
});

test("pages follow one another without repeating a block", async () => {
  await using notes = await sampleNotes();
  const page = async (slice: string, blockId: string = ids.plan) =>
    (
      await notes.run<{ blocks: { id: string }[] }>("getBlockContent", { blockId, slice })
    ).blocks.map(({ id }) => id.slice(15));
  const all = await page("BEGIN:END");
  assert.deepEqual(await page("BEGIN:+2"), all.slice(0, 2));
  assert.match(
    await notes.text("getBlockContent", { blockId: ids.plan, slice: "BEGIN:+2" }),
    /More with slice 20260102000000-first00:\+50$/,
  );
  assert.deepEqual(await page(`${idOf("first00")}:+3`), all.slice(2, 5));
  assert.deepEqual(await page(`${idOf("list000")}:-2`), all.slice(0, 2));
  assert.deepEqual(await page("END:-2"), all.slice(-2));
  assert.deepEqual(await page(`${idOf("first00")}:${idOf("list000")}`), all.slice(1, 3));
  assert.deepEqual(await page("2:4"), all.slice(2, 4));
  assert.deepEqual(await page("BEGIN:END", idOf("detail0")), ["detail0", "detail1", "code000"]);
  assert.deepEqual(await page("BEGIN:END", idOf("list000")), ["item1aa", "item2aa"]);
  assert.deepEqual(await page("BEGIN:END", idOf("last000")), ["last000"]);
  for (const [slice, problem] of [
    ["3", /not a slice/],
    [`${ids.missing}:+1`, /not one of the 8/],
    ["4:2", /ends before/],
    ["x:y", /neither/],
  ] as const)
    assert.match(
      (await notes.fail("getBlockContent", { blockId: ids.plan, slice })).message,
      problem,
    );
  assert.equal(
    (await notes.fail("getBlockContent", { blockId: ids.missing })).code,
    "no_such_block",
  );
});

test("a long document ends a page early, and one block is always returned", async () => {
  await using notes = await sampleNotes();
  const big = Array.from({ length: 5 }, (_, at) => `${at} ${"x".repeat(9_000)}`).join("\n\n");
  const doc = notes.kernel.notes.addDoc({ box: ids.work, title: "Big", markdown: big });
  const read = (slice: string) =>
    notes.run<{ blocks: unknown[] }>("getBlockContent", { blockId: doc.root.id, slice });
  assert.equal((await read("BEGIN:+50")).blocks.length, 2);
  doc.root.children[0]!.text = "y".repeat(50_000);
  assert.equal((await read("BEGIN:+50")).blocks.length, 1);
});

test("documents are found by title and path, even with quotes and wildcards in the text", async () => {
  await using notes = await sampleNotes();
  const found = async (args: object) =>
    (await notes.run<{ documents: { id: string }[] }>("searchDocument", args)).documents.map(
      ({ id }) => id,
    );
  assert.deepEqual(await found({ name: "50% it's_" }), [ids.other]);
  assert.deepEqual(await found({ name: "5%done" }), []);
  assert.deepEqual(await found({ name: "'; DELETE FROM blocks; --" }), []);
  assert.deepEqual(await found({ hpath: "/Plan/Child", match: "=" }), [ids.child]);
  assert.deepEqual(await found({ name: "Secret" }), []);
  assert.equal((await notes.fail("searchDocument", {})).code, "invalid_arguments");
  for (let at = 0; at < 70; at++) notes.kernel.notes.addDoc({ box: ids.work, title: `many ${at}` });
  notes.kernel.index.flush();
  const [first, second] = [await found({ name: "many" }), await found({ name: "many", page: 2 })];
  assert.deepEqual(
    [first.length, second.length, new Set([...first, ...second]).size],
    [50, 20, 70],
  );
});

test("keywords are found in all blocks; results have no highlighting, and the number of pages", async () => {
  await using notes = await sampleNotes();
  const text = await notes.text("searchKeyword", { keyword: "pears", pageSize: 2 });
  assert.match(text, /blocks in 2 documents, page 1 of 2\. More with page 2\.\n/);
  assert.match(text, /\(list item 20260102000000-item2aa\)|\(list 20260102000000-list000\)/);
  assert.doesNotMatch(text, /mark>|Node/);
  assert.equal(
    await notes.text("searchKeyword", { keyword: "nothing here" }),
    "Nothing was found.",
  );
  assert.match(
    await notes.text("searchKeyword", { keyword: "pears", pageSize: 2, page: 9 }),
    /only 2 pages/,
  );
  const only = await notes.run<{ blocks: unknown[] }>("searchKeyword", {
    keyword: "pears",
    notebook: ids.closed,
  });
  assert.equal(only.blocks.length, 0);
});

test("SQL is read-only, even if the kernel ignores that mode", async () => {
  await using notes = await sampleNotes();
  notes.kernel.mode.ignoresSqlMode = true;
  const { check } = toolOf(siyuanTools(notes.options), "querySQL");
  for (const sql of [
    "DELETE FROM blocks",
    "WITH x AS (SELECT 1) DELETE FROM blocks",
    "SELECT 1; DELETE FROM blocks",
  ]) {
    // The gate checks before it requests an approval, and the tool checks again.
    assert.equal((await check?.({ sql }))?.length, 1, sql);
    await assert.rejects(notes.run("querySQL", { sql }));
  }
  assert.match(String(await check?.({ sql: "DELETE FROM blocks" })), /Only SELECT/);
  assert.deepEqual(await check?.({ sql: "SELECT 1" }), []);
  assert.equal(notes.kernel.requests.length, 0);
  const { rows } = await notes.run<{ rows: { n: number }[] }>("querySQL", {
    sql: "SELECT count(*) AS n FROM blocks",
  });
  assert.ok((rows[0]?.n ?? 0) > 10);
  assert.equal(notes.kernel.requests.at(-1)?.body["mode"], "readonly");
});

test("the result of SQL mentions the kernel's row limit, and its errors are returned", async () => {
  await using notes = await sampleNotes();
  for (let at = 0; at < 80; at++) notes.kernel.notes.addDoc({ box: ids.work, title: `d${at}` });
  notes.kernel.index.flush();
  assert.match(
    await notes.text("querySQL", { sql: "SELECT id FROM blocks" }),
    /^64 rows; there may be more/,
  );
  assert.match(
    await notes.text("querySQL", { sql: "SELECT id FROM blocks LIMIT 64" }),
    /^64 rows\n/,
  );
  assert.match(
    (await notes.fail("querySQL", { sql: "SELECT absent FROM blocks" })).message,
    /no such column: absent/,
  );
});
