import assert from "node:assert/strict";
import { test } from "node:test";
import { functionOf, pythonReader, skip } from "../../testing/python-reader.ts";

const read = pythonReader();

async function documented(docstring: string) {
  const body = docstring.replaceAll(/^/gm, "    ");
  const parsed = await read(
    `def f(city, days=3, *rest, **more):\n    """${body.trim()}\n    """\n`,
  );
  const { description, parameters, returns, raises } = functionOf(parsed);
  const { properties } = parameters as {
    readonly properties: { readonly [name: string]: { readonly description?: string } };
  };
  return { description, returns, raises, city: properties["city"]?.description };
}

const google = `Gives the forecast.

Of one town at a time.

Args:
    city (str): the town,
        without its country

        and nothing else
    days: how many

Returns:
    dict: by day

Raises:
    ValueError: for no town
    KeyError:
        for no key

Example:
    f("Bergen")`;

const numpy = `Gives the forecast.

Of one town at a time.

Parameters
----------
city : str
    the town,
    without its country
days, hours : int, optional
    how many

Returns
-------
dict
    by day

Raises
------
ValueError
    for no town`;

const rest = `Gives the forecast.

Of one town at a time.

:param str city: the town,
    without its country
:param days: how many
:type days: int
:returns: by day
:rtype: dict
:raises ValueError: for no town`;

// Contract: scripts-20
test("Google's style is read", { skip }, async () => {
  assert.deepEqual(await documented(google), {
    description: 'Gives the forecast.\n\nOf one town at a time.\n\nExample:\n    f("Bergen")',
    city: "the town,\nwithout its country\n\nand nothing else",
    returns: { type: "dict", note: "by day" },
    raises: [
      { type: "ValueError", note: "for no town" },
      { type: "KeyError", note: "for no key" },
    ],
  });
});

const asDocumented = {
  description: "Gives the forecast.\n\nOf one town at a time.",
  city: "the town,\nwithout its country",
  returns: { type: "dict", note: "by day" },
  raises: [{ type: "ValueError", note: "for no town" }],
};

// Contract: scripts-20
test("NumPy's style is read", { skip }, async () => {
  assert.deepEqual(await documented(numpy), asDocumented);
});

// Contract: scripts-20
test("reStructuredText's style is read", { skip }, async () => {
  assert.deepEqual(await documented(rest), asDocumented);
});

// Contract: scripts-20
test("styles can be mixed, and sections can have any order", { skip }, async () => {
  const mixed = await documented(
    "Gives it.\n\nReturns: what it is\n\nArgs:\n    city: the town\n\n:raises OSError: at sea",
  );
  assert.deepEqual(mixed, {
    description: "Gives it.",
    city: "the town",
    returns: { type: "any", note: "what it is" },
    raises: [{ type: "OSError", note: "at sea" }],
  });
});

test("prose that looks like a section stays prose", { skip }, async () => {
  const { description, city } = await documented(
    "Note: Args: are below.\n\nArgs: none to speak of.",
  );
  assert.equal(description, "Note: Args: are below.\n\nArgs: none to speak of.");
  assert.equal(city, undefined);
});
