import type { StopRequest } from "../../records/nodes.ts";
import { z } from "zod";

/** The channel on which nodes tell each other that there is something to read. */
export const channel = "capstan_runs";

/** What a node is told: by whom, and of which runs or users. */
export interface Told {
  readonly by: string;
  readonly runs?: readonly string[];
  readonly owners?: readonly string[];
  readonly stop?: StopRequest;
  /** A run whose node is to show that it lives. */
  readonly watched?: string;
}

const toldSchema: z.ZodType<Told> = z.object({
  by: z.string(),
  runs: z.array(z.string()).exactOptional(),
  owners: z.array(z.string()).exactOptional(),
  stop: z.object({ runId: z.string(), callId: z.string().exactOptional() }).exactOptional(),
  watched: z.string().exactOptional(),
});

/**
 * Anybody who may use the database can say something there.
 *
 * @returns undefined of what no node has said in this version's words
 */
export function readTold(payload: string | undefined): Told | undefined {
  try {
    return toldSchema.safeParse(JSON.parse(payload ?? "")).data;
  } catch {
    return undefined;
  }
}
