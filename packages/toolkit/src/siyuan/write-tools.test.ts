import assert from "node:assert/strict";
import { test } from "node:test";
import { titleOf } from "./testing/fake-notes.ts";
import { ids, idOf, type SampleNotes, sampleNotes } from "./testing/sample-notes.ts";

function texts(notes: SampleNotes, id: string = ids.plan): readonly string[] {
  return (notes.kernel.notes.find(id)?.block.children ?? []).map((one) => one.text || one.type);
}

test("content is added to documents, sections, lists and after blocks", async () => {
  await using notes = await sampleNotes();
  const added = await notes.run<{ id: string; documentTitle: string; change: string }>(
    "appendContent",
    { markdown: "at the end", target: "document", id: ids.plan },
  );
  assert.equal(added.documentTitle, "Plan");
  assert.equal(texts(notes).at(-1), "at the end");
  assert.equal(notes.kernel.notes.find(added.id)?.block.text, "at the end");
  await notes.run("appendContent", { markdown: "after it", target: "block", id: idOf("first00") });
  assert.equal(texts(notes)[2], "after it");
  await notes.run("appendContent", { markdown: "* Figs", target: "block", id: idOf("list000") });
  assert.equal(texts(notes, idOf("list000")).length, 3);
  await notes.run("appendContent", {
    markdown: "more details",
    target: "block",
    id: idOf("detail0"),
  });
  assert.equal(texts(notes)[texts(notes).indexOf("# End") - 1], "more details");
  await notes.run("applyBlockDiff", { undo: added.change });
  assert.equal(notes.kernel.notes.find(added.id), undefined);
});

test("content for a daily note goes to the day's document, if the notebook has daily notes", async () => {
  await using notes = await sampleNotes();
  const { id, documentId } = await notes.run<{ id: string; documentId: string }>("appendContent", {
    markdown: "today",
    target: "dailynote",
    id: ids.work,
  });
  assert.equal(notes.kernel.notes.find(id)?.block.text, "today");
  const again = await notes.run<{ documentId: string }>("appendContent", {
    markdown: "again",
    target: "dailynote",
    id: ids.work,
  });
  assert.equal(again.documentId, documentId);
  const error = await notes.fail("appendContent", {
    markdown: "x",
    target: "dailynote",
    id: ids.closed,
  });
  assert.equal(error.code, "no_daily_notes");
  assert.match(
    String(
      await notes.preview("appendContent", { markdown: "x", target: "dailynote", id: ids.work }),
    ),
    /daily note of the notebook "Work":\nx/,
  );
});

test("content that the kernel would insert at the wrong position is rejected before it is written", async () => {
  await using notes = await sampleNotes();
  for (const [args, code] of [
    [{ markdown: " \n", target: "document", id: ids.plan }, "empty_text"],
    [
      { markdown: `x\n{: id="${idOf("first00")}"}`, target: "document", id: ids.plan },
      "attribute_list",
    ],
    [{ markdown: "x", target: "document", id: idOf("first00") }, "not_a_document"],
    [{ markdown: "x", target: "block", id: idOf("list000") }, "list_items_only"],
    [{ markdown: "x", target: "block", id: ids.missing }, "no_such_block"],
  ] as const)
    assert.equal((await notes.fail("appendContent", args)).code, code);
  assert.ok(!notes.kernel.requests.some(({ path }) => /append|insert/.test(path)));
});

const path = (notes: SampleNotes, id: string) => notes.kernel.notes.find(id)?.doc.path;

test("documents are created below, next to and above their anchor", async () => {
  await using notes = await sampleNotes();
  const create = (args: object) =>
    notes.run<{ id: string; hpath: string }>("createNewDoc", {
      location: "children",
      markdown: "",
      ...args,
    });
  const below = await create({ title: "Below", markdown: "text", anchorId: ids.plan });
  assert.equal(path(notes, below.id), `/${ids.plan}/${below.id}.sy`);
  assert.deepEqual(texts(notes, below.id), ["text"]);
  const sibling = await create({ title: "Beside", anchorId: ids.child, location: "siblings" });
  assert.equal(path(notes, sibling.id), `/${ids.plan}/${sibling.id}.sy`);
  const above = await create({ title: "Above", anchorId: ids.child, location: "parent" });
  assert.equal(path(notes, above.id), `/${above.id}.sy`);
  const top = await create({ title: "Top", anchorId: ids.work });
  assert.equal(path(notes, top.id), `/${top.id}.sy`);
});

test("notes are found by SQL and by title as soon as they are written", async () => {
  await using notes = await sampleNotes();
  const { id } = await notes.run<{ id: string }>("createNewDoc", {
    title: "Fresh",
    markdown: "",
    anchorId: ids.work,
    location: "children",
  });
  assert.match(await notes.text("searchDocument", { name: "Fresh" }), new RegExp(id));
  await notes.run("appendContent", { markdown: "quick brown", target: "document", id });
  const sql = "SELECT id FROM blocks WHERE content = 'quick brown' LIMIT 5";
  assert.match(await notes.text("querySQL", { sql }), /^1 rows/);
});

test("a slash in a title creates no parent document, and a title that exists is rejected", async () => {
  await using notes = await sampleNotes();
  const args = { title: "A/B", markdown: "", anchorId: ids.plan, location: "children" };
  const { id } = await notes.run<{ id: string }>("createNewDoc", args);
  assert.equal(titleOf(notes.kernel.notes.find(id)?.doc.root), "A／B");
  assert.equal(path(notes, id), `/${ids.plan}/${id}.sy`);
  assert.equal((await notes.fail("createNewDoc", args)).code, "exists");
  assert.equal((await notes.fail("createNewDoc", { ...args, title: "Child" })).code, "exists");
  assert.match(
    String(await notes.preview("createNewDoc", { ...args, title: "C" })),
    /^Creates \/Plan\/C in the notebook/,
  );
});

test("among documents with the same path, the one with the right parent is chosen", async () => {
  await using notes = await sampleNotes();
  const twin = notes.kernel.notes.addDoc({ box: ids.work, title: "Plan" });
  const { id } = await notes.run<{ id: string }>("createNewDoc", {
    title: "N",
    markdown: "",
    anchorId: twin.root.id,
    location: "children",
  });
  assert.equal(path(notes, id), `/${twin.root.id}/${id}.sy`);
});

test("documents cannot be created in closed notebooks or above the top", async () => {
  await using notes = await sampleNotes();
  const args = { title: "X", markdown: "" };
  assert.equal(
    (await notes.fail("createNewDoc", { ...args, anchorId: ids.closed, location: "children" }))
      .code,
    "closed_notebook",
  );
  assert.equal(
    (await notes.fail("createNewDoc", { ...args, anchorId: ids.plan, location: "parent" })).code,
    "invalid_arguments",
  );
  assert.equal(
    (await notes.fail("createNewDoc", { ...args, anchorId: ids.work, location: "siblings" })).code,
    "invalid_arguments",
  );
  assert.equal(
    (await notes.fail("createNewDoc", { ...args, anchorId: ids.missing, location: "children" }))
      .code,
    "no_such_block",
  );
});
