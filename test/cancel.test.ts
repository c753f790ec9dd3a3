import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test, type TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { CallView, ListView } from "@capstan/contract";
import { findSandbox } from "@capstan/sandbox";
import { findPython } from "@capstan/scripts";
import { type Api, createApi, eventsOf } from "./api.ts";
import { approveScript, createServerFolder, startServerProcess } from "./server-process.ts";

// Cancels running calls: all processes that they started end, and every reader gets the event.

const python = await findPython({});
const { problem } = await findSandbox();
const noProc = process.platform === "linux" ? undefined : "processes are looked up in /proc";
const skip =
  (python.status === "missing" ? python.message : undefined) ?? problem?.message ?? noProc ?? false;

/** Starts a child and a grandchild process and waits. Each has the mark in its arguments. */
const waiter = `import ctypes, subprocess, time

def wait_with(mark: str):
    """Waits, and so do its child and its grandchild."""
    ctypes.CDLL(None).prctl(15, mark.encode())
    subprocess.Popen(["bash", "-c", f"bash -c 'exec -a {mark} sleep 1000' & wait"])
    time.sleep(1000)
`;

const resources = new AsyncDisposableStack();
let api: Api;

before(async () => {
  if (skip !== false) return;
  const folder = resources.use(
    await createServerFolder({
      "capstan.config.json": JSON.stringify({
        groups: { code: true },
        rules: [{ tool: "code.*", execution: "auto" }],
      }),
    }),
  );
  await mkdir(join(folder.work, "capstan-tools"));
  await writeFile(join(folder.work, "capstan-tools", "waiter.py"), waiter);
  await approveScript(folder, "waiter.py");
  api = createApi(resources.use(await startServerProcess({ folder })).url);
});

after(() => resources.disposeAsync());

/** Returns the processes with a mark in their name or their arguments. */
async function marked(mark: string): Promise<readonly string[]> {
  const found = await Promise.all(
    (await readdir("/proc"))
      .filter((name) => /^\d+$/.test(name))
      .map(async (pid) => {
        const read = (file: string) => readFile(`/proc/${pid}/${file}`, "utf8").catch(() => "");
        const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
        const names = threads.map((thread) => read(`task/${thread}/comm`));
        const texts = await Promise.all([read("cmdline"), ...names]);
        return texts.some((text) => text.includes(mark)) ? [pid] : [];
      }),
  );
  return found.flat();
}

async function until(what: string, look: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + 60_000; !(await look()); await pause(10))
    if (performance.now() > end) assert.fail(`did not happen within a minute: ${what}`);
}

interface Kind {
  readonly group: string;
  /** Whether the call needs approval, as for a script without declared permissions. */
  readonly asks: boolean;
  /** The message to the offline model. */
  readonly input: (mark: string) => string;
}

/** The minimum number of processes with the mark. */
const processes = 3;

const script: Kind = {
  group: "waiter",
  asks: true,
  input: (mark) => `/wait_with ${JSON.stringify({ mark })}`,
};

const shell: Kind = {
  group: "code",
  asks: false,
  input: (mark) => {
    const child = `bash -c 'exec -a ${mark} sleep 1000'`;
    return `/Shell ${JSON.stringify({ command: `${child} & setsid ${child} & ${child}` })}`;
  },
};

/** Starts a turn, and waits until its call has started all its processes. */
async function underWay({ group, asks, input }: Kind, mark: string) {
  const { id: conversation } = await api.createConversation();
  const run = await api.startTurn({ conversation, input: input(mark), groups: [group] });
  if (asks) {
    await api.firstEvent(run, "approval.requested");
    const [approval] = await api.approvals(conversation);
    await api.answer(approval?.id ?? "", { decision: "allow" });
  }
  const { callId } = await api.firstEvent(run, "call.started");
  await until("all processes", async () => (await marked(mark)).length >= processes);
  return { run, callId };
}

/**
 * All processes have ended; without the cancellation they would wait for a quarter of an hour. The
 * time is printed and not asserted, because the machine may be busy.
 */
async function stops(
  context: TestContext,
  mark: string,
  stop: () => Promise<unknown>,
): Promise<void> {
  const begun = performance.now();
  await stop();
  const answered = performance.now() - begun;
  await until("no process", async () => (await marked(mark)).length === 0);
  const gone = performance.now() - begun;
  context.diagnostic(`answered after ${answered.toFixed(0)} ms, gone after ${gone.toFixed(0)} ms`);
}

const ledgerOf = async (run: string) =>
  (await api.request<ListView<CallView>>("GET", `/v1/runs/${run}/calls`)).data;

/** The whole turn is cancelled. */
function turnIsCancelled(kind: Kind, mark: string) {
  return async (context: TestContext) => {
    const { run } = await underWay(kind, mark);
    await stops(context, mark, () => api.cancel(run));
    assert.equal((await api.run(run)).status, "cancelled");
    assert.deepEqual(
      eventsOf(await api.finishedEvents(run), "call.settled").map(({ status }) => status),
      ["cancelled"],
    );
    assert.deepEqual(
      (await ledgerOf(run)).map(({ status }) => status),
      ["cancelled"],
    );
  };
}

/** Only its call is cancelled. */
function callIsCancelled(kind: Kind, mark: string) {
  return async (context: TestContext) => {
    const { run, callId } = await underWay(kind, mark);
    await stops(context, mark, () => api.request("POST", `/v1/runs/${run}/calls/${callId}/cancel`));
    const events = await api.finishedEvents(run);
    assert.equal((await api.run(run)).status, "completed");
    assert.deepEqual(
      eventsOf(events, "call.settled").map(({ status }) => status),
      ["cancelled"],
    );
  };
}

// Contract: durability-21
test(
  "cancelling a turn ends the whole process tree of its script tool, and the turn reports it",
  { skip },
  turnIsCancelled(script, "capmark-1"),
);
test(
  "cancelling one call of a script tool ends its process tree, and the turn continues",
  { skip },
  callIsCancelled(script, "capmark-2"),
);
test(
  "cancelling a turn ends the whole process tree of its shell command, and the turn reports it",
  { skip },
  turnIsCancelled(shell, "capmark-3"),
);
// Contract: durability-21
test(
  "cancelling one call of a shell command ends its process tree, and the turn continues",
  { skip },
  callIsCancelled(shell, "capmark-4"),
);
