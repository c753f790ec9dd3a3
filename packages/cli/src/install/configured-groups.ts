import type { ToolGroup } from "@capstan/core";
import { findSandbox } from "@capstan/sandbox";
import { languageParsers } from "@capstan/scripts";
import { builtInGroups } from "./built-in-groups.ts";
import type { Configuration } from "../configuration/configuration.ts";

/**
 * The groups of an installation. Code that models write is run only where the configuration names
 * the group, `{"groups": {"code": true}}`: nobody gets it without having asked for it. So is
 * `scripts`, what a model needs to write tools.
 */
export async function configuredGroups(
  configuration: Pick<Configuration, "roots" | "dataDir" | "web" | "groups" | "code" | "scripts">,
): Promise<readonly ToolGroup[]> {
  const { roots, dataDir, web, groups, code, scripts } = configuration;
  const { python, powershell } = scripts;
  const wantsCode = groups["code"] !== undefined;
  return builtInGroups({
    roots,
    deny: [dataDir],
    allowPrivateHosts: web.allowPrivateHosts,
    ...(wantsCode && {
      code: {
        ...code,
        sandbox: (await findSandbox()).sandbox,
        ...(powershell !== undefined && { powershell }),
      },
    }),
    ...(groups["scripts"] !== undefined && {
      scripts: { parsers: languageParsers({ python }) },
    }),
  });
}
