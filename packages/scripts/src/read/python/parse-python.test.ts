import assert from "node:assert/strict";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { executable, skip } from "../../testing/python-reader.ts";
import { findPython } from "./find-python.ts";
import { parsePython } from "./parse-python.ts";

const folder = await mkdtemp(join(tmpdir(), "capstan-python-"));
after(() => rm(folder, { recursive: true }));

const bytes = (text: string) => new TextEncoder().encode(text);

/** A program in place of an interpreter. */
async function interpreter(name: string, body: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, `#!${executable}\n${body}`);
  await chmod(path, 0o755);
  return path;
}

const answering = `
import json, os, sys, time, base64
print(json.dumps({"python": [3, 12, 0], "executable": sys.argv[0]}), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    source = base64.b64decode(request["source"]).decode()
    if source == "die": os._exit(9)
    if source == "hang": time.sleep(600)
    print(json.dumps({"id": request["id"], "module": {"rules": source, "problems": []}}), flush=True)
`;

// Contract: scripts-34
test("files are read in one process and answered in order", { skip }, async () => {
  const sources = Array.from({ length: 50 }, (_, index) => bytes(`"""${index}"""`));
  const parsed = await parsePython(sources, { executable });
  assert.deepEqual(
    parsed.map(({ rules }) => rules),
    sources.map((_, index) => String(index)),
  );
});

// Contract: scripts-58
test(
  "a file on which the process dies or hangs is reported, and the others are read",
  { skip },
  async () => {
    const fake = await interpreter("fake", answering);
    const sources = ["a", "die", "b", "hang", "c"].map(bytes);
    const parsed = await parsePython(sources, { executable: fake, timeoutMs: 5_000 });
    assert.deepEqual(
      parsed.map(({ rules, problems }) => rules ?? problems[0]?.message),
      ["a", "Python ended while it read this file.", "b", "It could not be read within 5 s.", "c"],
    );
  },
);

test("an interpreter that cannot be started is a problem of each file", async () => {
  const parsed = await parsePython([bytes("a"), bytes("b")], { executable: join(folder, "none") });
  for (const { problems } of parsed)
    assert.match(problems[0]?.message ?? "", /could not be started/);
});

test("reading ends with its signal", { skip }, async () => {
  const fake = await interpreter("slow", answering);
  const stop = new AbortController();
  const reading = parsePython([bytes("hang")], { executable: fake, signal: stop.signal });
  stop.abort(new Error("enough"));
  await assert.rejects(reading, /enough/);
});

// Contract: scripts-34
test("a Python before 3.9 is rejected with advice", { skip }, async () => {
  const old = await interpreter(
    "old",
    'import json\nprint(json.dumps({"python": [3, 8, 1], "executable": "old"}))\n',
  );
  const found = await findPython({ interpreter: old });
  assert.equal(found.status, "missing");
  assert.match(found.status === "missing" ? found.message : "", /is Python 3\.8\.1.*Install it/);
});

// Contract: scripts-34
test("if there is no Python, the error lists the attempts", async () => {
  const found = await findPython({ interpreter: join(folder, "nowhere") });
  assert.match(found.status === "missing" ? found.message : "", /3\.9 or later.*nowhere: .*ENOENT/);
});
