import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isToolError, type ToolContext, type ToolErrorData } from "@capstan/core";
import { fakeContext, toolOf } from "@capstan/core/testing";
import { siyuanTools } from "../siyuan-tools.ts";
import type { SiyuanToolsOptions } from "../siyuan-options.ts";
import { type FakeKernel, startFakeKernel } from "./fake-kernel.ts";

/** The ids of the sample notes. */
export const ids = {
  work: "20260101000000-work000",
  closed: "20260101000000-closed0",
  locked: "20260101000000-locked0",
  plan: "20260101120000-plan000",
  child: "20260101120000-child00",
  other: "20260101120000-other00",
  secret: "20260101120000-secret0",
  missing: "20260101120000-missing",
} as const;

const block = (name: string) => `{: id="20260102000000-${name}"}`;

/** Returns the id of a block of the sample notes, whose name has seven characters. */
export function idOf(name: string): string {
  return `20260102000000-${name}`;
}

const plan = `# Goals
${block("goals00")}

First paragraph of the *plan*.
{: id="20260102000000-first00" custom-status="draft" bookmark="read"}

* {: id="20260102000000-item1aa"}Apples

  {: id="20260102000000-item1pp"}
* {: id="20260102000000-item2aa"}Pears

  ${block("item2pp")}
${block("list000")}

## Details
${block("detail0")}

Some details.
${block("detail1")}

\`\`\`js
const a = '{: id="20260102000000-notanid"}';
\`\`\`
${block("code000")}

# End
${block("end0000")}

Last.
${block("last000")}
`.replace(/^( *)\n  \{/gm, "  {");

/** A fake kernel with notes, and tools that use it. */
export interface SampleNotes extends AsyncDisposable {
  readonly kernel: FakeKernel;
  readonly options: SiyuanToolsOptions;
  /** Runs a tool, and returns its data. Throws for an error. */
  readonly run: <T = { readonly [key: string]: unknown }>(
    name: string,
    args?: object,
    context?: Partial<ToolContext>,
  ) => Promise<T>;
  /** Runs a tool, and returns the text for the model. */
  readonly text: (name: string, args?: object) => Promise<string>;
  readonly fail: (
    name: string,
    args?: object,
    context?: Partial<ToolContext>,
  ) => Promise<ToolErrorData>;
  readonly preview: (name: string, args: object) => Promise<unknown>;
}

let calls = 0;

/** Starts a kernel with sample notes. */
export async function sampleNotes(given: Partial<SiyuanToolsOptions> = {}): Promise<SampleNotes> {
  const kernel = await startFakeKernel();
  const { notes, index } = kernel;
  notes.notebooks.push(
    { id: ids.work, name: "Work", dailyNoteSavePath: "/daily/{{now}}" },
    { id: ids.closed, name: "Archive", closed: true },
    { id: ids.locked, name: "Private", encrypted: true, unlocked: false },
  );
  const parent = notes.addDoc({ box: ids.work, title: "Plan", id: ids.plan, markdown: plan });
  notes.addDoc({ box: ids.work, title: "Child", id: ids.child, markdown: "A child.", parent });
  notes.addDoc({
    box: ids.work,
    title: "50% it's_done",
    id: ids.other,
    markdown: "Pears and plans.",
  });
  notes.addDoc({ box: ids.locked, title: "Secret", id: ids.secret, markdown: "secret pears" });
  index.flush();
  const changes = mkdtempSync(join(tmpdir(), "capstan-siyuan-"));
  const options = { url: kernel.url, token: kernel.mode.token, changes, timeZone: "UTC", ...given };
  const group = siyuanTools(options);
  async function execute(name: string, args: object, context: Partial<ToolContext> = {}) {
    const merged = { ...fakeContext(), idempotencyKey: `key-${++calls}`, ...context };
    // The schema adds default values, as in the gate.
    const data: unknown = await toolOf(group, name).execute?.({ ...args }, merged);
    return data;
  }
  return {
    kernel,
    options,
    async run<T>(name: string, args: object = {}, context: Partial<ToolContext> = {}) {
      const data = await execute(name, args, context);
      if (isToolError(data)) throw new Error(`${name}: ${JSON.stringify(data)}`);
      return data as T;
    },
    async text(name, args = {}) {
      const data = await execute(name, args);
      if (isToolError(data)) throw new Error(`${name}: ${JSON.stringify(data)}`);
      return toolOf(group, name).formatForLLM?.(data, { ...args }) ?? "";
    },
    async fail(name, args = {}, context = {}) {
      const data = await execute(name, args, context);
      if (!isToolError(data)) throw new Error(`${name} succeeded: ${JSON.stringify(data)}`);
      return data;
    },
    async preview(name, args) {
      return toolOf(group, name).permission?.preview?.({ ...args }, fakeContext());
    },
    async [Symbol.asyncDispose]() {
      rmSync(changes, { recursive: true, force: true });
      await kernel[Symbol.asyncDispose]();
    },
  };
}
