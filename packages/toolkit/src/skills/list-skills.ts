import { defineTool, type Tool } from "@capstan/core";
import { z } from "zod";
import { indexLine } from "./plain-text.ts";
import type { FoundSkills, SkillCatalog } from "./skill-catalog.ts";

const parameters = z.object({
  search: z.string().min(1).optional().describe("Words of the name or the description."),
});

/** `ListSkills`: lists the skills with their whole descriptions. */
export function listSkills(catalog: SkillCatalog): Tool {
  return defineTool({
    name: "ListSkills",
    description: "Lists the skills with their descriptions, and folders that are not valid skills.",
    parameters,
    examples: [{ title: "Skills on spreadsheets.", args: { search: "spreadsheet" } }],
    effects: "read",
    permission: { executionPolicy: "auto" },
    declaredReturnType: { type: "{skills: {name, description}[], problems: string[]}" },
    formatForLLM: ({ skills, problems }: Pick<FoundSkills, "problems"> & { skills: Listed[] }) =>
      [
        ...skills.map(({ name, description }) => `- ${name}: ${indexLine(description, 1024)}`),
        ...(skills.length === 0 ? ["There is no such skill."] : []),
        ...problems.slice(0, 20).map((problem) => `Not used: ${indexLine(problem, 300)}`),
      ].join("\n"),
    execute: async ({ search }) => {
      const { skills, problems } = await catalog.read();
      const words = search?.toLowerCase().split(/\s+/) ?? [];
      const found = skills.filter(({ name, description }) =>
        words.every((word) => `${name} ${description}`.toLowerCase().includes(word)),
      );
      return { skills: found.map(({ name, description }) => ({ name, description })), problems };
    },
  });
}

interface Listed {
  readonly name: string;
  readonly description: string;
}
