import { z } from "zod";
import type { ServerTool } from "../definition/server-tool.ts";

/** The stored data of a connection: plain JSON without secrets. */
export interface StoredConnection {
  /** The connection's `identityOf`. Definitions with another identity do not apply. */
  readonly identity: string;
  /** The definitions that a user accepted. */
  readonly accepted: readonly ServerTool[];
  /** The definitions that the server listed last. */
  readonly listed: readonly ServerTool[];
  /** Problems in the last list, for users. */
  readonly notes: readonly string[];
  readonly features: ServerFeatures;
  /** The protocol that the server uses. */
  readonly era: "legacy" | "modern";
  /** Milliseconds since 1970. */
  readonly listedAt: number;
}

/** The features of a server besides tools. */
export interface ServerFeatures {
  readonly resources: boolean;
  readonly prompts: boolean;
}

const schema = z.record(z.string(), z.unknown());
const flag = z.boolean().exactOptional();
const tool = z.object({
  name: z.string(),
  safeName: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
  title: z.string().exactOptional(),
  description: z.string(),
  inputSchema: schema,
  outputSchema: schema.exactOptional(),
  annotations: z.object({
    readOnly: flag,
    idempotent: flag,
    destructive: flag,
    openWorld: flag,
  }),
  digest: z.string(),
});

const stored = z.object({
  identity: z.string(),
  accepted: z.array(tool),
  listed: z.array(tool),
  notes: z.array(z.string()),
  features: z.object({ resources: z.boolean(), prompts: z.boolean() }),
  era: z.enum(["legacy", "modern"]),
  listedAt: z.number(),
});

/** Reads a stored definition of a tool; undefined if the value is not one. */
export function parseStoredTool(value: unknown): ServerTool | undefined {
  const read = tool.safeParse(value);
  return read.success ? read.data : undefined;
}

/** Reads a stored connection; undefined if the text is not one. */
export function parseStored(text: string): StoredConnection | undefined {
  try {
    const read = stored.safeParse(JSON.parse(text));
    return read.success ? read.data : undefined;
  } catch {
    return undefined;
  }
}
