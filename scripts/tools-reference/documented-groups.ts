import type { ToolGroup } from "@capstan/core";
import { unconfined } from "@capstan/sandbox";
import { languageParsers } from "@capstan/scripts";
import { SkillCatalog } from "@capstan/toolkit";
import { builtInGroups } from "capstan";

/**
 * Returns the built-in groups as a machine without keys and interpreters has them, so that the
 * reference is the same on every machine.
 *
 * @param root the folder of the file tools
 */
export function documentedGroups(root: string, changes: string): readonly ToolGroup[] {
  return builtInGroups({
    roots: [root],
    changes,
    code: {
      sandbox: { ...unconfined, kind: "bubblewrap" },
      find: () => undefined,
      packages: { folder: changes, environment: {} },
    },
    skills: { catalog: SkillCatalog.none(), sandbox: { ...unconfined, kind: "bubblewrap" } },
    scripts: { parsers: languageParsers() },
  });
}
