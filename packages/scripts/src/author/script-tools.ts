import { defineTool, defineToolGroup, type Tool, toolError, type ToolGroup } from "@capstan/core";
import type { ReadScriptsOptions } from "../read/read-scripts.ts";
import { writeATool } from "./write-a-tool-rule.ts";
import { z } from "zod";
import { checkSource } from "./check-source.ts";

/** Options of `scriptTools`. */
export interface ScriptToolsOptions {
  readonly parsers: ReadScriptsOptions["parsers"];
}

/**
 * Creates the rule and the check with which a model writes tools. They neither run nor save the
 * text: it becomes tools when a user moves it into a tools folder.
 */
export function scriptTools(options: ScriptToolsOptions): ToolGroup {
  return defineToolGroup({
    name: "scripts",
    title: "Writing tools",
    description: "Checks tools that a model writes in Python or PowerShell.",
    tools: [checkScript(options.parsers)],
    declareSkillRules: {
      WriteATool: {
        desc: "How to write a tool file in Python or PowerShell",
        when: "Before you write or change a tool file",
        prompt: writeATool,
      },
    },
  });
}

const maxCharacters = 500_000;

/** Reads the text of a script like a file in a tools folder, without running it. */
function checkScript(parsers: ReadScriptsOptions["parsers"]): Tool {
  return defineTool({
    name: "CheckScript",
    description:
      "Lists the tools of a Python or PowerShell file with their parameters, and its problems by line. Runs nothing, saves nothing.",
    parameters: z.object({
      language: z.enum(["python", "powershell"]),
      source: z.string().describe("The whole text of the file"),
    }),
    effects: "read",
    examples: [
      {
        title: "Check a Python file.",
        args: {
          language: "python",
          source: 'def double(n: int) -> int:\n    """Doubles a number."""\n    return 2 * n\n',
        },
      },
    ],
    errors: { source_too_long: "The source has more than 500,000 characters." },
    permission: { executionPolicy: "auto" },
    async execute({ language, source }, { signal }) {
      if (source.length > maxCharacters)
        return toolError({
          code: "source_too_long",
          message: `The source has ${source.length} characters; up to ${maxCharacters} are read. Keep data in a separate file.`,
        });
      const { functions, declared, problems } = await checkSource(
        parsers,
        { language, source },
        signal,
      );
      return {
        tools: functions.map(({ name, description, parameters, returns, hasFormat, line }) => ({
          name,
          line,
          description,
          parameters,
          ...(returns != null && { returns }),
          hasFormat,
        })),
        declared,
        problems,
      };
    },
  });
}
