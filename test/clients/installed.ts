/**
 * Imports a client of `test/clients/package.json`. The root project does not have its types.
 *
 * @returns `undefined` if it is not installed
 */
export async function loadClient<Client>(name: string): Promise<Client | undefined> {
  try {
    return (await import(name)) as Client;
  } catch (thrown) {
    const code: unknown = thrown instanceof Error && "code" in thrown && thrown.code;
    if (code === "ERR_MODULE_NOT_FOUND") return undefined;
    throw thrown;
  }
}

/** Why a test of a client is skipped, or false if the client is installed. */
export function skipReason(client: unknown): string | false {
  return client === undefined && "the clients of test/clients could not be installed";
}
