import { after } from "node:test";
import { findPython } from "../read/python/find-python.ts";
import { startReader } from "../read/python/reader-process.ts";
import type { ParsedFile } from "../definition/parsed-file.ts";
import type { ScriptFunction } from "../definition/script-function.ts";

const python = await findPython({});

/** An option of `test`: the reason why tests of Python files cannot run here, or false. */
export const skip = python.status === "missing" ? python.message : false;

/** The path of a Python of 3.9 or later. */
export const executable = python.status === "found" ? python.executable : "";

/** Returns a reader of sources. Its process runs until the tests of the file have ended. */
export function pythonReader(): (source: string | Uint8Array) => Promise<ParsedFile> {
  const waiting = new Map<number, (parsed: ParsedFile) => void>();
  let started: ReturnType<typeof startReader> | undefined;
  let count = 0;
  after(async () => {
    started?.end();
    await started?.ended;
  });
  return (source) => {
    started ??= startReader({ executable, onAnswer: (id, parsed) => waiting.get(id)?.(parsed) });
    const id = count++;
    const { promise, resolve } = Promise.withResolvers<ParsedFile>();
    waiting.set(id, resolve);
    started.send(id, typeof source === "string" ? new TextEncoder().encode(source) : source);
    return promise;
  };
}

/** Returns the function with this name, or the first one. */
export function functionOf(parsed: ParsedFile, name?: string): ScriptFunction {
  const found = parsed.functions?.find((one) => name === undefined || one.name === name);
  if (found === undefined)
    throw new Error(`There is no ${name ?? "function"}: ${JSON.stringify(parsed)}`);
  return found;
}

/** Returns the schema of one parameter. */
export function propertyOf(parsed: ParsedFile, parameter: string): unknown {
  const { properties } = functionOf(parsed).parameters as {
    readonly properties: { readonly [name: string]: unknown };
  };
  return properties[parameter];
}
