import { defineToolGroup, type ToolGroup } from "@capstan/core";
import type { ReadScriptsOptions } from "../read/read-scripts.ts";
import { checkScript } from "./check-script.ts";
import { writeATool } from "./write-a-tool-rule.ts";

export interface ScriptToolsOptions {
  readonly parsers: ReadScriptsOptions["parsers"];
}

/**
 * What a model needs to write tools: the rules, and a check of what it wrote. Nothing of it runs, and
 * nothing is saved: a file becomes tools once somebody puts it into a folder of tools.
 */
export function scriptTools(options: ScriptToolsOptions): ToolGroup {
  return defineToolGroup({
    name: "scripts",
    title: "Writing tools",
    description: "Checks tools that a model writes in Python or PowerShell.",
    tools: [checkScript(options.parsers)],
    declareSkillRules: {
      WriteATool: {
        desc: "How a file of tools is written, in Python or PowerShell",
        when: "Before you write or change a tool file",
        prompt: writeATool,
      },
    },
  });
}
