import assert from "node:assert/strict";
import { test } from "node:test";
import { usesIndexOnly } from "./python-environments.ts";

test("names with versions mean the same packages in every folder; options, paths and archives may not", () => {
  const plain =
    "\n# ours\r\nboats==1.0  # one\nships [sails,oars] >=2,<3 ; python_version > '3.8'\nA-b_c.d~=1.*\n";
  assert.equal(usesIndexOnly(plain), true);
  const local = [
    "--find-links .",
    "-r more.txt",
    "./boats",
    "boats.whl",
    "boats-1.tar.gz",
    "../boats",
  ].concat(
    "boats @ file:boats",
    "boats @ https://a.example/b",
    "$BOATS",
    "boats \\",
    "-e .",
    ".",
    "..",
    "file:boats",
    "boats --hash=sha256:1",
    "C:boats",
    "# a\u0085-e .",
    "boats==1\u2028.",
  );
  for (const line of local) assert.equal(usesIndexOnly(`ships\n${line}\n`), false, line);
});
