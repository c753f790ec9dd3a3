import { defineTool, toolError, type Tool } from "@capstan/core";
import { z } from "zod";
import type { ReadScriptsOptions } from "../read/read-scripts.ts";
import { checkSource } from "./check-source.ts";

const maxCharacters = 500_000;

/** Reads the text of a script as a folder of tools would, without running it. */
export function checkScript(parsers: ReadScriptsOptions["parsers"]): Tool {
  return defineTool({
    name: "CheckScript",
    description:
      "Says which tools a Python or PowerShell file gives, with their parameters, and what is wrong with it, by line. Runs nothing, saves nothing.",
    parameters: z.object({
      language: z.enum(["python", "powershell"]),
      source: z.string().describe("The whole text of the file"),
    }),
    effects: "read",
    permission: { executionPolicy: "auto" },
    async execute({ language, source }, { signal }) {
      if (source.length > maxCharacters)
        return toolError({
          code: "source_too_long",
          message: `The source has ${source.length} characters; up to ${maxCharacters} are read. Keep data in a file beside it.`,
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
