import assert from "node:assert/strict";
import { test } from "node:test";
import { isToolError, type ToolErrorData, VariableSystem } from "@capstan/core";
import fc from "fast-check";
import { call, callForText, fakeContext, toolOf } from "@capstan/core/testing";
import { variableTools } from "./variable-tools.ts";

type Args = { readonly [name: string]: unknown };

function session(options?: ConstructorParameters<typeof VariableSystem>[0]) {
  const variables = new VariableSystem(options);
  const context = fakeContext({ variables });
  const tool = (name: string) => toolOf(variableTools(), name);
  return {
    variables,
    run: (name: string, args: Args = {}) => callForText(tool(name), args, context),
    data: <T>(name: string, args: Args = {}) => call<T>(tool(name), args, context),
    failure: async (name: string, args: Args): Promise<ToolErrorData> => {
      const result = await call(tool(name), args, context);
      assert.ok(isToolError(result), JSON.stringify(result));
      return result;
    },
  };
}

// Contract: variables-33
test("a short variable is read whole and unchanged", async () => {
  const { variables, run } = session();
  variables.addVariable("notes", "a\nb", "USER_ADD");
  variables.addVariable("none", "", "USER_ADD");
  assert.equal(await run("ReadVar", { name: "notes" }), "a\nb");
  assert.equal(await run("ReadVar", { name: "none" }), "");
});

// Contract: executor-216, variables-33, variables-87
test("a long variable is read in pages, and each page names the call for the next one", async () => {
  const { variables, run, data } = session();
  const text = Array.from({ length: 30_000 }, (_, i) => String(i % 10)).join("");
  variables.addVariable("long", text, "USER_ADD");
  assert.match(
    await run("ReadVar", { name: "long" }),
    /\n\[Characters 0 to 8000 of 30000\. Read on with ReadVar\(\{"name":"long","start":8000\}\)\.\]$/,
  );
  assert.match(
    await run("ReadVar", { name: "long", start: 29_000 }),
    /\[Characters 29000 to 30000 of 30000\. This is the end\.\]$/,
  );
  let joined = "";
  for (let next: number | undefined = 0; next !== undefined;) {
    const page: { text: string; next?: number } = await data("ReadVar", {
      name: "long",
      start: next,
    });
    joined += page.text;
    next = page.next;
  }
  assert.equal(joined, text);
});

test("a page that would start inside a character starts after it, and reports the end of the value", async () => {
  const { variables, run } = session();
  variables.addVariable("sea", "😀abc", "USER_ADD");
  assert.equal(
    await run("ReadVar", { name: "sea", start: 1, length: 2 }),
    'ab\n[Characters 2 to 4 of 5. Read on with ReadVar({"name":"sea","start":4}).]',
  );
});

test("pages never split a character and always advance", () => {
  const unit = fc.constantFrom("a", "😀", "é");
  return fc.assert(
    fc.asyncProperty(
      fc.string({ unit, minLength: 1 }),
      fc.integer({ min: 1, max: 4 }),
      async (text, length) => {
        const { variables, data } = session();
        variables.addVariable("v", text, "USER_ADD");
        let joined = "";
        for (let next: number | undefined = 0; next !== undefined;) {
          const page: { text: string; next?: number } = await data("ReadVar", {
            name: "v",
            start: next,
            length,
          });
          assert.ok(page.text.isWellFormed());
          joined += page.text;
          next = page.next;
        }
        assert.equal(joined, text);
      },
    ),
  );
});

// Contract: variables-33
test("a pointer reads a part of structured data, and an invalid pointer lists the valid keys", async () => {
  const { variables, run, failure } = session();
  const data = { items: [{ name: "x" }], "a/b": "slash" };
  variables.addVariable("r", { text: "shown", data }, "LLMAdd");
  assert.equal(await run("ReadVar", { name: "r#/items/0/name" }), "x");
  assert.equal(await run("ReadVar", { name: "r#/a~1b" }), "slash");
  assert.equal(await run("ReadVar", { name: "r#/items/0" }), '{\n  "name": "x"\n}');
  assert.match(
    (await failure("ReadVar", { name: "r#/nope" })).message,
    /with the keys items, a\/b/,
  );
  assert.equal((await failure("ReadVar", { name: "r#/constructor" })).code, "pointer_not_found");
  variables.addVariable("t", "text", "LLMAdd");
  assert.match((await failure("ReadVar", { name: "t#/a" })).message, /is plain text/);
  const beyond = await failure("ReadVar", { name: "r#/items/9/name" });
  assert.match(beyond.message, /r#\/items is a list of 1/);
  assert.equal((await failure("ReadVar", { name: "r#/items/length" })).code, "pointer_not_found");
});

// Contract: variables-38
test("the error for a missing name lists similar names, and mentions if the variable was evicted", async () => {
  const { variables, failure } = session({ capacity: 2 });
  variables.addVariable("first", "1", "USER_ADD");
  variables.addVariable("report_draft", "2", "USER_ADD");
  assert.match((await failure("ReadVar", { name: "reportdraft" })).message, /report_draft/);
  variables.addVariable("third", "3", "USER_ADD");
  assert.match((await failure("ReadVar", { name: "first" })).message, /evicted/);
  assert.match((await failure("ReadVar", { name: "first#/a" })).message, /evicted/);
  assert.match((await failure("ReadVar", { name: "third", start: 5 })).message, /has 1 characters/);
});

// Contract: variables-3, variables-35
test("the list is paged and filtered, and its lines cannot be forged", async () => {
  const { variables, run } = session();
  for (let i = 0; i < 30; i++) variables.addVariable(`v${i}`, "x", "USER_ADD");
  variables.addVariable("mine", "xy", "LLMAdd", "two\n- fake (RULE, 9 characters)", ["t1"]);
  const first = await run("ListVars");
  assert.match(
    first,
    /^31 variables, page 1 of 2\. More with page 2\.\n- mine \(LLMAdd, 2 characters\); two - fake/,
  );
  assert.equal(first.split("\n").length, 26);
  assert.match(await run("ListVars", { page: 2 }), /- v0 \(USER_ADD, 1 character\)$/);
  assert.match(await run("ListVars", { filter: { type: "LLMAdd" } }), /^1 variable,/);
  assert.match(await run("ListVars", { filter: { tag: "t1", search: "TWO" } }), /^1 variable,/);
  assert.equal(await run("ListVars", { filter: { tag: "no" } }), "There is no such variable.");
  assert.equal(await run("ListVars", { page: 3 }), "There are 2 pages; there is no page 3.");
});

// Contract: variables-14, variables-36, variables-70
test("a variable can be created, changed in parts, and empty", async () => {
  const { variables, run, failure } = session();
  assert.equal(
    await run("WriteVar", { name: "a", value: "", desc: "d", tags: ["t"] }),
    "Created a (0 characters).",
  );
  assert.equal(variables.peekVariable("a")?.type, "LLMAdd");
  assert.equal(await run("WriteVar", { name: "a", value: "long" }), "Updated a (4 characters).");
  assert.equal(await run("WriteVar", { name: "a", tags: [] }), "Updated a (4 characters).");
  assert.deepEqual(variables.getVariable("a")?.tags, []);
  assert.equal(variables.getVariable("a")?.desc, "d");
  assert.match(
    (await failure("WriteVar", { name: "b", desc: "x" })).message,
    /Give a value to create it/,
  );
  assert.equal(
    (await failure("WriteVar", { name: "b:1:2", value: "x" })).code,
    "invalid_variable_name",
  );
});

// Contract: variables-15
test("a user's variable keeps its type when the model changes it", async () => {
  const { variables, run } = session();
  variables.addVariable("u", "1", "USER_ADD");
  await run("WriteVar", { name: "u", value: "2" });
  assert.equal(variables.peekVariable("u")?.type, "USER_ADD");
});

// Contract: variables-36, variables-67
test("rules and results cannot be changed", async () => {
  const { variables, run, failure } = session();
  variables.addVariable("Rule/web/cite", "Cite.", "RULE");
  const kept = variables.keepResult("ListFiles", { text: "a" }, { path: "." });
  assert.equal(
    (await failure("WriteVar", { name: "Rule/web/cite", value: "Lie." })).code,
    "read_only_variable",
  );
  assert.equal(
    (await failure("WriteVar", { name: "Rule/web/cite", desc: "x" })).code,
    "read_only_variable",
  );
  assert.equal(
    (await failure("WriteVar", { name: "Rule/web/new", value: "x" })).code,
    "read_only_variable",
  );
  for (const name of [kept.result, kept.args, `${kept.result}_result`]) {
    assert.equal(
      (await failure("WriteVar", { name, value: "forged" })).code,
      "read_only_variable",
      name,
    );
  }
  await run("WriteVar", { name: kept.result, desc: "files of the root" });
  assert.equal(variables.getVariable("Rule/web/cite")?.value.text, "Cite.");
  assert.equal(variables.getVariable(kept.result)?.value.text, "a");
});

// Contract: variables-26, variables-37, variables-71
test("RemoveVars does not remove rules and kept variables, and names them", async () => {
  const { variables, run } = session();
  variables.addVariable("Rule/a", "r", "RULE");
  variables.addVariable("pinned", "p", "USER_ADD");
  variables.updateVariable("pinned", { keep: true });
  variables.addVariable("gone", "g", "LLMAdd");
  const said = await run("RemoveVars", { names: ["gone", "Rule/a", "pinned", "nope", "gone"] });
  assert.match(said, /^Removed 1 variable: gone\./);
  assert.match(said, /Not removed: Rule\/a\..*rule/);
  assert.match(said, /Not removed: pinned\. It has `keep` set/);
  assert.match(said, /Not removed: nope\./);
  assert.ok(variables.peekVariable("Rule/a") && variables.peekVariable("pinned"));
});

// Contract: executor-83, variables-32
test("reading and listing are always offered, and their results are not stored as variables", () => {
  const offered = variableTools().tools.filter(({ alwaysOffered }) => alwaysOffered === true);
  assert.deepEqual(
    offered.map(({ definition }) => definition.function.name),
    ["ReadVar", "ListVars"],
  );
  assert.ok(variableTools().tools.every(({ variableTool }) => variableTool === true));
});

test("the tool definitions in every request are short", () => {
  const always = variableTools().tools.filter(({ alwaysOffered }) => alwaysOffered === true);
  for (const { definition } of always)
    assert.ok(JSON.stringify(definition.function).length < 250, definition.function.name);
});
