import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { fakeParsers, toolFolder } from "../testing/tool-folder.ts";
import { openToolLibrary } from "../library/tool-library.ts";
import { missingPackages } from "./missing-packages.ts";
import { pythonEnvironments } from "./python-environments.ts";

const place = { executable: "/opt/python", version: "3.13.0", folders: [] };

async function open(
  files: { readonly [name: string]: string },
  python: () => Promise<typeof place | undefined>,
) {
  const folder = await toolFolder(files);
  const environments = pythonEnvironments(join(await toolFolder(), "environments"));
  const library = await openToolLibrary({
    folders: [folder],
    parsers: fakeParsers(),
    run: async () => ({ value: null }),
    needs: missingPackages({ environments, python }),
  });
  after(() => library.close());
  const problems = () => library.files.flatMap((file) => file.problems);
  return { folder, environments, library, problems };
}

// Contract: scripts-6
test("a plugin with missing packages reports them with the command until they are installed", async () => {
  const { folder, environments, library, problems } = await open(
    {
      "boats/main.py": "sail",
      "boats/requirements.txt": "boats==1.0\n",
      "none/main.py": "walk",
      "none/requirements.txt": "# nothing yet\n",
      "alone.py": "swim",
    },
    async () => place,
  );
  const path = join(folder, "boats/main.py");
  const message = `boats needs the packages of its requirements.txt, which are not installed. A user installs them with: capstan scripts install ${join(folder, "boats")}`;
  assert.deepEqual(problems(), [{ path, severity: "warning", message }]);
  const script = library.files.find((file) => file.path === path)?.script;
  assert.ok(script);
  const found = await environments.find(script, place);
  assert.ok(found.status === "missing");
  const resolved = Promise.withResolvers<void>();
  library.subscribe(() => void (problems().length === 0 && resolved.resolve()));
  await mkdir(found.folder);
  await resolved.promise;
});

test("if Python is missing or fails, all tools are still available", async () => {
  const files = { "boats/main.py": "sail", "boats/requirements.txt": "boats\n" };
  const none = await open(files, async () => undefined);
  assert.deepEqual([none.problems(), none.library.groups.length], [[], 1]);
  const failing = await open(files, () => Promise.reject(new Error("it hangs")));
  assert.match(failing.problems()[0]?.message ?? "", /Cannot check .*: it hangs/);
  assert.equal(failing.library.groups.length, 1);
});
