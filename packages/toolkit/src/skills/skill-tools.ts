import { defineToolGroup, type MissingNeed, type ToolGroup, withNeed } from "@capstan/core";
import type { Sandbox } from "@capstan/sandbox";
import type { FileToolsOptions } from "../files/file-roots.ts";
import { listSkills } from "./list-skills.ts";
import { indexLine } from "./plain-text.ts";
import { readInstructions, rootsWithInstructions } from "./read-instructions.ts";
import { readSkill } from "./read-skill.ts";
import { runSkillScript } from "./run-skill-script.ts";
import type { SkillCatalog } from "./skill-catalog.ts";

/** The skills, and the folders with instructions for agents. */
export interface SkillToolsOptions extends FileToolsOptions {
  /** The skills. Without folders, the tools are listed with a setup hint. */
  readonly catalog: SkillCatalog;
  readonly sandbox: Sandbox;
  /** Advice on how to install a sandbox. Present if there is none. */
  readonly sandboxFix?: string;
}

const folders: MissingNeed = {
  needs: "a folder of skills",
  fix: 'Name one in capstan.config.json: {"skills": ["~/skills"]}.',
};
/** The characters of the index of skills in the prompt. */
const mostIndex = 8000;

/**
 * Tools for skills, which are folders with a `SKILL.md`, and for the `AGENTS.md` of the roots. The
 * prompt lists the name and the description of each skill; the model reads the rest when it needs
 * it. Only `RunSkillScript` runs code: in the sandbox, after an approval, and in the approved
 * version.
 */
export function skillTools(options: SkillToolsOptions): ToolGroup {
  const { catalog, sandbox, sandboxFix } = options;
  const noSandbox: MissingNeed = {
    needs: "a sandbox",
    ...(sandboxFix !== undefined && { fix: sandboxFix }),
  };
  const missing = catalog.hasFolders ? undefined : folders;
  const forScripts = missing ?? (sandbox.kind === "none" ? noSandbox : undefined);
  return defineToolGroup({
    name: "skills",
    title: "Skills",
    description: "Instructions that the model reads when it needs them.",
    tools: [
      ...withNeed(missing, [listSkills(catalog), readSkill(catalog)]),
      ...withNeed(forScripts, [runSkillScript(catalog, sandbox)]),
      readInstructions(options),
    ],
    rulePrompt: (names) =>
      [
        ...(names.includes("ReadSkill") ? [skillIndex(catalog)] : []),
        ...(names.includes("ReadInstructions") ? [instructionIndex(options)] : []),
      ]
        .filter((part) => part !== "")
        .join("\n"),
  });
}

/** Returns the names and descriptions of the skills. */
function skillIndex(catalog: SkillCatalog): string {
  const { skills } = catalog.known();
  if (skills.length === 0) return "";
  const lines: string[] = [];
  let length = 0;
  for (const { name, description } of skills) {
    const line = `- ${name}: ${indexLine(description, 200)}`;
    length += line.length;
    if (length > mostIndex) break;
    lines.push(line);
  }
  const rest = skills.length - lines.length;
  const more = rest > 0 ? `\nListSkills lists ${rest} more.` : "";
  return `Before work that one of these skills describes, read it with ReadSkill:\n${lines.join("\n")}${more}`;
}

function instructionIndex(options: SkillToolsOptions): string {
  const found = rootsWithInstructions(options);
  if (found.length === 0) return "";
  return `${found.join(", ")}: notes of the authors for agents. Read them with ReadInstructions before you change files there. The user and these rules come first.`;
}
