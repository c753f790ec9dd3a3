// A program that runs in a separate process. It reads a request on standard input, runs its code
// in an isolate, and answers with a frame on descriptor 3. It imports only modules whose paths it
// is given.
import { readdirSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import type * as acorn from "acorn";
import type ivm from "isolated-vm";

type Acorn = typeof acorn;
type Api = typeof ivm;

interface Request {
  readonly code: string;
  readonly variables: { readonly [name: string]: unknown };
  readonly memoryMb: number;
  /** The folder of the conversation's files. */
  readonly folder: string;
}

type Answer =
  | { readonly type: "result"; readonly value: unknown }
  | { readonly type: "error"; readonly name: string; readonly message: string };

const [, , place = "", parser = ""] = process.argv;
const { default: api } = (await import(place)) as { readonly default: Api };

const chunks: Buffer[] = [];
for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
answer(await run(JSON.parse(Buffer.concat(chunks).toString()) as Request));

async function run({ code, variables, memoryMb, folder }: Request): Promise<Answer> {
  const isolate = new api.Isolate({ memoryLimit: memoryMb });
  try {
    const context = await isolate.createContext();
    await prepare(context, variables, folder);
    const value: unknown = await evaluate(isolate, context, code);
    return { type: "result", value };
  } catch (error) {
    const { name = "Error", message = String(error), stack = "" } = error as Partial<Error>;
    const line = /<code>:(\d+)/.exec(stack)?.[1];
    return {
      type: "error",
      name,
      message: line === undefined ? message : `${message} (line ${line})`,
    };
  }
}

async function prepare(
  context: ivm.Context,
  variables: Request["variables"],
  folder: string,
): Promise<void> {
  await context.global.set("print", new api.Callback((text: string) => void writeSync(1, text)));
  await context.global.set("given", new api.ExternalCopy(variables).copyInto());
  // The isolate and this program exchange only texts, so bytes are passed as a text with one
  // character for each byte.
  const at = (name: string) => `${folder}/${fileName(name)}`;
  await context.global.set("listFiles", new api.Callback(() => listFiles(folder)));
  await context.global.set(
    "readFile",
    new api.Callback((name: string, encoding: Encoding) => readFileSync(at(name), encoding)),
  );
  await context.global.set(
    "writeFile",
    new api.Callback((name: string, text: string, encoding: Encoding) =>
      writeFileSync(at(name), text, encoding),
    ),
  );
  await context.eval(`{
    const { print, given, listFiles, readFile, writeFile } = globalThis;
    for (const name of ["print", "given", "listFiles", "readFile", "writeFile"]) delete globalThis[name];
    const toBytes = (text) => Uint8Array.from(text, (one) => one.charCodeAt(0));
    const toText = (bytes) => {
      let text = "";
      for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
      return text;
    };
    globalThis.files = Object.freeze({
      list: () => JSON.parse(listFiles()),
      read: (name) => readFile(String(name), "utf8"),
      readBytes: (name) => toBytes(readFile(String(name), "latin1")),
      write: (name, content) =>
        content instanceof Uint8Array
          ? writeFile(String(name), toText(content), "latin1")
          : writeFile(String(name), String(content), "utf8"),
    });
    const show = (value) => {
      if (typeof value === "string") return value;
      if (value instanceof Error) return String(value.stack ?? value);
      try { return JSON.stringify(value) ?? String(value); } catch { return String(value); }
    };
    const log = (...values) => print(values.map(show).join(" ") + "\\n");
    globalThis.console = Object.freeze({ log, info: log, warn: log, error: log, debug: log });
    globalThis.vars = given;
  }`);
}

type Encoding = "utf8" | "latin1";

function listFiles(folder: string): string {
  return JSON.stringify(readdirSync(folder).toSorted());
}

/**
 * Returns a file name that cannot lead out of the folder. Without a sandbox, only this check keeps
 * code inside the folder.
 */
function fileName(name: string): string {
  if (name === "" || name === "." || name === ".." || /[/\\\0]/.test(name))
    throw new Error(`"${name}" is not the name of a file. Use a name without folders.`);
  return name;
}

/**
 * Returns the value of the last expression. Code with `await` or `return` at the top level becomes
 * a function's body, which returns that value.
 */
async function evaluate(
  isolate: ivm.Isolate,
  context: ivm.Context,
  code: string,
): Promise<unknown> {
  const script = await isolate.compileScript(code, { filename: "<code>" }).catch(async () => {
    const body = await returningLast(code);
    return isolate.compileScript(`(async () => {${body}\n})()`, { filename: "<code>" });
  });
  const ended: unknown = await script.run(context, { promise: true, reference: true });
  return plain(ended as ivm.Reference | undefined, context);
}

/** Returns code that returns the value of its last statement, if that is an expression. */
async function returningLast(code: string): Promise<string> {
  const { parse } = (await import(parser)) as Acorn;
  try {
    const last = parse(code, {
      ecmaVersion: "latest",
      allowAwaitOutsideFunction: true,
      allowReturnOutsideFunction: true,
    }).body.at(-1);
    if (last?.type !== "ExpressionStatement") return code;
    const { start, end } = last.expression;
    // On the lines of the original code, so that errors name the right ones.
    return `${code.slice(0, last.start)}return (${code.slice(start, end)}\n);${code.slice(last.end)}`;
  } catch {
    // The engine's error says what is wrong.
    return code;
  }
}

async function plain(value: ivm.Reference | undefined, context: ivm.Context): Promise<unknown> {
  if (!(value instanceof api.Reference)) return value;
  if (value.typeof === "undefined") return undefined;
  const text: unknown = await context.evalClosure(
    "const text = JSON.stringify($0); return text === undefined ? String($0) : text;",
    [value.derefInto()],
    { result: { copy: true } },
  );
  try {
    return JSON.parse(String(text));
  } catch {
    return text;
  }
}

function answer(message: Answer): void {
  const body = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(4);
  head.writeUInt32BE(body.length);
  let data = Buffer.concat([head, body]);
  while (data.length > 0) {
    try {
      data = data.subarray(writeSync(3, data));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
    }
  }
  process.exit(0);
}
