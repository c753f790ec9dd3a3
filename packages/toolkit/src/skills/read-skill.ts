import { defineTool, type Tool, type ToolContext } from "@capstan/core";
import { z } from "zod";
import { FileError, returnFileErrors } from "../files/file-roots.ts";
import { countOf, formatBytes } from "../text/format-bytes.ts";
import { withoutHidden } from "./plain-text.ts";
import { readFrontMatter } from "./read-front-matter.ts";
import type { SkillCatalog } from "./skill-catalog.ts";
import {
  listSkillFiles,
  readSkill as readAll,
  readSkillFile,
  versionOf,
  type SkillFile,
} from "./skill-files.ts";

const pageCharacters = 20_000;

const parameters = z.object({
  skill: z.string().min(1).describe("Its name in the list of skills."),
  file: z
    .string()
    .min(1)
    .optional()
    .describe("A file of the skill, such as references/guide.md. Default: SKILL.md."),
  fromLine: z.int().min(1).default(1),
});

interface SkillText {
  readonly skill: string;
  readonly file: string;
  readonly text: string;
  /** The first line of the next page. */
  readonly next?: number;
  /** The number of invisible characters that were removed. */
  readonly hidden: number;
  /** Only for `SKILL.md`: the other files, and the version for RunSkillScript. */
  readonly files?: readonly SkillFile[];
  readonly version?: string;
  readonly problem?: string;
}

/** `ReadSkill`: reads the instructions or another file of a skill. */
export function readSkill(catalog: SkillCatalog): Tool {
  return defineTool({
    name: "ReadSkill",
    description:
      "Reads the instructions of a skill, or one of its files. Read a skill before work that its description names.",
    parameters,
    examples: [
      { title: "A file of a skill.", args: { skill: "pdf-forms", file: "references/fields.md" } },
    ],
    errors: {
      no_such_skill: "there is no skill of this name",
      not_found: "the skill has no such file",
      invalid_path: "the path leads out of the skill",
      linked_path: "links are not followed",
      not_text: "the file is not text",
      too_large: "the file is larger than 1 MB",
    },
    effects: "read",
    permission: { executionPolicy: "auto" },
    DEFAULT_OUTPUT_LIMIT_CHAR: pageCharacters + 10_000,
    compressArgs: ({ skill, file }) => (file === undefined ? skill : `${skill}/${file}`),
    declaredReturnType: { type: "{skill, file, text, next?, hidden, files?, version?, problem?}" },
    formatForLLM: format,
    execute: (args, context) => returnFileErrors(() => read(catalog, args, context)),
  });
}

async function read(
  catalog: SkillCatalog,
  { skill: name, file = "SKILL.md", fromLine }: z.infer<typeof parameters>,
  context: ToolContext,
): Promise<SkillText> {
  const { folder } = await catalog.find(name);
  const denied = context.denied();
  const content = await readSkillFile(folder, file, denied);
  if (content.includes(0))
    throw new FileError("not_text", `"${file}" is not text. A script of the skill can read it.`);
  const whole = new TextDecoder().decode(content);
  const front = file === "SKILL.md" ? await readFrontMatter(whole) : undefined;
  const { text, removed } = withoutHidden(front?.status === "read" ? front.body : whole);
  const lines = text.replace(/\n$/, "").split("\n");
  const page: string[] = [];
  let length = 0;
  for (const line of lines.slice(fromLine - 1)) {
    length += line.length + 1;
    if (page.length > 0 && length > pageCharacters) break;
    page.push(line.slice(0, pageCharacters).toWellFormed());
  }
  const next = fromLine + page.length;
  const shown = {
    skill: name,
    file,
    text: page.join("\n"),
    hidden: removed,
    ...(next <= lines.length && { next }),
  };
  if (front === undefined) return shown;
  const { files, problem } = await listSkillFiles(folder);
  if (problem !== undefined) return { ...shown, files, problem };
  return { ...shown, files, version: versionOf(await readAll(folder, denied)) };
}

function format({ skill, file, text, next, hidden, files, version, problem }: SkillText): string {
  const others = (files ?? []).filter(({ path }) => path !== "SKILL.md");
  return [
    `Skill ${skill}, ${file}`,
    ...(hidden > 0 ? [`[${countOf(hidden, "invisible character")} removed]`] : []),
    text,
    ...(next === undefined ? [] : [`[More with fromLine ${next}]`]),
    ...(others.length === 0
      ? []
      : [
          `Files: ${others
            .slice(0, 100)
            .map(({ path, bytes }) => `${path} (${formatBytes(bytes)})`)
            .join(", ")}`,
        ]),
    ...(version === undefined || others.length === 0
      ? []
      : [`Version for RunSkillScript: ${version}`]),
    ...(problem === undefined ? [] : [`Its scripts cannot run, because ${problem}.`]),
  ].join("\n");
}
