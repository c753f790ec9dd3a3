import assert from "node:assert/strict";
import { test } from "node:test";
import { kramdownOf } from "./testing/fake-block.ts";
import { ids, idOf, type SampleNotes, sampleNotes } from "./testing/sample-notes.ts";

const search = (id: string, from: string, to: string) =>
  `@@${id}@@\n<<<<<<< SEARCH\n${from}\n=======\n${to}${to === "" ? "" : "\n"}>>>>>>> REPLACE\n`;

function kramdown(notes: SampleNotes, id: string = ids.plan): string {
  const found = notes.kernel.notes.find(id);
  return found === undefined ? "" : kramdownOf(found.block);
}

function order(notes: SampleNotes, id: string = ids.plan): readonly string[] {
  return (notes.kernel.notes.find(id)?.block.children ?? []).map((one) => one.text || one.type);
}

const apply = (notes: SampleNotes, diff: string) =>
  notes.run<{ text: string; change: string }>("applyBlockDiff", { diff });

test("a changed paragraph keeps its id and its attributes", async () => {
  await using notes = await sampleNotes();
  const { text } = await apply(notes, search(idOf("first00"), "*plan*", "**new** plan"));
  assert.match(
    text,
    /-First paragraph of the \*plan\*\.\n\+First paragraph of the \*\*new\*\* plan\./,
  );
  assert.match(
    kramdown(notes),
    /First paragraph of the \*\*new\*\* plan\.\n\{: id="20260102000000-first00" custom-status="draft" bookmark="read"\}/,
  );
});

test("several edits of one block become one write", async () => {
  await using notes = await sampleNotes();
  const id = idOf("first00");
  await apply(notes, `${search(id, "First", "1st")}${search(id, "paragraph", "block")}`);
  assert.match(kramdown(notes), /^1st block of the \*plan\*\.$/m);
  const overlap = await notes.fail("applyBlockDiff", {
    diff: `${search(id, "1st block", "a")}${search(id, "block of", "b")}`,
  });
  assert.equal(overlap.code, "overlapping_edits");
});

test("the items of a list keep their ids when one changes, one is added and one is removed", async () => {
  await using notes = await sampleNotes();
  const list = idOf("list000");
  await apply(notes, search(list, "* Apples", "* Red apples\n* Plums"));
  const after = kramdown(notes, list);
  assert.match(after, /\* \{: id="20260102000000-item1aa"\}Red apples/);
  assert.match(after, /\{: id="20260102000000-item1pp"\}/);
  assert.match(after, /\* \{: id="[^"]+"\}Plums/);
  assert.match(after, /\* \{: id="20260102000000-item2aa"\}Pears/);
  await apply(notes, search(list, "* Red apples\n* Plums\n", ""));
  assert.equal(order(notes, list).length, 1);
  assert.match(kramdown(notes, list), /item2aa"\}Pears/);
});

test("a changed list item keeps its id and the ids of the blocks in it", async () => {
  await using notes = await sampleNotes();
  await apply(notes, search(idOf("item1aa"), "Apples", "Green apples"));
  await apply(notes, `@@${idOf("item2aa")}@@ REPLACE\n* Plums`);
  await apply(notes, `@@${idOf("item2aa")}@@ AFTER\n* Figs`);
  const list = kramdown(notes, idOf("list000"));
  assert.match(
    list,
    /^\* \{: id="20260102000000-item1aa"\}Green apples\n {2}\{: id="20260102000000-item1pp"\}\n/,
  );
  assert.match(list, /\* \{: id="20260102000000-item2aa"\}Plums/);
  assert.equal(order(notes, idOf("list000")).length, 3);
});

test("references, links and embedded queries stay as they are", async () => {
  await using notes = await sampleNotes();
  const text = `((20260102000000-first00 "First")) [x](siyuan://blocks/20260102000000-first00) {{SELECT * FROM blocks}} #tag#`;
  await apply(notes, `@@${idOf("last000")}@@ REPLACE\n${text}`);
  await apply(notes, search(idOf("last000"), "#tag#", "#other#"));
  assert.ok(kramdown(notes).includes(text.replace("#tag#", "#other#")));
});

test("an empty replacement deletes the block", async () => {
  await using notes = await sampleNotes();
  await apply(notes, search(idOf("first00"), "First paragraph of the *plan*.", ""));
  assert.equal(kramdown(notes, idOf("first00")), "");
});

test("commands insert, replace and delete, in the order in which they are written", async () => {
  await using notes = await sampleNotes();
  const first = idOf("first00");
  const diff = [
    `@@${first}@@ BEFORE`,
    "b1",
    `@@${first}@@ BEFORE`,
    "b2",
    `@@${first}@@ AFTER`,
    "a1",
    "",
    "a1 more",
    `@@${first}@@ AFTER`,
    "a2",
    `@@${idOf("last000")}@@ DELETE`,
    `@@${idOf("detail0")}@@ APPEND`,
    "end of details",
    `@@${idOf("goals00")}@@ REPLACE`,
    "# Aims",
    "======= is ordinary text",
    "=======",
    `@@${ids.plan}@@ APPEND`,
    "the end",
    `@@${ids.plan}@@ PREPEND`,
    "the beginning",
    `@@${idOf("list000")}@@ PREPEND`,
    "* Nuts",
  ].join("\n");
  await apply(notes, diff);
  assert.deepEqual(order(notes), [
    "the beginning",
    "# Aims",
    "======= is ordinary text\n=======",
    "b1",
    "b2",
    "First paragraph of the *plan*.",
    "a1",
    "a1 more",
    "a2",
    "l",
    "## Details",
    "Some details.",
    "```js\nconst a = '{: id=\"20260102000000-notanid\"}';\n```",
    "end of details",
    "# End",
    "the end",
  ]);
  assert.match(kramdown(notes), /# Aims\n\{: id="20260102000000-goals00"\}/);
  assert.match(kramdown(notes, idOf("list000")), /^\* \{: id="[^"]+"\}Nuts/);
});

test("no edit is written if one of them does not match", async () => {
  await using notes = await sampleNotes();
  const before = kramdown(notes);
  const good = search(idOf("first00"), "First", "Second");
  for (const [diff, code] of [
    [search(idOf("last000"), "absent", "x"), "no_match"],
    [search(idOf("first00"), "a", "x"), "ambiguous_match"],
    [`@@${ids.missing}@@ DELETE`, "no_such_block"],
    [`@@${idOf("last000")}@@ APPEND\nx`, "no_container"],
    [`@@${idOf("list000")}@@ APPEND\nno item`, "list_items_only"],
    [`@@${idOf("item1aa")}@@ AFTER\nno item`, "list_items_only"],
    [`@@${ids.plan}@@ DELETE`, "document"],
    [search(ids.plan, "Goals", "x"), "document"],
    [`@@${idOf("item1aa")}@@ DELETE\n@@${idOf("list000")}@@ DELETE`, "conflicting_edits"],
    [`@@${idOf("item1aa")}@@ DELETE\n@@${idOf("item2aa")}@@ DELETE`, "empty_container"],
    [`@@${idOf("last000")}@@ DELETE\n@@${idOf("last000")}@@ REPLACE\nx`, "conflicting_edits"],
    [`@@${idOf("last000")}@@ REPLACE\nx\n{: id="${idOf("first00")}"}`, "attribute_list"],
    [`@@${idOf("last000")}@@ ERASE`, "invalid_diff"],
  ] as const)
    assert.equal((await notes.fail("applyBlockDiff", { diff: `${good}${diff}` })).code, code, diff);
  assert.equal(kramdown(notes), before);
  assert.ok(
    !notes.kernel.requests.some(({ path }) => /update|insert|delete|append|prepend/.test(path)),
  );
  assert.match(
    (await notes.fail("applyBlockDiff", { diff: search(idOf("last000"), "absent", "x") })).message,
    /:\nLast\.$/,
  );
});

test("a dry run shows the effect and writes nothing, and needs no approval", async () => {
  await using notes = await sampleNotes();
  const before = kramdown(notes);
  const diff = search(idOf("first00"), "First", "Second");
  const { text, change } = await notes.run<{ text: string; change?: string }>("applyBlockDiff", {
    diff,
    dryRun: true,
  });
  assert.match(text, /^Nothing was changed[\s\S]*\+Second paragraph/);
  assert.equal(change, undefined);
  assert.equal(kramdown(notes), before);
  const preview = await notes.preview("applyBlockDiff", { diff });
  assert.match(
    String(preview),
    /Document "Plan"[\s\S]*Changes paragraph[\s\S]*-First paragraph[\s\S]*\+Second paragraph/,
  );
});

test("a change is undone with all ids, and only once", async () => {
  await using notes = await sampleNotes();
  const before = kramdown(notes);
  const diff = [
    search(idOf("first00"), "First", "Second"),
    search(idOf("list000"), "* Apples", "* Red apples\n* Plums"),
    `@@${idOf("detail1")}@@ DELETE\n@@${idOf("code000")}@@ DELETE`,
    `@@${idOf("last000")}@@ REPLACE\none\n\ntwo\n\nthree`,
    `@@${ids.plan}@@ PREPEND\nfirst of all`,
    `@@${idOf("goals00")}@@ DELETE`,
  ].join("\n");
  const { change } = await apply(notes, diff);
  assert.notEqual(kramdown(notes), before);
  assert.match(String(await notes.preview("applyBlockDiff", { undo: change })), /Undoes change_/);
  await notes.run("applyBlockDiff", { undo: change });
  assert.equal(kramdown(notes), before);
  assert.match(
    (await notes.run<{ text: string }>("applyBlockDiff", { undo: change })).text,
    /already/,
  );
});

test("undo does not overwrite later edits, and only works for the user who made the change", async () => {
  await using notes = await sampleNotes();
  const { change } = await apply(notes, search(idOf("first00"), "First", "Second"));
  const other = await notes.fail(
    "applyBlockDiff",
    { undo: change },
    { principal: { id: "someone" } },
  );
  assert.equal(other.code, "unknown_change");
  notes.kernel.notes.update(idOf("first00"), "edited by the user");
  const error = await notes.fail("applyBlockDiff", { undo: change });
  assert.equal(error.code, "changed_since");
  assert.match(kramdown(notes), /edited by the user/);
  for (const undo of ["change_0", "../../etc/passwd", "change_000000000000000000000000"])
    assert.equal((await notes.fail("applyBlockDiff", { undo })).code, "unknown_change");
});

test("if the kernel silently ignores a write, all other writes are undone", async () => {
  await using notes = await sampleNotes();
  const before = kramdown(notes);
  const silent = '{"code":0,"msg":"","data":null}';
  const ok = JSON.stringify({
    code: 0,
    msg: "",
    data: [{ doOperations: [{ id: idOf("detail1"), parentID: "" }] }],
  });
  const edit = search(idOf("first00"), "First", "Second");
  for (const [failing, reply, more] of [
    ["deleteBlock", ok, `@@${idOf("detail1")}@@ DELETE`],
    ["deleteBlock", silent, `@@${idOf("detail1")}@@ DELETE`],
    ["appendBlock", silent, `@@${ids.plan}@@ APPEND\nx`],
    ["appendBlock", ok, `@@${ids.plan}@@ APPEND\nx`],
    ["insertBlock", silent, `@@${idOf("goals00")}@@ AFTER\nx`],
  ] as const) {
    notes.kernel.mode.answer = (path) => (path.endsWith(failing) ? { text: reply } : undefined);
    const error = await notes.fail("applyBlockDiff", { diff: `${edit}${more}` });
    assert.ok(["not_made", "unexpected_reply"].includes(error.code), `${failing} ${error.code}`);
    notes.kernel.mode.answer = undefined;
    assert.equal(kramdown(notes), before, failing);
  }
  notes.kernel.mode.answer = (path) => (path.endsWith("updateBlock") ? { text: ok } : undefined);
  assert.equal((await notes.fail("applyBlockDiff", { diff: edit })).code, "not_made");
});

test("attributes that the kernel drops are set again", async () => {
  await using notes = await sampleNotes();
  const update = notes.kernel.notes.update.bind(notes.kernel.notes);
  notes.kernel.notes.update = (id, markdown) => update(id, markdown.replaceAll(/^\{: .*\}$/gm, ""));
  await apply(notes, search(idOf("first00"), "First", "Second"));
  assert.match(kramdown(notes), /custom-status="draft" bookmark="read"/);
});

test("a call that is repeated after a crash makes its change only once", async () => {
  await using notes = await sampleNotes();
  const diff = `@@${ids.plan}@@ APPEND\nadded once`;
  const context = { idempotencyKey: "run/call" };
  const first = await notes.run("applyBlockDiff", { diff }, context);
  assert.deepEqual(await notes.run("applyBlockDiff", { diff }, context), first);
  assert.equal(order(notes).filter((one) => one === "added once").length, 1);
});

test("parallel diffs of one block are made one after another", async () => {
  await using notes = await sampleNotes();
  const id = idOf("last000");
  await Promise.all([1, 2, 3, 4].map((n) => apply(notes, `@@${id}@@ AFTER\np${n}`)));
  assert.equal(order(notes).filter((one) => /^p\d$/.test(one)).length, 4);
});

test("the types that getBlockContent prints are allowed in a header", async () => {
  await using notes = await sampleNotes();
  const diff = search(idOf("first00"), "First", "Second").replace("@@\n", "@@ (paragraph)\n");
  await apply(notes, diff);
  assert.match(kramdown(notes), /Second paragraph/);
});
