import { execFile, spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { promisify } from "node:util";
import { root } from "../../scripts/command.ts";

const launcher = join(root, "test/clients/node_modules/@openai/codex/bin/codex.js");

/** Why Codex's tests are skipped, or false if Codex starts on this machine. */
export const codexSkip: string | false = await promisify(execFile)(process.execPath, [
  launcher,
  "--version",
]).then(
  () => false,
  () => "@openai/codex could not be installed, or does not run on this machine",
);

/** An event of `codex exec --json`. */
interface CodexEvent {
  readonly type: string;
  readonly message?: string;
  readonly item?: { readonly type: string; readonly text?: string; readonly status?: string };
}

/** The end of one `codex exec`. */
export interface CodexRun {
  /** The last message of the agent. */
  readonly answer: string | undefined;
  /** The completed items, in the form `TYPE STATUS`, without messages and warnings. */
  readonly actions: readonly string[];
  /** The errors that ended the turn. */
  readonly failures: readonly string[];
}

/** A user's folder with Codex's configuration for a server. */
export interface Codex {
  readonly work: string;
  /** The folder with its `config.toml`. */
  readonly home: string;
  /** Runs `codex exec` with these arguments, the prompt last. */
  exec(...args: readonly string[]): Promise<CodexRun>;
  /** Starts `codex exec` and kills it, with all of its processes, when the promise resolves. */
  execUntil(killed: Promise<unknown>, ...args: readonly string[]): Promise<CodexRun>;
}

/** How long one run of Codex may take on a busy machine. */
const limitMs = 120_000;

/**
 * Creates a user of Codex, whose configuration names only the server's URL and a model.
 *
 * @param more further lines of its `config.toml`
 */
export async function createCodex(
  { baseURL, model }: { readonly baseURL: string; readonly model: string },
  more = "",
): Promise<Codex> {
  const base = await mkdtemp(join(tmpdir(), "capstan-codex-"));
  after(() => rm(base, { recursive: true, force: true, maxRetries: 5 }));
  const [home, work] = [join(base, "home"), join(base, "work")];
  await mkdir(home);
  await mkdir(work);
  await writeFile(join(work, "notes.txt"), "Buy rope.\n");
  const example = await readFile(join(root, "examples/codex/config.toml"), "utf8");
  const own = example
    .replace("http://127.0.0.1:8787/v1", baseURL)
    .replace(/^model = .*$/m, `model = "${model}"`);
  await writeFile(join(home, "config.toml"), `${offline}${own}\n${more}`);
  return {
    work,
    home,
    exec: (...args) => run(["exec", ...options, ...args], { home, work }),
    execUntil: (killed, ...args) => run(["exec", ...options, ...args], { home, work, killed }),
  };
}

/** Codex contacts only the server, and asks its user nothing. */
const offline = `check_for_update_on_startup = false
approval_policy = "never"
sandbox_mode = "danger-full-access"
`;
const options = ["--skip-git-repo-check", "--json", "-c", "analytics.enabled=false"];

async function run(
  args: readonly string[],
  {
    home,
    work,
    killed,
  }: { readonly home: string; readonly work: string; readonly killed?: Promise<unknown> },
): Promise<CodexRun> {
  const child = spawn(process.execPath, [launcher, ...args], {
    cwd: work,
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env["PATH"], HOME: home, CODEX_HOME: home, CAPSTAN_KEY: "local" },
    timeout: limitMs,
    // The launcher starts another process, which must be killed with it.
    detached: true,
  });
  const { pid } = child;
  killed?.then(
    () => pid !== undefined && process.kill(-pid, "SIGKILL"),
    () => {},
  );
  const [output, errors] = await Promise.all([
    Array.fromAsync(child.stdout.setEncoding("utf8")),
    Array.fromAsync(child.stderr.setEncoding("utf8")),
  ]);
  const events = output
    .join("")
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as CodexEvent);
  const items = events.flatMap(({ type, item }) =>
    type === "item.completed" && item !== undefined ? [item] : [],
  );
  const failures = events.flatMap(({ type, message }) =>
    type === "error" || type === "turn.failed" ? [message ?? type] : [],
  );
  return {
    answer: items.findLast(({ type }) => type === "agent_message")?.text,
    actions: items.flatMap(({ type, status }) =>
      type === "agent_message" || type === "error" || type === "reasoning"
        ? []
        : [`${type} ${status ?? ""}`],
    ),
    failures: events.length === 0 ? [errors.join("")] : failures,
  };
}
