import { chownSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CapstanError, type DeniedResources } from "@capstan/core";
import { type ResolveHost, resolveBySystem } from "./checked-agent.ts";
import type { PythonInstallation } from "../process/python-installation.ts";
import { withoutUnixSockets } from "../process/seccomp-filter.ts";
import { makeTemporaryFolder } from "../process/temporary-folder.ts";
import { openForwardProxy } from "./forward-proxy.ts";
import type { NetworkAccess } from "./network-access.ts";

/**
 * The same path from the source and from the build, which are both two folders below the package.
 */
const forwarder = fileURLToPath(new URL("../../src/network/forwarder.py", import.meta.url));

const port = "3128";
const folderInside = "/capstan-network";

/** The connection between a program in its own network namespace and the network. */
export interface ConfinedNetwork {
  /**
   * The prefix of the program's command inside the sandbox, which becomes the namespace's first
   * process.
   */
  readonly command: readonly string[];
  readonly read: readonly string[];
  readonly shown: { readonly at: string; readonly from: string };
  readonly env: { readonly [name: string]: string };
  close(): void;
}

/**
 * Gives one program access to the network. A proxy listens on a socket that the program sees, and a
 * port inside the sandbox leads to that socket, because programs address proxies by port.
 *
 * @param options.user the user that connects to the socket, if it differs from this process's user
 * @throws CapstanError `network_unavailable` if there is no Python
 */
export function confinedNetwork(options: {
  readonly access: NetworkAccess;
  readonly denied?: Pick<DeniedResources, "hosts"> | undefined;
  readonly python: PythonInstallation | undefined;
  readonly user?: number | undefined;
  /** @default the system's resolver */
  readonly resolve?: ResolveHost | undefined;
}): ConfinedNetwork {
  const { access, denied, python, user, resolve = resolveBySystem } = options;
  if (python === undefined)
    throw new CapstanError({
      code: "network_unavailable",
      message:
        "Network access in the sandbox needs Python 3, which is not on PATH. Install python3.",
    });
  const folder = makeTemporaryFolder();
  const path = join(folder, "proxy");
  const filter = join(folder, "filter");
  writeFileSync(filter, withoutUnixSockets(process.arch) ?? "");
  const proxy = openForwardProxy({ path, access, denied, resolve });
  if (user !== undefined) for (const one of [folder, path, filter]) chownSync(one, user, user);
  const address = `http://127.0.0.1:${port}`;
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];
  return {
    command: [python.executable, "-I", "-S", forwarder, port, folderInside],
    read: [forwarder, ...python.folders],
    shown: { at: folderInside, from: folder },
    env: {
      ...Object.fromEntries(
        names.flatMap((name) => [name, name.toLowerCase()]).map((name) => [name, address]),
      ),
      // Node.js uses the proxy variables only if this one is set.
      NODE_USE_ENV_PROXY: "1",
    },
    close() {
      proxy.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
