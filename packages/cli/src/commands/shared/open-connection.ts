import { type Connection, connect } from "../../chat/connect.ts";
import type { OptionValues } from "../../arguments/option.ts";
import { readConfiguration } from "./read-configuration.ts";
import { startFailure } from "./start-failure.ts";

export type OpenedConnection =
  | { readonly status: "open"; readonly connection: Connection }
  /** Why not was said on standard error. */
  | { readonly status: "failed"; readonly exitCode: number };

/** The server at `url`; without one that of the configuration's data directory, started here where none runs. */
export async function openConnection(options: {
  readonly url: string | undefined;
  readonly flags: OptionValues;
}): Promise<OpenedConnection> {
  const { url, flags } = options;
  const environment = process.env;
  const failed = (message: string, exitCode: number): OpenedConnection => {
    process.stderr.write(`${message}\n`);
    return { status: "failed", exitCode };
  };
  if (url !== undefined) {
    if (/^https?:$/.test(URL.parse(url)?.protocol ?? ""))
      return { status: "open", connection: connect.to(url, environment) };
    return failed(`--url: expected an address such as http://127.0.0.1:8787, got ${url}`, 2);
  }
  const configuration = await readConfiguration(flags);
  if (!configuration) return { status: "failed", exitCode: 2 };
  try {
    return {
      status: "open",
      connection: await connect.toHolder({ configuration, environment }),
    };
  } catch (error) {
    const why = await startFailure(error, configuration);
    if (why === undefined) throw error;
    return failed(why, 1);
  }
}
