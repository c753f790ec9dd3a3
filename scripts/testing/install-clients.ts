import { installPackages } from "../install-packages.ts";

/**
 * Installs the clients of other projects that `test/clients` tests, if one of these files runs. If
 * that fails, prints the reason; the tests of these clients are then skipped.
 *
 * @param files the test files of this run
 */
export async function ensureClients(files: readonly string[]): Promise<void> {
  if (!files.some((file) => file.startsWith("test/clients/"))) return;
  try {
    await installPackages("test/clients");
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    console.log(`${reason}\nTests of these clients are skipped.`);
  }
}
