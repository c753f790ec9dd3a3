import { relative, resolve } from "node:path";
import type { TestEvent } from "node:test/reporters";
import { failureText, isOwnFailure } from "./test-failure.ts";

/**
 * Characters of a file's output that are printed: the last ones, because the reason is at the end.
 */
const keptOutput = 20_000;

/** A reporter for `node --test` that prints only failing tests, with all details. */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const outputs = new Map<string, string>();
  const failedFiles = new Set<string>();
  for await (const event of events) {
    if (event.type === "test:stdout" || event.type === "test:stderr") {
      const file = resolve(event.data.file);
      outputs.set(file, `${outputs.get(file) ?? ""}${event.data.message}`.slice(-keptOutput));
    }
    if (event.type === "test:fail" && isOwnFailure(event.data)) {
      const { name, line } = event.data;
      const file = resolve(event.data.file ?? "");
      failedFiles.add(file);
      yield `\n✖ ${name}\n  ${relative(process.cwd(), file)}:${line}\n${indented(failureText(event.data))}\n`;
    }
    if (event.type === "test:diagnostic" && event.data.message.startsWith("Error:")) {
      yield `\n✖ ${event.data.message}\n`;
    }
  }
  for (const file of failedFiles) {
    const output = outputs.get(file);
    if (output !== undefined)
      yield `\nOutput of ${relative(process.cwd(), file)}:\n${indented(output)}\n`;
  }
}

function indented(text: string): string {
  return text.trimEnd().replaceAll(/^/gm, "  ");
}
