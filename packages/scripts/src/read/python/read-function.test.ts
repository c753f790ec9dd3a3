import assert from "node:assert/strict";
import { test } from "node:test";
import { functionOf, propertyOf, pythonReader, skip } from "../../testing/python-reader.ts";

const read = pythonReader();
const parametersOf = async (source: string) =>
  functionOf(await read(source)).parameters as {
    readonly properties: { readonly [name: string]: { readonly default?: unknown } };
    readonly required?: readonly string[];
    readonly additionalProperties: unknown;
  };

// Contract: scripts-17
test(
  "public functions become tools, including async ones, in the file's order",
  { skip },
  async () => {
    const parsed = await read(
      '"""Rules of\n\nthe group."""\ndef zed():\n    "Z."\nasync def alpha():\n    "A."\n',
    );
    assert.equal(parsed.rules, "Rules of\n\nthe group.");
    assert.deepEqual(
      parsed.functions?.map(({ name, line }) => [name, line]),
      [
        ["zed", 4],
        ["alpha", 6],
      ],
    );
  },
);

// Contract: scripts-18, scripts-19
test(
  "only functions of the module are tools: no private functions, classes, imports, lambdas, aliases or nested functions",
  { skip },
  async () => {
    const parsed = await read(`
from os.path import join
def tool():
    "A tool."
    def inner(): "No tool."
def _private(): "No tool."
class Thing:
    def method(self): "No tool."
short = lambda x: x
alias = tool
def wrapped(): "Replaced."
wrapped = _private
if __name__ == "__main__":
    def main(): "No tool."
if True:
    def inside(): "A tool."
`);
    assert.deepEqual(
      parsed.functions?.map(({ name }) => name),
      ["tool", "inside"],
    );
  },
);

// Contract: scripts-18
test("__all__ lists the functions that are tools", { skip }, async () => {
  const parsed = await read('__all__ = ["b"]\ndef a(): "A."\ndef b(): "B."\n');
  assert.deepEqual(
    parsed.functions?.map(({ name }) => name),
    ["b"],
  );
});

// Contract: scripts-32
test("no part of a file runs while it is read", { skip }, async () => {
  const parsed = await read(
    'import sys\nsys.stdout.write("noise")\nraise SystemExit(3)\ndef f(x=sys.exit()):\n    "Does."\n',
  );
  assert.deepEqual(functionOf(parsed).name, "f");
});

// Contract: scripts-25
test(
  "a parameter with a default is not required, and a literal default is in the schema",
  { skip },
  async () => {
    const { properties, required } = await parametersOf(
      'DAYS = 60 * 24\ndef f(a, b=1, c=DAYS, d=-1.5, e=(1, 2), g={"k": [True]}, *, h, i="x"):\n    "Does."\n',
    );
    assert.deepEqual(required, ["a", "h"]);
    assert.deepEqual(
      Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, one.default])),
      { a: undefined, b: 1, c: 1440, d: -1.5, e: [1, 2], g: { k: [true] }, h: undefined, i: "x" },
    );
  },
);

// Contract: scripts-26
test("a default that JSON cannot represent makes its parameter optional", { skip }, async () => {
  const { properties, required } = await parametersOf(
    'def f(a=object(), b=float("nan"), c=1e999, d=b"x", e=2**90, g={1: 2}, h=..., i=99999999999999999999):\n    "Does."\n',
  );
  assert.equal(required, undefined);
  assert.deepEqual(Object.values(properties), [{}, {}, {}, {}, {}, {}, {}, {}]);
});

test("a default of None allows null", { skip }, async () => {
  const parsed = await read('def f(x: int = None):\n    "Does."\n');
  assert.deepEqual(propertyOf(parsed, "x"), { type: ["integer", "null"], default: null });
});

// Contract: scripts-27
test(
  "*args is a warning, **kwargs accepts other names, and neither is a parameter",
  { skip },
  async () => {
    const parsed = await read('def f(a, *args, **kwargs: int):\n    "Does."\n');
    assert.deepEqual(functionOf(parsed).parameters, {
      type: "object",
      properties: { a: {} },
      required: ["a"],
      additionalProperties: { type: "integer" },
    });
    assert.match(parsed.problems[0]?.message ?? "", /^\*args of f cannot be passed by name/);
  },
);

// Contract: scripts-33
test("a parameter named context is not shown to the model", { skip }, async () => {
  const parsed = await read('def f(a: int, context=None):\n    "Does."\n');
  assert.equal(functionOf(parsed).wantsContext, true);
  assert.equal(propertyOf(parsed, "context"), undefined);
});

// Contract: scripts-23
test(
  "the description in an annotation is used if the documentation has none",
  { skip },
  async () => {
    const { properties } =
      await parametersOf(`def f(a: Annotated[int, "how many"], b: Annotated[int, "of which"]):
    """Does.

    Args:
        a:
        b: of these
    """
`);
    assert.deepEqual(properties, {
      a: { type: "integer", description: "how many" },
      b: { type: "integer", description: "of these" },
    });
  },
);

// Contract: scripts-21
test("types come from annotations, or else from the docstring", { skip }, async () => {
  const source = `def f(a: int, b, c, d, e):
    """Does.

    Args:
        a (str): one
        b (int, optional): two
        c (list of str): three
        d ({'x', 'y'}): four
        e (whatever it is): five
    """
`;
  const { properties } = await parametersOf(source);
  assert.deepEqual(properties, {
    a: { type: "integer", description: "one" },
    b: { type: "integer", description: "two" },
    c: { type: "array", items: { type: "string" }, description: "three" },
    d: { type: "string", enum: ["x", "y"], description: "four" },
    e: { description: "five" },
  });
  assert.deepEqual((await read(source)).problems, []);
});

test(
  "an annotated return type overrides the docstring's, which becomes a note",
  { skip },
  async () => {
    const typed = await read(
      'def f() -> dict[str, int]:\n    """Does.\n\n    Returns:\n        what: by name\n    """\n',
    );
    assert.deepEqual(functionOf(typed).returns, { type: "dict[str, int]", note: "by name" });
    const bare = await read('def f() -> None:\n    "Does."\n');
    assert.equal(functionOf(bare).returns, null);
  },
);

test("a docstring that describes an unknown parameter is a warning", { skip }, async () => {
  const parsed = await read(
    'def f(city):\n    """Does.\n\n    Args:\n        town: gone\n    """\n',
  );
  assert.match(parsed.problems[0]?.message ?? "", /describes town, which is not one/);
});

test("a tool without a docstring is a warning", { skip }, async () => {
  const parsed = await read("def f(): pass\n");
  assert.match(parsed.problems[0]?.message ?? "", /f has no docstring/);
});

// Contract: scripts-58
test("a syntax error is a problem with line and column", { skip }, async () => {
  const parsed = await read("def f(:\n    pass\n");
  assert.equal(parsed.functions, undefined);
  assert.equal(parsed.problems[0]?.severity, "error");
  assert.equal(parsed.problems[0]?.line, 1);
  assert.match(parsed.problems[0]?.message ?? "", /^Python cannot read it: /);
});

test(
  "names and texts can be non-ASCII, and a file can declare its encoding",
  { skip },
  async () => {
    const parsed = await read('def f(größe: int):\n    """Wählt. 天气 🌤"""\n');
    assert.equal(functionOf(parsed).description, "Wählt. 天气 🌤");
    assert.deepEqual(propertyOf(parsed, "größe"), { type: "integer" });
    const latin = await read(
      Buffer.from('# coding: latin-1\ndef f():\n    "Gr\xfc\xdfe."\n', "latin1"),
    );
    assert.equal(functionOf(latin).description, "Grüße.");
    const marked = await read(Buffer.from('\ufeffdef f():\n    "Marked."\n'));
    assert.equal(functionOf(marked).description, "Marked.");
  },
);

test(
  "a file that is nested too deeply or is not text is a problem and does not crash",
  { skip },
  async () => {
    for (const source of [`x = ${"-".repeat(50_000)}1`, `x = ${"(".repeat(50_000)}`, "a\0b"]) {
      const parsed = await read(source);
      assert.equal(parsed.problems[0]?.severity, "error");
      assert.match(parsed.problems[0]?.message ?? "", /: \w.*\.|\. Split the expression\.$/);
    }
    assert.equal(functionOf(await read('def f(): "Still here."')).description, "Still here.");
  },
);
