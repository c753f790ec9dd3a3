import assert from "node:assert/strict";
import { everyStore } from "../../testing/every-store.ts";
import { newRun, owner } from "../../testing/store-fixtures.ts";

everyStore(
  "a run is rejected if its parent changes after the caller has read it",
  async (withStore) => {
    await withStore(async (store) => {
      const create = async (id: string, edits: number) => {
        const given = { parentId: "a", parentVersion: { epoch: 0, edits } };
        const [outcome] = await store.write([
          { type: "create-run", run: newRun({ id, ...given }) },
        ]);
        return outcome.status;
      };
      await store.write([
        { type: "create-run", run: newRun({ id: "a", kind: "edit", status: "completed" }) },
      ]);
      const { epoch } = (await store.getRun({ owner, id: "a" })) ?? {};
      assert.equal(epoch, 1);
      assert.equal(await create("b", 0), "refused");
    });
  },
);
