import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, stat, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import {
  acceptConfiguration,
  type ConfigurationReview,
  reviewConfiguration,
} from "./accepted-configuration.ts";

const base = await mkdtemp(join(tmpdir(), "capstan-accepted-"));
after(() => rm(base, { recursive: true }));

let folders = 0;
/** A folder with a settings file that is written, reviewed and accepted. */
async function createPlace() {
  const directory = await mkdtemp(join(base, `${folders++}-`));
  const file = join(directory, "capstan.config.json");
  const record = join(directory, ".capstan/accepted-configuration.json");
  const review = async (): Promise<ConfigurationReview> => {
    const found = await reviewConfiguration({ directory, environment: {}, flags: {} });
    return found.status === "invalid" ? assert.fail(found.problems.join()) : found;
  };
  return {
    directory,
    file,
    record,
    review,
    write: (settings: object | string) =>
      writeFile(file, typeof settings === "string" ? settings : JSON.stringify(settings)),
    accept: async () => acceptConfiguration(await review()),
  };
}

const asks = { rules: [{ tool: "*", execution: "ask-always" }] };

test("the first configuration is accepted, and later ones if they allow no more", async () => {
  const { write, review, accept } = await createPlace();
  await write({});
  assert.equal((await review()).status, "first");
  await accept();
  assert.equal((await review()).status, "same");
  await write(asks);
  assert.equal((await review()).status, "stricter");
  await accept();
  await write({});
  const waiting = await review();
  assert.equal(waiting.status, "waits");
  assert.deepEqual(waiting.status === "waits" && waiting.looser, ["rules: *"]);
  assert.equal(waiting.status === "waits" && waiting.accepted.rules.length, 1);
  await accept();
  assert.equal((await review()).status, "same");
});

test("a settings file that is created or deleted is a change", async () => {
  const { file, write, review, accept } = await createPlace();
  await accept();
  await write({ code: { write: true } });
  assert.equal((await review()).status, "waits");
  await write(asks);
  await accept();
  await unlink(file);
  assert.equal((await review()).status, "waits");
});

test("a file that names another data directory is still compared with the accepted version", async () => {
  const { write, review, accept } = await createPlace();
  await write({ ...asks, data: "one" });
  await accept();
  await write({ data: "two" });
  const found = await review();
  assert.deepEqual(found.status === "waits" && found.looser, ["data", "rules: *"]);
});

test("only the user can read the accepted version, and no other file is left", async () => {
  const { directory, record, write, accept } = await createPlace();
  await write({});
  await accept();
  assert.equal((await stat(record)).mode & 0o777, 0o600);
  assert.deepEqual(await readdir(join(directory, ".capstan")), ["accepted-configuration.json"]);
});

test("an unreadable record accepts no configuration", async () => {
  const { record, write, review, accept } = await createPlace();
  await write(asks);
  await accept();
  for (const text of ["", "[]", '{"a": 1}', "{"]) {
    await writeFile(record, text);
    assert.equal((await review()).status, "unknown", text);
  }
  await accept();
  assert.equal((await review()).status, "same");
});

test("an accepted version that is no longer valid accepts no configuration", async () => {
  const { file, record, write, review } = await createPlace();
  await write(asks);
  await mkdir(join(record, ".."));
  await writeFile(record, JSON.stringify({ [file]: '{"port": "old"}' }));
  assert.equal((await review()).status, "unknown");
});
