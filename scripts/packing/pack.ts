import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { runNpm } from "../command.ts";
import type { Workspace } from "./workspaces.ts";

export interface PackedPackage {
  readonly workspace: Workspace;
  /** The tarball's path. */
  readonly tarball: string;
  /** Paths inside it. */
  readonly files: readonly string[];
  /** Bytes of the tarball. */
  readonly size: number;
}

/** Packs a package into `destination`, as `npm publish` does. */
export async function pack(workspace: Workspace, destination: string): Promise<PackedPackage> {
  const { code, output, stdout } = await runNpm(
    ["pack", "--json", "--ignore-scripts", "--pack-destination", destination],
    { cwd: workspace.folder },
  );
  if (code !== 0) throw new Error(`npm pack of ${workspace.name} failed:\n${output}`);
  const [packed] = JSON.parse(stdout) as {
    readonly filename: string;
    readonly size: number;
    readonly files: readonly { readonly path: string }[];
  }[];
  if (packed === undefined)
    throw new Error(`npm pack of ${workspace.name} packed nothing:\n${output}`);
  const { filename, size, files } = packed;
  return {
    workspace,
    tarball: join(destination, filename),
    files: files.map(({ path }) => path),
    size,
  };
}

/**
 * Returns publint's messages about a packed package, and a message if its licence is missing. The
 * list is empty if the package is valid.
 */
export async function lintPacked({ tarball, files }: PackedPackage): Promise<string[]> {
  const content = await readFile(tarball);
  const { messages, pkg } = await publint({
    pack: { tarball: new Uint8Array(content).buffer },
    strict: true,
  });
  return [
    ...messages.map((message) => formatMessage(message, pkg, { color: false }) ?? message.code),
    ...(files.includes("LICENSE") ? [] : ["The LICENSE is not in the package."]),
  ];
}
