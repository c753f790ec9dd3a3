import assert from "node:assert/strict";
import type { RunJournalWrite } from "../records/store-writes.ts";
import { everyStore } from "../testing/every-store.ts";
import {
  callRecord,
  commit,
  createRun,
  delta,
  end,
  owner,
  start,
} from "../testing/store-fixtures.ts";

const query = { owner, runId: "r" };

everyStore(
  "messages and calls are read in the order of their commits, with and without events",
  async (withStore) => {
    await withStore(async (store) => {
      await createRun(store, { id: "r" });
      const say = (n: number): RunJournalWrite[] => [
        { type: "message", round: 1, message: { role: "assistant", content: `${n}` } },
        { type: "call", call: callRecord("c", { argumentsText: `${n}` }) },
        { type: "call", call: callRecord(`c${n}`) },
      ];
      const read = async () => {
        const messages = (await store.readMessages(query)) ?? [];
        const calls = (await store.readCalls(query)) ?? [];
        const [changed, ...others] = calls.map(({ call }) => call);
        const chain = await store.readChain(query);
        assert.deepEqual(chain?.calls, [changed, ...others]);
        assert.deepEqual(chain?.messages, messages);
        return [
          messages.map(({ content }) => content),
          changed?.argumentsText,
          others.map(({ callId }) => callId),
        ];
      };
      await commit(store, "r", say(0));
      await commit(store, "r", say(1));
      await commit(store, "r", [start("i"), delta("i", "text"), ...say(2)]);
      await commit(store, "r", [delta("i", "more"), ...say(3)]);
      // No process owns the run, so the next owner reads its row.
      await store.write([{ type: "set-status", runId: "r", status: "requires_action" }]);
      await store.write([{ type: "claim-run", runId: "r" }]);
      await commit(store, "r", say(4), 2);
      await commit(store, "r", [end("i", "other"), ...say(5)], 2);
      await commit(store, "r", say(6), 2);
      const all = ["0", "1", "2", "3", "4", "5", "6"];
      assert.deepEqual(await read(), [all, "6", all.map((n) => `c${n}`)]);
      const events = (await store.readEvents(query)) ?? [];
      assert.deepEqual(
        events.map(({ seq, type }) => [seq, type]),
        [
          [1, "item.start"],
          [2, "item.delta"],
          [3, "item.delta"],
          [4, "item.end"],
        ],
      );
    });
  },
);
