import { type ParsedFile, unreadableFile } from "../../definition/parsed-file.ts";
import { startReader } from "./reader-process.ts";

/** Options of `parsePython`. */
export interface ParsePythonOptions {
  /** A Python of 3.9 or later. */
  readonly executable: string;
  readonly signal?: AbortSignal;
  /** The maximum time for one file in ms. @default 10000 */
  readonly timeoutMs?: number;
}

/**
 * Reads Python files by their syntax tree, all in one process. If the process dies or hangs, only
 * the file that it was reading has a problem; the others are read.
 *
 * @returns one result for each source, in order
 * @throws the signal's reason when it aborts
 */
export async function parsePython(
  sources: readonly Uint8Array[],
  options: ParsePythonOptions,
): Promise<readonly ParsedFile[]> {
  const parsed: ParsedFile[] = [];
  while (parsed.length < sources.length) {
    const end = await receiveAnswers(sources, parsed, options);
    options.signal?.throwIfAborted();
    if (parsed.length === sources.length) break;
    if (end.status === "not_started")
      return sources.map(() => unreadableFile(`Python could not be started: ${end.message}.`));
    // It was reading the first file that has no answer.
    parsed.push(
      unreadableFile(
        end.status === "hung"
          ? `It could not be read within ${(options.timeoutMs ?? defaultTimeoutMs) / 1000} s.`
          : "Python ended while it read this file.",
      ),
    );
  }
  return parsed;
}

const defaultTimeoutMs = 10_000;

type End =
  | { readonly status: "ended" | "hung" }
  | { readonly status: "not_started"; readonly message: string };

/**
 * Sends the files without an answer, and receives answers until all have arrived or the process has
 * ended.
 */
async function receiveAnswers(
  sources: readonly Uint8Array[],
  parsed: ParsedFile[],
  { executable, signal, timeoutMs = defaultTimeoutMs }: ParsePythonOptions,
): Promise<End> {
  let hung = false;
  const reader = startReader({
    executable,
    ...(signal && { signal }),
    onAnswer: (_id, module) => {
      parsed.push(module);
      watchdog.refresh();
    },
  });
  const watchdog = setTimeout(() => {
    hung = true;
    reader.kill();
  }, timeoutMs);
  try {
    for (let id = parsed.length; id < sources.length; id++)
      reader.send(id, sources[id] ?? new Uint8Array());
    reader.end();
    await reader.ended;
    const start = await reader.started;
    if (start.status === "failed" && !hung)
      return { status: "not_started", message: start.message };
    return { status: hung ? "hung" : "ended" };
  } finally {
    clearTimeout(watchdog);
  }
}
