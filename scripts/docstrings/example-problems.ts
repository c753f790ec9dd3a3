import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import { API, type Project } from "typescript/unstable/sync";
import { readExamples } from "./read-examples.ts";

/** An example in a docstring that the compiler rejects. */
export interface ExampleProblem {
  /** The file of the docstring, from the root. */
  readonly file: string;
  /** 1-based, of the example's first line. */
  readonly line: number;
  readonly message: string;
}

interface Example {
  readonly line: number;
  readonly code: string;
  /** The missing names of the example, with their types. */
  readonly given: Map<string, string>;
}

/** Codes for a name that does not exist. */
const missingName = [2304, 2552, 18004];
/** Codes for type imports, unused variables, unreachable code and parameters without a type. */
const harmless = [1361, 6133, 6192, 6196, 6198, 7006, 7027, 7031];
/** Names of other libraries that examples use, with their types. */
const libraries: { readonly [name: string]: string } = { z: 'typeof import("zod").z' };

/**
 * Type-checks the examples in docstrings. Each example is compiled as a function at the end of its
 * file. Names that the file does not have come from the package's entry point. Other names, for
 * example `client` or `signal`, can be values of any type, unless they look like a misspelt name.
 *
 * All packages are one program, because opening a program takes longer than checking its examples.
 *
 * @param root the repository's root, an absolute path
 * @param folders the packages' folders from the root
 * @param settings the `tsconfig.json`, from the root, with the compiler's options
 */
export function exampleProblems(
  root: string,
  folders: readonly string[],
  settings: string,
): readonly ExampleProblem[] {
  const packages = folders.map((folder) => readPackage(join(root, folder)));
  const sources = packages.flatMap((one) => one.sources);
  // The page has no entry point.
  const entries = packages.map(({ entry }) => entry).filter((entry) => existsSync(entry));
  const declarations = folders.flatMap((folder) =>
    globSync(`${folder}/src/**/*.d.ts`, { cwd: root }).map((file) => join(root, file)),
  );
  const cache = join(root, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "examples-"));
  const tsconfig = join(folder, "tsconfig.json");
  const files = [...new Set([...entries, ...sources.map(({ file }) => file), ...declarations])];
  const extended = { extends: join(root, settings), files, include: [] };
  writeFileSync(tsconfig, JSON.stringify(extended));
  const texts = new Map<string, string>();
  const write = () => {
    for (const { file, text, examples } of sources) texts.set(file, withExamples(text, examples));
  };
  write();
  const api = new API({ cwd: root, fs: { readFile: (path) => texts.get(path) } });
  const open = (changed: readonly string[]): Project => {
    const snapshot = api.updateSnapshot({
      openProjects: [tsconfig],
      ...(changed.length > 0 && { fileChanges: { changed: [...changed] } }),
    });
    const project = snapshot.getProject(tsconfig);
    if (project === undefined) throw new Error(`TypeScript cannot open ${tsconfig}.`);
    return project;
  };
  try {
    const changed = addMissingNames(open([]), packages);
    write();
    return problemsOf(open(changed), root, sources);
  } finally {
    api.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Source {
  /** The absolute path. */
  readonly file: string;
  readonly text: string;
  readonly examples: readonly Example[];
}

interface Package {
  /** The entry point, an absolute path. */
  readonly entry: string;
  /** The files with examples. */
  readonly sources: readonly Source[];
}

function readPackage(folder: string): Package {
  const sources = globSync("src/**/*.{ts,tsx}", { cwd: folder })
    .filter((file) => !/\.(test|d)\.tsx?$/.test(file))
    .flatMap((path) => {
      const file = join(folder, path);
      const text = readFileSync(file, "utf8");
      const examples = readExamples(text, file).map((one) => ({ ...one, given: new Map() }));
      return examples.length === 0 ? [] : [{ file, text, examples }];
    });
  return { entry: join(folder, "src/index.ts"), sources };
}

/** Declares the missing names of each example. Returns the files that this changes. */
function addMissingNames(
  { program, checker }: Project,
  packages: readonly Package[],
): readonly string[] {
  const changed = new Set<string>();
  for (const { entry, sources } of packages) {
    const index = program.getSourceFile(entry);
    const module = index && checker.getSymbolAtLocation(index);
    const exported = new Set(module && checker.getExportsOfModule(module).map(({ name }) => name));
    // Collect all names before any is declared, because each one changes the offsets of later examples.
    const missing = sources.flatMap(({ file, text, examples }) => {
      const extended = withExamples(text, examples);
      return program
        .getSemanticDiagnostics(file)
        .filter(({ code }) => missingName.includes(code))
        .map(({ pos, end, text: message }) => ({
          file,
          example: exampleAt(text, examples, pos),
          name: extended.slice(pos, end).trim(),
          isMisspelt: isMisspelt(message, text),
        }));
    });
    for (const { file, example, name, isMisspelt: isWrong } of missing) {
      if (exported.has(name)) example?.given.set(name, `typeof import("${entry}").${name}`);
      else if (!isWrong) example?.given.set(name, libraries[name] ?? "any");
      changed.add(file);
    }
  }
  return [...changed];
}

function problemsOf(
  { program }: Project,
  root: string,
  sources: readonly Source[],
): readonly ExampleProblem[] {
  return sources.flatMap(({ file, text, examples }) =>
    [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].flatMap(
      ({ code, pos, text: message }) => {
        const example = exampleAt(text, examples, pos);
        if (example === undefined || harmless.includes(code)) return [];
        return { file: relative(root, file), line: example.line, message };
      },
    ),
  );
}

/** Whether the compiler suggests a name of the file itself: the example probably misspells it. */
function isMisspelt(message: string, text: string): boolean {
  const [, suggested] = /Did you mean '([^']+)'/.exec(message) ?? [];
  return suggested !== undefined && new RegExp(`\\b${RegExp.escape(suggested)}\\b`).test(text);
}

/** Returns the text of a file with a function for each example at its end. */
function withExamples(text: string, examples: readonly Example[]): string {
  return text + examples.map((example, index) => exampleFunction(example, index)).join("");
}

function exampleFunction({ code, given }: Example, index: number): string {
  const parameters = [...given].map(([name, type]) => `${name}: ${type}`).join(", ");
  return `\nasync function* example${index}(${parameters}): AsyncGenerator<unknown, unknown, any> {\n${code}\nreturn;\n}\n`;
}

/** Returns the example that contains an offset of the extended file, or undefined if none does. */
function exampleAt<T extends Example>(
  text: string,
  examples: readonly T[],
  offset: number,
): T | undefined {
  let end = text.length;
  if (offset < end) return undefined;
  for (const [index, example] of examples.entries()) {
    end += exampleFunction(example, index).length;
    if (offset < end) return example;
  }
  return undefined;
}
