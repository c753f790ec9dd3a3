import { LruCache, newId, systemClock } from "@capstan/core/host";
import type { Clock, Variable, VariableSystem } from "@capstan/core";
import type { ConversationRecord, Manifest, RunRecord } from "@capstan/store";
import { programOf } from "../../http/credentials/program-keys.ts";
import type { RunService } from "../../runs/run-service.ts";
import { createUnstoredVariables } from "./unstored-variables.ts";

/** The key under which a principal's conversation of MCP calls is found. */
const conversationKey = "mcp_conversation";

const yearMs = 365 * 24 * 3_600_000;

/**
 * The conversation whose variables a principal's MCP calls share. Each call starts with these
 * variables, and adds the changed ones when it has ended.
 */
export type ProgramConversations = ReturnType<typeof createProgramConversations>;

/** The variables with which a call starts. */
export interface CallVariables {
  /** The run that has them. `null`: they are in `variables`. */
  readonly parentId: string | null;
  readonly variables?: readonly Variable[];
  /** The number of the call's first stored result. */
  readonly firstResult: number;
}

/**
 * Creates the access to the conversations of MCP calls. Principals whose calls are not stored have
 * no conversation: their variables are in memory.
 */
export function createProgramConversations(
  runs: RunService,
  {
    isStored = () => true,
    clock = systemClock,
  }: {
    /** Whether the calls of a principal are stored. @default all calls are stored */
    readonly isStored?: (owner: string) => boolean;
    readonly clock?: Clock;
  } = {},
) {
  const { store } = runs;
  const unstored = createUnstoredVariables(clock);
  /** For each principal, the number of the last stored result. */
  const counts = new LruCache<string, number>(1_000);

  async function find(owner: string): Promise<ConversationRecord | undefined> {
    const known = await store.getRequestKey({ owner, id: conversationKey });
    const id = known?.resourceId;
    return id == null ? undefined : store.getConversation({ owner, id });
  }

  async function create(owner: string): Promise<void> {
    const known = await store.getRequestKey({ owner, id: conversationKey });
    const id = newId("conv_");
    const replaces = known?.resourceId;
    const key = { id: conversationKey, digest: conversationKey, ttlMs: yearMs };
    // If another request has created it in the meantime, nothing is written.
    await store.write([
      {
        type: "create-conversation",
        id,
        owner,
        title: titleOf(owner),
        metadata: {},
        switches: { groups: {}, tools: {} },
      },
      {
        type: "claim-key",
        owner,
        resourceId: id,
        key: { ...key, ...(replaces != null && { replaces }) },
      },
    ]);
  }

  /** Returns a principal's conversation, which is created if there is none. */
  async function open(owner: string): Promise<ConversationRecord & { readonly headRunId: string }> {
    for (;;) {
      const found = await find(owner);
      if (found?.headRunId != null) return { ...found, headRunId: found.headRunId };
      // The first edit creates the run that holds the variables.
      if (found !== undefined) await runs.editVariables(found, () => {});
      else await create(owner);
    }
  }

  /** Reserves the number of a call's first stored result. */
  async function reserveResult(conversation: ConversationRecord): Promise<number> {
    const { owner } = conversation;
    if (counts.get(owner) === undefined) {
      const { resultCount } = await runs.variablesOf(conversation);
      counts.set(owner, Math.max(resultCount, counts.get(owner) ?? 0));
    }
    const next = (counts.get(owner) ?? 0) + 1;
    counts.set(owner, next);
    return next;
  }

  return {
    isStored,
    open,

    /** Returns the variables with which a principal's next call starts. */
    async begin(owner: string): Promise<CallVariables> {
      if (!isStored(owner)) return { parentId: null, ...unstored.begin(owner) };
      const conversation = await open(owner);
      const firstResult = await reserveResult(conversation);
      return { parentId: conversation.headRunId, firstResult };
    },

    /** Returns the current variables of a principal's calls, if there are any. */
    async variablesOf(owner: string): Promise<VariableSystem | undefined> {
      if (!isStored(owner)) return unstored.of(owner);
      const conversation = await find(owner);
      return conversation && runs.variablesOf(conversation);
    },

    /**
     * Adds a call's changed variables to its principal's conversation. Includes the variable of its
     * result only if the result's text names it.
     *
     * @param text the text of the result, if the call has one
     */
    async addVariablesOf(run: RunRecord, text = ""): Promise<void> {
      const { owner, id: runId } = run;
      // Most calls change no variable that a later call can use. The store need not be read then.
      const known = runs.changedVariables(runId);
      if (known !== undefined && ![...known].some(([name, type]) => isShared(name, type, text)))
        return;
      const ofRun = runs.stores.of(runId);
      const manifest = (await ofRun.readManifest({ owner, runId })) ?? {};
      const changed = Object.entries(manifest).filter(
        ([name, entry]) => isChanged(entry, run) && isShared(name, entry.type, text),
      );
      if (changed.length === 0) return;
      const values = await Promise.all(
        changed.map(async ([name, { value, digest = "" }]) => ({
          name,
          value: value ?? (await ofRun.readValue({ owner, digest })),
        })),
      );
      const edit = (draft: VariableSystem) => {
        for (const [index, { name, value }] of values.entries()) {
          const entry = changed[index]?.[1];
          if (entry === undefined) continue;
          if (value !== undefined) set(draft, { name, entry, value });
          else if (entry.removed === true) draft.removeVariables([name]);
        }
      };
      if (ofRun !== store) return unstored.edit(owner, edit);
      const conversation = await find(owner);
      if (conversation !== undefined) await runs.editVariables(conversation, edit);
    },
  };
}

/** The user sees the conversations of all connected programs in one list. */
function titleOf(owner: string): string {
  const program = programOf(owner);
  return program === undefined ? "Calls over MCP" : `Calls of ${program} over MCP`;
}

type Entry = Manifest[string];

function isChanged({ updated, removed, evicted }: Entry, { createdAt }: RunRecord): boolean {
  if (evicted === true) return false;
  return removed === true || updated >= createdAt;
}

/**
 * Whether a later call can use a variable. Programs know the variable of a result only if the result
 * names it. Short results name none. Tools declare rules, so each call has its own rules.
 */
function isShared(name: string, type: Entry["type"] | undefined, text: string): boolean {
  if (type === "RULE") return false;
  if (type === "ToolCallResult") return text.includes(name);
  return type !== "ToolCallArgs" || text.includes(name.replace(/_args$/, ""));
}

function set(
  draft: VariableSystem,
  {
    name,
    entry: { type, desc, tags },
    value,
  }: {
    readonly name: string;
    readonly entry: Entry;
    readonly value: NonNullable<Entry["value"]>;
  },
): void {
  draft.updateVariable(name, { value, type, tags, ...(desc !== undefined && { desc }) });
}
