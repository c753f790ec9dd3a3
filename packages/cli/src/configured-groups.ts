import type { ToolGroup } from "@capstan/core";
import { findSandbox } from "@capstan/toolkit";
import { builtInGroups } from "./built-in-groups.ts";
import type { Configuration } from "./configuration/configuration.ts";

/**
 * The groups of an installation. Code that models write is run only where the configuration names
 * the group, `{"groups": {"code": true}}`: nobody gets it without having asked for it.
 */
export async function configuredGroups(
  configuration: Pick<Configuration, "roots" | "dataDir" | "web" | "groups" | "code">,
): Promise<readonly ToolGroup[]> {
  const { roots, dataDir, web, groups, code } = configuration;
  const wantsCode = groups["code"] !== undefined;
  return builtInGroups({
    roots,
    deny: [dataDir],
    allowPrivateHosts: web.allowPrivateHosts,
    ...(wantsCode && { code: { ...code, sandbox: (await findSandbox()).sandbox } }),
  });
}
