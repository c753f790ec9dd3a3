import { ApiError, type Client } from "@capstan/client";
import { CommandFailure, type Invocation } from "../../arguments/command.ts";
import { connectionTexts as texts } from "../../texts/connections.ts";
import { openConnection } from "../shared/open-connection.ts";

/**
 * Runs work with a client of the running server, or of one that is started for it. Errors of the
 * server end the command with their message.
 */
export async function withClient(
  { values }: Invocation,
  work: (client: Client) => Promise<number>,
): Promise<number> {
  const { client, close } = await openConnection(values);
  try {
    return await work(client);
  } catch (error) {
    if (error instanceof ApiError && error.status > 0) throw new CommandFailure(error.message, 1);
    throw error;
  } finally {
    await close();
  }
}

/** Returns the name of a connection in the arguments, which must be the only operand. */
export function nameIn({ positionals }: Invocation, verb: string): string {
  const [name, extra] = positionals;
  if (name === undefined || extra !== undefined) throw new CommandFailure(texts.noName(verb), 2);
  return name;
}
