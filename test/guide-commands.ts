import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { findProgram } from "@capstan/sandbox";
import { root } from "../scripts/command.ts";
import { sourceCondition } from "../scripts/source-condition.ts";
import { bundled, command } from "./server-scripts.ts";

/** A guide with its fenced blocks. */
export interface Guide {
  readonly text: string;
  /** Returns the only block that contains a text, and marks it as tested. */
  block(text: string): string;
  /** Returns the blocks in a language, and marks them as tested. */
  blocks(language: string): readonly string[];
  /** The blocks that no test has asked for. */
  untested(): readonly string[];
}

export async function readGuide(name: string): Promise<Guide> {
  const text = await readFile(join(root, `docs/guides/${name}.md`), "utf8");
  const all = [...text.matchAll(/^```(\w*)\n([^]*?)^```$/gm)].map(
    ([, language = "", code = ""]) => ({ language, code }),
  );
  const tested = new Set<string>();
  const take = (code: string) => {
    tested.add(code);
    return code;
  };
  return {
    text,
    block: (part) => {
      const found = all.filter(({ code }) => code.includes(part));
      assert.equal(found.length, 1, `${name}.md has ${found.length} blocks with: ${part}`);
      return take(found[0]?.code ?? "");
    },
    blocks: (language) =>
      all.filter((one) => one.language === language).map(({ code }) => take(code)),
    untested: () => all.map(({ code }) => code).filter((code) => !tested.has(code)),
  };
}

export interface ShellOptions {
  /** The working directory. */
  readonly folder: string;
  readonly environment?: { readonly [name: string]: string };
  /** Standard input. @default empty */
  readonly input?: string;
  /** Ends the commands and all processes that they started. */
  readonly signal?: AbortSignal;
}

/** The environment of a reader: `capstan` is on PATH, and no settings of the tests' user apply. */
export async function readerEnvironment(folder: string): Promise<Record<string, string>> {
  const bin = join(folder, ".bin");
  await mkdir(bin, { recursive: true });
  const main = bundled(command);
  const file = join(bin, "capstan");
  await writeFile(
    file,
    `#!/bin/sh\nexec '${process.execPath}' ${sourceCondition} '${main}' "$@"\n`,
  );
  await chmod(file, 0o755);
  return {
    PATH: `${bin}:${process.env["PATH"] ?? ""}`,
    HOME: folder,
    TMPDIR: tmpdir(),
    OLLAMA_HOST: "127.0.0.1:9",
    NODE_COMPILE_CACHE: join(root, "node_modules/.cache/compile"),
    // Programs that use a pager or colours would print other text.
    TERM: "dumb",
    NO_COLOR: "1",
  };
}

/**
 * Runs shell commands until the first one that fails. Returns the exit code, and standard output
 * and error in their order of arrival.
 */
export async function runShell(
  commands: string,
  { folder, environment = {}, input = "", signal }: ShellOptions,
): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn("bash", ["--norc", "-euo", "pipefail", "-c", commands], {
    cwd: folder,
    env: { ...(await readerEnvironment(folder)), ...environment },
    // A group of its own, without a terminal: all its processes end together.
    detached: true,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const end = () => {
    try {
      process.kill(-(child.pid ?? 0), "SIGKILL");
    } catch {
      // All processes of the group have ended.
    }
  };
  process.prependOnceListener("exit", end);
  signal?.addEventListener("abort", end, { once: true });
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  process.off("exit", end);
  return { code, output };
}

/** A text to type after a prompt has appeared. */
interface Answer {
  readonly prompt: string;
  readonly text: string;
}

/**
 * Runs a command in a terminal of its own and types the answers, each after its prompt. Returns
 * the text on the screen without control sequences.
 */
export async function runInTerminal(
  command: string,
  answers: readonly Answer[],
  { folder, environment = {} }: ShellOptions,
): Promise<string> {
  const child = spawn(
    findProgram("script") ?? "",
    ["-qefc", `stty cols 120; ${command}`, "/dev/null"],
    {
      cwd: folder,
      env: { ...(await readerEnvironment(folder)), ...environment },
    },
  );
  const kill = () => void child.kill("SIGKILL");
  process.prependOnceListener("exit", kill);
  let shown = "";
  let from = 0;
  let next = 0;
  child.stdin.on("error", () => {});
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    shown += chunk;
    const answer = answers[next];
    const at = answer === undefined ? -1 : shown.indexOf(answer.prompt, from);
    if (answer === undefined || at === -1) return;
    next += 1;
    from = shown.length;
    child.stdin.write(`${answer.text}\r`);
  });
  await new Promise((resolve) => child.once("close", resolve));
  process.off("exit", kill);
  return stripVTControlCharacters(shown).replaceAll("\r", "");
}

/** A command of a transcript, its expected output, and the answers that it types. */
export interface TranscriptStep {
  readonly command: string;
  readonly expected: readonly string[];
  readonly answers: readonly Answer[];
}

/** Reads a block of `$ command` lines, each followed by its output. */
export function transcriptSteps(block: string): readonly TranscriptStep[] {
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [command = "", ...lines] = part.trimEnd().split("\n");
      const answers = lines.flatMap((line) => {
        const [, prompt, text] = /(\[y\/N\]) (\w+)$/.exec(line) ?? [];
        return prompt === undefined || text === undefined ? [] : [{ prompt, text }];
      });
      return { command, expected: lines, answers };
    });
}

/**
 * Checks that the output has the expected lines, in their order. `…` stands for any text, or for
 * any lines if it is alone. Numbers and units may differ.
 */
export function assertLines(output: string, expected: readonly string[], command: string): void {
  const lines = output.split("\n").map(withoutNumbers);
  let from = 0;
  for (const line of expected) {
    if (line.trim() === "…") continue;
    const pattern = patternOf(withoutNumbers(line));
    const at = lines.findIndex((one, index) => index >= from && pattern.test(one));
    assert.ok(at !== -1, `${command}\nprinted no line (or not in this order): ${line}\n${output}`);
    from = at + 1;
  }
}

/** Returns a pattern that finds a text in which `…` stands for any characters of a line. */
export function patternOf(text: string): RegExp {
  const parts = text.split("…").map((part) => RegExp.escape(part));
  return new RegExp(parts.join(".*?"));
}

function withoutNumbers(line: string): string {
  return line.replace(/\b[\d.,]+ (ms|s)\b/g, "0 s").replace(/\b\d[\d.,]*\b/g, "0");
}
