import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, extname, join } from "node:path";
import { defineTool, type Tool, type ToolContext, toolError, type ToolError } from "@capstan/core";
import {
  findProgram,
  findPythonInstallation,
  makeTemporaryFolder,
  type ProgramEnd,
  type Sandbox,
} from "@capstan/sandbox";
import { z } from "zod";
import { FileError, returnFileErrors } from "../files/file-roots.ts";
import type { SkillCatalog } from "./skill-catalog.ts";
import { readSkill, versionOf } from "./skill-files.ts";

/** The folder of the skill inside the sandbox. */
const inside = "/skill";
const mostOutput = 200_000;

const parameters = z.object({
  skill: z.string().min(1),
  script: z
    .string()
    .min(1)
    .describe("A file of the skill: scripts/fill.py. Python, Bash or JavaScript."),
  version: z
    .string()
    .regex(/^[0-9a-f]{32}$/, { error: "the version that ReadSkill shows" })
    .describe("The version that ReadSkill shows."),
  args: z.array(z.string().max(10_000)).max(100).default([]),
  input: z.string().max(1_000_000).default("").describe("Its standard input."),
});

type Args = z.infer<typeof parameters>;

interface ScriptRun {
  readonly output: string;
  readonly exitCode: number;
}

/**
 * `RunSkillScript`: runs a script of a skill in the sandbox. An approval covers one version of the
 * skill. If a file of the skill changes, the call fails.
 */
export function runSkillScript(catalog: SkillCatalog, sandbox: Sandbox): Tool {
  return defineTool({
    name: "RunSkillScript",
    description:
      "Runs a script of a skill in a sandbox: without network, and with access to nothing but the skill's files, its arguments and its input.",
    parameters,
    examples: [
      {
        title: "A script with an argument and input.",
        args: {
          skill: "pdf-forms",
          script: "scripts/fields.py",
          version: "0123456789abcdef0123456789abcdef",
          args: ["--json"],
          input: "name,value",
        },
      },
    ],
    errors: {
      no_such_skill: "there is no skill of this name",
      not_found: "the skill has no such script",
      skill_changed: "the skill has another version now; read it again",
      no_version: "the skill has links, or too many files",
      unknown_language: "the script is not Python, Bash or JavaScript",
      missing_interpreter: "its interpreter is not installed",
      script_ended: "the script was ended or did not start",
    },
    effects: "write",
    idempotent: false,
    timeoutMs: 120_000,
    permission: {
      executionPolicy: "ask-always",
      grantScope: ({ skill, script, version }) => ({
        key: `${skill}@${version}/${script}`,
        title: `${script} of this version of the skill ${skill}`,
      }),
      preview: (args, context) => returnFileErrors(() => preview(catalog, args, context)),
    },
    compressArgs: ({ skill, script }) => `${skill}/${script}`,
    declaredReturnType: { type: "{output: string, exitCode: number}" },
    formatForLLM: ({ output, exitCode }: ScriptRun) => {
      const text = output === "" ? "[No output.]" : output;
      return exitCode === 0 ? text : `${text.replace(/\n$/, "")}\n[exit code ${exitCode}]`;
    },
    execute: (args, context) => returnFileErrors(() => run(catalog, sandbox, args, context)),
  });
}

/** Reads the skill, and checks that it still has the version in the call. @throws FileError */
async function readVersion(
  catalog: SkillCatalog,
  { skill: name, script, version }: Args,
  denied: Parameters<typeof readSkill>[1],
) {
  const { folder } = await catalog.find(name);
  const files = await readSkill(folder, denied);
  const now = versionOf(files);
  if (now !== version)
    throw new FileError(
      "skill_changed",
      `The skill ${name} has the version ${now}, not ${version}. Read it again with ReadSkill, because its files have changed.`,
    );
  const content = files.get(script);
  if (content === undefined)
    throw new FileError(
      "not_found",
      `The skill ${name} has no file ${JSON.stringify(script.slice(0, 200))}. Its scripts are: ${[...files.keys()].filter((path) => interpreterOf(path) !== undefined).join(", ") || "none"}.`,
    );
  if (interpreterOf(script) === undefined)
    throw new FileError("unknown_language", `${script} is not a Python, Bash or JavaScript file.`);
  return { files, content };
}

async function preview(
  catalog: SkillCatalog,
  args: Args,
  { denied }: Pick<ToolContext, "denied">,
): Promise<string> {
  const { content } = await readVersion(catalog, args, denied());
  const text = new TextDecoder().decode(content);
  return `Runs ${args.script} of the skill ${args.skill}, version ${args.version}:\n${text}`;
}

function interpreterOf(script: string): "python3" | "bash" | "node" | undefined {
  switch (extname(script)) {
    case ".py":
      return "python3";
    case ".sh":
    case ".bash":
      return "bash";
    case ".js":
    case ".mjs":
    case ".cjs":
      return "node";
    default:
      return undefined;
  }
}

async function run(
  catalog: SkillCatalog,
  sandbox: Sandbox,
  args: Args,
  context: ToolContext,
): Promise<ScriptRun | ToolError> {
  const { files } = await readVersion(catalog, args, context.denied());
  const name = interpreterOf(args.script) ?? "bash";
  const command = name === "node" ? process.execPath : findProgram(name);
  if (command === undefined)
    return toolError({
      code: "missing_interpreter",
      message: `${name} is not installed on the server. Tell the user.`,
    });
  // Run the script from a copy of the checked files, so that a later change has no effect.
  const folder = makeTemporaryFolder();
  try {
    for (const [path, content] of files) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    }
    const read =
      name === "python3"
        ? (await findPythonInstallation(command)).folders
        : command.startsWith("/usr/")
          ? []
          : [command];
    const { output, end } = await runProgram(sandbox, { command, folder, read }, args, context);
    if (end.status === "exited") return { output, exitCode: end.code };
    const why = end.status === "killed" ? `It was killed by ${end.signal}.` : end.message;
    return toolError({
      code: "script_ended",
      message: why,
      details: { output: output.slice(-2000) },
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runProgram(
  sandbox: Sandbox,
  {
    command,
    folder,
    read,
  }: { readonly command: string; readonly folder: string; readonly read: readonly string[] },
  { script, args, input }: Args,
  { signal, output, denied }: ToolContext,
): Promise<{ readonly output: string; readonly end: ProgramEnd }> {
  signal.throwIfAborted();
  const running = sandbox.start({
    command,
    args: [`${inside}/${script}`, ...args],
    env: { SKILL: inside },
    shown: [{ at: inside, from: folder }],
    read,
    denied: denied(),
  });
  let text = "";
  let dropped = 0;
  const decoder = { out: new TextDecoder(), err: new TextDecoder() };
  const take = (piece: Buffer, from: "out" | "err") => {
    const more = decoder[from].decode(piece, { stream: true });
    const room = Math.max(0, mostOutput - text.length);
    if (room > 0) output.write(more.slice(0, room));
    text += more.slice(0, room);
    dropped += Math.max(0, more.length - room);
  };
  running.stdout.on("data", (piece: Buffer) => take(piece, "out"));
  running.stderr.on("data", (piece: Buffer) => take(piece, "err"));
  const closed = Promise.all(
    [running.stdout, running.stderr].map(
      (stream) => new Promise<void>((resolve) => void stream.once("close", resolve)),
    ),
  );
  const stopped = Promise.withResolvers<never>();
  const abort = () => {
    running.kill();
    stopped.reject(signal.reason as Error);
  };
  signal.addEventListener("abort", abort, { once: true });
  try {
    // A script may exit without reading its input.
    running.stdin.on("error", () => {});
    running.stdin.end(input);
    const end = await Promise.race([running.ended, stopped.promise]);
    await Promise.race([closed, stopped.promise]);
    const note = dropped > 0 ? `\n[${dropped} more characters of output]` : "";
    return { output: text.toWellFormed() + note, end };
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
