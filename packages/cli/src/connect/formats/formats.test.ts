import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonValue } from "@capstan/core";
import { type ConfigFormat, editEntry, FormatProblem } from "./config-format.ts";
import { jsoncFormat } from "./jsonc-format.ts";
import { tomlFormat } from "./toml-format.ts";
import { yamlFormat } from "./yaml-format.ts";

const value = { url: "http://127.0.0.1:8787/mcp", headers: { Authorization: 'Bearer "x"' } };
const inJson = ["mcpServers", "capstan"] as const;
const inToml = ["mcp_servers", "capstan"] as const;
const inYaml = ["extensions", "capstan"] as const;

/** Adds the entry, changes it, and removes it; returns the text with the entry. */
function roundTrip(format: ConfigFormat, text: string, path: readonly [string, string]): string {
  const added = editEntry(format, text, { path, value });
  const changed = editEntry(format, added, { path, value: { url: "other" } });
  assert.equal(editEntry(format, changed, { path, value }), added);
  const removed = editEntry(format, added, { path, value: undefined });
  const others = (content: JsonValue) => {
    const { [path[0]]: list, ...rest } = content as { [name: string]: JsonValue };
    return [rest, { ...(list as object), capstan: 0 }];
  };
  assert.deepEqual(others(format.read(removed)), others(format.read(text)));
  return added;
}

test("an entry is added to JSON with comments, and everything else stays as it is", () => {
  const cases = {
    "": `{
  "mcpServers": {
    "capstan": {
      "url": "http://127.0.0.1:8787/mcp",
      "headers": {
        "Authorization": "Bearer \\"x\\""
      }
    }
  }
}
`,
    '{\n  // first\n  "x": 1, // one\n  /* end */\n}\n': `{
  // first
  "x": 1, // one
  /* end */
  "mcpServers": {
    "capstan": {
      "url": "http://127.0.0.1:8787/mcp",
      "headers": {
        "Authorization": "Bearer \\"x\\""
      }
    }
  },
}
`,
    '{\n\t"mcpServers": {\n\t\t"a": {} // mine\n\t}\n}': `{
	"mcpServers": {
		"a": {}, // mine
		"capstan": {
			"url": "http://127.0.0.1:8787/mcp",
			"headers": {
				"Authorization": "Bearer \\"x\\""
			}
		}
	}
}`,
    '{"a":[1,2],"mcpServers":{}}': `{"a":[1,2],"mcpServers":{
  "capstan": {
    "url": "http://127.0.0.1:8787/mcp",
    "headers": {
      "Authorization": "Bearer \\"x\\""
    }
  }
}}`,
    '{"a": 1}\n': `{"a": 1, "mcpServers": {"capstan":{"url":"http://127.0.0.1:8787/mcp","headers":{"Authorization":"Bearer \\"x\\""}}}}\n`,
  };
  for (const [text, expected] of Object.entries(cases)) {
    const added = roundTrip(jsoncFormat, text, inJson);
    assert.equal(added.replaceAll(/\{"capstan":/g, '{"capstan":'), expected);
  }
});

test("removing an entry of JSON leaves the comments of its neighbours", () => {
  const text = `{
  "mcpServers": {
    "a": {}, // of a
    "capstan": { "url": "x" }, // of capstan
    // of b
    "b": {}
  }
}
`;
  const removed = editEntry(jsoncFormat, text, { path: inJson, value: undefined });
  assert.match(removed, /"a": \{\}, \/\/ of a\n/);
  assert.match(removed, / {4}\/\/ of b\n {4}"b": \{\}\n/);
  const last = '{\n  "mcpServers": {\n    "a": {}, // of a\n    "capstan": {}\n  }\n}\n';
  assert.equal(
    editEntry(jsoncFormat, last, { path: inJson, value: undefined }),
    '{\n  "mcpServers": {\n    "a": {} // of a\n  }\n}\n',
  );
});

test("a table is added to TOML, and everything else stays as it is", () => {
  const table = `[mcp_servers.capstan]
url = "http://127.0.0.1:8787/mcp"
headers = { Authorization = "Bearer \\"x\\"" }
`;
  const texts = [
    "",
    'model = "a" # mine\n',
    "# only a comment",
    '[mcp_servers.other]\ncommand = "x"\nargs = [\n  "[mcp_servers.capstan]",\n]\n',
    '[mcp_servers]\n[mcp_servers.other]\nurl = "u"\n\n# about profiles\n[profiles.a]\nmodel = "b"\n',
    'text = """\n[mcp_servers.other]\n"""\nwhen = 2026-01-02T03:04:05Z\n',
  ];
  for (const text of texts) {
    const added = roundTrip(tomlFormat, text, inToml);
    assert.ok(added.startsWith(text) && added.endsWith(table), added);
    assert.equal(
      editEntry(tomlFormat, added, { path: inToml, value: undefined }).trimEnd(),
      text.trimEnd(),
    );
  }
});

test("a table with subtables is removed from TOML, and the comment of the next table stays", () => {
  const text = `a = 1

[mcp_servers."capstan"] # mine
url = "u"
[mcp_servers.capstan.http_headers]
Authorization = "k"

# about b
[b]
c = 1
`;
  assert.equal(
    editEntry(tomlFormat, text, { path: inToml, value: undefined }),
    "a = 1\n\n# about b\n[b]\nc = 1\n",
  );
});

test("a member is added to YAML, and everything else stays as it is", () => {
  const texts = {
    "": "",
    "GOOSE_MODEL: a # mine\n": "GOOSE_MODEL: a # mine\n",
    "extensions:\n  developer:\n    enabled: true # yes\n# end\nOTHER: 1\n":
      "extensions:\n  developer:\n    enabled: true # yes\n",
    "extensions: {}\nOTHER: 1\n": "",
    "extensions:\nOTHER: 1": "",
    "extensions:\n    a:\n        cmd: |\n            x\n            y\n": "extensions:\n    a:\n",
  };
  for (const [text, start] of Object.entries(texts)) {
    const added = roundTrip(yamlFormat, text, inYaml);
    assert.ok(added.startsWith(start), added);
    assert.match(added, /\n? {2,4}capstan:\n/);
    for (const comment of text.match(/#.*/g) ?? []) assert.ok(added.includes(comment));
  }
});

test("edits preserve Windows line breaks", () => {
  for (const [format, text, path] of [
    [jsoncFormat, '{\r\n  "a": 1\r\n}\r\n', inJson],
    [tomlFormat, "a = 1\r\n", inToml],
    [yamlFormat, "extensions:\r\n  a: 1\r\n", inYaml],
  ] as const)
    assert.doesNotMatch(roundTrip(format, text, path), /[^\r]\n/);
});

test("unreadable and unusual files are errors that name the line or the entry", () => {
  const cases: readonly (readonly [ConfigFormat, string, readonly [string, string], RegExp])[] = [
    [jsoncFormat, '{\n  "a": \n}', inJson, /^line 3: /],
    [jsoncFormat, "[]", inJson, /object/],
    [jsoncFormat, '{"mcpServers": []}', inJson, /object/],
    [tomlFormat, 'a = 1\nb = "', inToml, /^line 2: /],
    [tomlFormat, "mcp_servers = { a = { url = 'u' } }\n", inToml, /unusual/],
    [tomlFormat, 'x = """\n[mcp_servers.capstan]\nurl = "u"\n"""\n', inToml, /unusual/],
    [yamlFormat, "a: 1\n  b: [", inYaml, /^line \d: /],
    [yamlFormat, "extensions: {a: 1}\n", inYaml, /unusual/],
    [yamlFormat, "- a\n", inYaml, /mapping|object/],
    [yamlFormat, "x: &x\n  a: 1\nextensions: *x\n", inYaml, /unusual/],
  ];
  for (const [format, text, path, expected] of cases)
    assert.throws(
      () => editEntry(format, text, { path, value }),
      (error) => error instanceof FormatProblem && expected.test(error.message),
      text,
    );
});
