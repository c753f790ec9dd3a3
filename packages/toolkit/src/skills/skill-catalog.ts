import { readdir, realpath } from "node:fs/promises";
import { basename, join } from "node:path";
import { FileError } from "../files/file-roots.ts";
import { readFrontMatter } from "./read-front-matter.ts";
import { readSkillFile } from "./skill-files.ts";
import { withoutHidden } from "./plain-text.ts";

/** A skill: a folder with a `SKILL.md`. */
export interface Skill {
  readonly name: string;
  /** One line of at most 1,024 visible characters. */
  readonly description: string;
  /** The absolute path, with links resolved. */
  readonly folder: string;
}

/** The skills of the configured folders. */
export interface FoundSkills {
  readonly skills: readonly Skill[];
  /** Folders with a `SKILL.md` that are not valid skills, each with the reason. */
  readonly problems: readonly string[];
}

const mostFolders = 2000;
const mostDepth = 4;
const mostSkills = 200;
const mostDescription = 1024;
/** The age after which the skills are read again before an index is created, in ms. */
const freshMs = 2000;

/** The skills of an installation. Reads their folders again when the skills are used. */
export class SkillCatalog {
  readonly #folders: readonly string[];
  #found: FoundSkills = { skills: [], problems: [] };
  #readAt = 0;
  #reading: Promise<FoundSkills> | undefined;

  private constructor(folders: readonly string[]) {
    this.#folders = folders;
  }

  /** Returns a catalogue without folders. */
  static none(): SkillCatalog {
    return new SkillCatalog([]);
  }

  /** Opens a catalogue and reads its folders. */
  static async open(folders: readonly string[]): Promise<SkillCatalog> {
    const catalog = new SkillCatalog(folders);
    await catalog.read();
    return catalog;
  }

  get hasFolders(): boolean {
    return this.#folders.length > 0;
  }

  /** Returns the cached skills, and refreshes them in the background. */
  known(): FoundSkills {
    if (Date.now() - this.#readAt > freshMs) void this.read().catch(() => {});
    return this.#found;
  }

  /** Reads the current skills. */
  async read(): Promise<FoundSkills> {
    this.#reading ??= findSkills(this.#folders).finally(() => (this.#reading = undefined));
    this.#found = await this.#reading;
    this.#readAt = Date.now();
    return this.#found;
  }

  /** @throws FileError `no_such_skill` */
  async find(name: string): Promise<Skill> {
    const { skills } = await this.read();
    const found = skills.find((skill) => skill.name === name);
    if (found !== undefined) return found;
    const names = skills.slice(0, 50).map((skill) => skill.name);
    throw new FileError(
      "no_such_skill",
      `There is no skill ${JSON.stringify(name.slice(0, 100))}. The skills are: ${names.join(", ") || "none"}.`,
    );
  }
}

async function findSkills(folders: readonly string[]): Promise<FoundSkills> {
  const skills = new Map<string, Skill>();
  const problems: string[] = [];
  for (const folder of folders) {
    const root = await realpath(folder).catch(() => undefined);
    if (root === undefined) {
      problems.push(`There is no folder ${folder}.`);
      continue;
    }
    for (const found of await foldersOfSkills(root, problems)) {
      const read = await readSkillHead(found);
      if (read.status === "invalid") problems.push(`${found}: ${read.problem}.`);
      else if (read.status === "found") {
        const { skill } = read;
        const same = skills.get(skill.name);
        if (same !== undefined)
          problems.push(`${found}: the skill of ${same.folder} has the same name, ${skill.name}.`);
        else if (skills.size >= mostSkills)
          problems.push(`${found}: only the first ${mostSkills} skills are used.`);
        else {
          skills.set(skill.name, skill);
          if (basename(found) !== skill.name)
            problems.push(
              `${found}: the folder does not have the name of its skill, ${skill.name}.`,
            );
        }
      }
    }
  }
  return { skills: [...skills.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)), problems };
}

/** Returns the folders with a `SKILL.md`, in the order of their names. Links are not followed. */
async function foldersOfSkills(root: string, problems: string[]): Promise<readonly string[]> {
  const found: string[] = [];
  const waiting = [{ folder: root, depth: 0 }];
  let seen = 0;
  for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) {
    if (++seen > mostFolders) {
      problems.push(`${root}: only the first ${mostFolders} folders are searched.`);
      break;
    }
    const entries = await readdir(at.folder, { withFileTypes: true }).catch(() => []);
    const head = entries.find((entry) => entry.name === "SKILL.md");
    if (head?.isFile() === true) {
      found.push(at.folder);
      continue;
    }
    if (head !== undefined) problems.push(`${at.folder}: SKILL.md is not an ordinary file.`);
    if (at.depth >= mostDepth) continue;
    const { folder, depth } = at;
    waiting.push(
      ...entries
        .filter((entry) => entry.isDirectory() && !/^(\.|node_modules$)/.test(entry.name))
        .map((entry) => ({ folder: join(folder, entry.name), depth: depth + 1 }))
        .toSorted((a, b) => (a.folder < b.folder ? -1 : 1)),
    );
  }
  return found;
}

type SkillHead =
  | { readonly status: "found"; readonly skill: Skill }
  | { readonly status: "hidden" }
  | { readonly status: "invalid"; readonly problem: string };

const noRules = { paths: [], hosts: [] };

async function readSkillHead(folder: string): Promise<SkillHead> {
  let text: string;
  try {
    text = Buffer.from(await readSkillFile(folder, "SKILL.md", noRules)).toString("utf8");
  } catch (error) {
    if (error instanceof FileError)
      return { status: "invalid", problem: error.message.replace(/\.$/, "") };
    return { status: "invalid", problem: "SKILL.md cannot be read" };
  }
  const front = await readFrontMatter(text);
  if (front.status === "invalid") return front;
  const { name, description, isHidden } = front.fields;
  if (isHidden) return { status: "hidden" };
  const visible = withoutHidden(description).text.replaceAll(/\s+/g, " ").trim();
  if (visible === "") return { status: "invalid", problem: "`description` has no visible text" };
  const short = visible.slice(0, mostDescription).toWellFormed();
  return { status: "found", skill: { name, description: short, folder } };
}
