import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";

/** Creates a folder for this test file, which is removed after the file's tests. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "capstan-test-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
