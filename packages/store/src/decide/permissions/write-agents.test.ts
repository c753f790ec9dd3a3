import assert from "node:assert/strict";
import { everyStore } from "../../testing/every-store.ts";
import { owner } from "../../testing/store-fixtures.ts";

const agent = { title: "Researcher", groups: [{ group: "web" }] };
const changed = { title: "Reader" };

everyStore("an agent is created once, replaced, listed by name and deleted", async (withStore) => {
  await withStore(async (store) => {
    const save = (name: string, isNew: boolean, content = agent as typeof changed) =>
      store.write([{ type: "save-agent", owner, name, agent: content, isNew }]);
    assert.equal((await save("b", true))[0].status, "updated");
    assert.equal((await save("a", true))[0].status, "updated");
    assert.equal((await save("a", true))[0].status, "refused");
    assert.equal((await save("c", false))[0].status, "not_found");
    const before = await store.getAgent({ owner, name: "a" });
    assert.deepEqual(before?.agent, agent);
    await save("a", false, changed);
    const after = await store.getAgent({ owner, name: "a" });
    assert.deepEqual(after?.agent, changed);
    assert.equal(after?.createdAt, before?.createdAt);
    const names = (await store.listAgents({ owner })).map((each) => "name" in each && each.name);
    assert.deepEqual(names, ["a", "b"]);
    const remove = { type: "delete-agent", owner, name: "a" } as const;
    assert.equal((await store.write([remove]))[0].status, "removed");
    assert.equal((await store.write([remove]))[0].status, "not_found");
    assert.equal(await store.getAgent({ owner, name: "a" }), undefined);
  });
});

everyStore("agents of one user are absent for another", async (withStore) => {
  await withStore(async (store) => {
    await store.write([{ type: "save-agent", owner, name: "a", agent, isNew: true }]);
    assert.equal(await store.getAgent({ owner: "bob", name: "a" }), undefined);
    assert.deepEqual(await store.listAgents({ owner: "bob" }), []);
    const others = [
      { type: "save-agent", owner: "bob", name: "a", agent: changed, isNew: false },
      { type: "delete-agent", owner: "bob", name: "a" },
    ] as const;
    for (const write of others)
      assert.equal((await store.write([write]))[0].status, "not_found", write.type);
    await store.write([
      { type: "save-agent", owner: "bob", name: "a", agent: changed, isNew: true },
    ]);
    assert.deepEqual((await store.getAgent({ owner, name: "a" }))?.agent, agent);
  });
});

everyStore("a user has at most 1,000 agents, and can change them all", async (withStore) => {
  await withStore(async (store) => {
    const all = Array.from({ length: 1_000 }, (_, n) => `a${n}`);
    await store.write(
      all.map((name) => ({ type: "save-agent", owner, name, agent, isNew: true }) as const),
    );
    const [more] = await store.write([
      { type: "save-agent", owner, name: "more", agent, isNew: true },
    ]);
    assert.deepEqual(more.status, "refused");
    const [again] = await store.write([
      { type: "save-agent", owner, name: "a7", agent: changed, isNew: false },
    ]);
    assert.equal(again.status, "updated");
  });
});
