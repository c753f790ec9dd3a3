import assert from "node:assert/strict";
import { test } from "node:test";
import { functionOf, propertyOf, pythonReader, skip } from "../../testing/python-reader.ts";

const read = pythonReader();

/** The schema of `x` in `def f(x: …)`, after the given lines. */
async function schemaOf(annotation: string, above = ""): Promise<unknown> {
  return propertyOf(await read(`${above}\ndef f(x: ${annotation}):\n    "Does."\n`), "x");
}

const plain: readonly [annotation: string, schema: unknown][] = [
  ["str", { type: "string" }],
  ["int", { type: "integer" }],
  ["float", { type: "number" }],
  ["bool", { type: "boolean" }],
  ["None", { type: "null" }],
  ["Any", {}],
  ["bytes", { type: "string", contentEncoding: "base64" }],
  ["list", { type: "array" }],
  ["list[int]", { type: "array", items: { type: "integer" } }],
  ["List[str]", { type: "array", items: { type: "string" } }],
  ["Sequence[float]", { type: "array", items: { type: "number" } }],
  ["set[int]", { type: "array", items: { type: "integer" }, uniqueItems: true }],
  ["dict", { type: "object" }],
  ["dict[str, int]", { type: "object", additionalProperties: { type: "integer" } }],
  [
    'dict[Literal["a", "b"], int]',
    {
      type: "object",
      propertyNames: { enum: ["a", "b"] },
      additionalProperties: { type: "integer" },
    },
  ],
  [
    "Mapping[str, list[int]]",
    { type: "object", additionalProperties: { type: "array", items: { type: "integer" } } },
  ],
  ["tuple[int, int]", { type: "array", items: { type: "integer" }, minItems: 2, maxItems: 2 }],
  [
    "tuple[int, str]",
    {
      type: "array",
      prefixItems: [{ type: "integer" }, { type: "string" }],
      minItems: 2,
      maxItems: 2,
    },
  ],
  ["tuple[int, ...]", { type: "array", items: { type: "integer" } }],
  ["Optional[int]", { type: ["integer", "null"] }],
  ["Union[int, str]", { type: ["integer", "string"] }],
  ["int | str | None", { type: ["integer", "string", "null"] }],
  ["Union[int, Optional[str]]", { type: ["integer", "string", "null"] }],
  ["list[int] | None", { type: ["array", "null"], items: { type: "integer" } }],
  [
    "list[int] | dict[str, int]",
    {
      anyOf: [
        { type: "array", items: { type: "integer" } },
        { type: "object", additionalProperties: { type: "integer" } },
      ],
    },
  ],
  ['Literal["a", "b"]', { type: "string", enum: ["a", "b"] }],
  ['Literal[1, "a", None]', { type: ["integer", "string", "null"], enum: [1, "a", null] }],
  ["Literal[1, True]", { type: ["integer", "boolean"], enum: [1, true] }],
  ['Optional[Literal["a"]]', { anyOf: [{ type: "string", enum: ["a"] }, { type: "null" }] }],
  ['"int"', { type: "integer" }],
  ["\"list['str']\"", { type: "array", items: { type: "string" } }],
  ["typing.Optional[str]", { type: ["string", "null"] }],
  ["datetime.date", { type: "string", format: "date" }],
  ["datetime", { type: "string", format: "date-time" }],
  ["UUID", { type: "string", format: "uuid" }],
  ["pathlib.Path", { type: "string" }],
  ["Decimal", { type: ["number", "string"] }],
  ['Annotated[int, "how many"]', { type: "integer", description: "how many" }],
  ["Annotated[int, Field(ge=1, lt=10)]", { type: "integer", minimum: 1, exclusiveMaximum: 10 }],
  ["Annotated[int, Ge(1), Le(5)]", { type: "integer", minimum: 1, maximum: 5 }],
  ["Annotated[str, Field(min_length=2)]", { type: "string", minLength: 2 }],
  ["Annotated[list[int], MinLen(2)]", { type: "array", items: { type: "integer" }, minItems: 2 }],
  ['Annotated[str, Field(pattern="^a+$")]', { type: "string", pattern: "^a+$" }],
  ["PositiveInt", { type: "integer", exclusiveMinimum: 0 }],
  ["conint(ge=3)", { type: "integer", minimum: 3 }],
  ["Final[int]", { type: "integer" }],
];
// Contract: scripts-21
test("annotations become JSON Schema", { skip }, async () => {
  for (const [annotation, schema] of plain)
    assert.deepEqual(await schemaOf(annotation), schema, annotation);
});

test("imported names are resolved", { skip }, async () => {
  const above =
    "from typing import Optional as Maybe\nimport typing as t\nfrom uuid import UUID as Id";
  assert.deepEqual(await schemaOf("Maybe[Id]", above), {
    anyOf: [{ type: "string", format: "uuid" }, { type: "null" }],
  });
  assert.deepEqual(await schemaOf("t.List[int]", above), {
    type: "array",
    items: { type: "integer" },
  });
});

// Contract: scripts-22
test("aliases, NewType, TypeVar and constants of the module are resolved", { skip }, async () => {
  const above =
    'Unit = Literal["c", "f"]\nId = NewType("Id", str)\nT = TypeVar("T", bound=int)\nMODE = "fast"';
  assert.deepEqual(await schemaOf("Unit", above), { type: "string", enum: ["c", "f"] });
  assert.deepEqual(await schemaOf("Id", above), { type: "string" });
  assert.deepEqual(await schemaOf("list[T]", above), { type: "array", items: { type: "integer" } });
  assert.deepEqual(await schemaOf("Literal[MODE]", above), { type: "string", enum: ["fast"] });
});

// Contract: scripts-22
test("an enum is the list of its values", { skip }, async () => {
  const above =
    'class Color(Enum):\n    "A colour."\n    RED = "red"\n    BLUE = "blue"\nclass N(IntEnum):\n    A = auto()\n    B = auto()\nclass S(StrEnum):\n    Up = auto()';
  assert.deepEqual(await schemaOf("Color", above), {
    type: "string",
    enum: ["red", "blue"],
    description: "A colour.",
  });
  assert.deepEqual(await schemaOf("N", above), { type: "integer", enum: [1, 2] });
  assert.deepEqual(await schemaOf("S", above), { type: "string", enum: ["up"] });
  assert.deepEqual(await schemaOf("Literal[Color.RED]", above), { type: "string", enum: ["red"] });
});

// Contract: scripts-22
test("a dataclass is an object of its fields, including inherited ones", { skip }, async () => {
  const above = `@dataclass
class Base:
    id: int
@dataclass(frozen=True)
class Point(Base):
    """A point.

    Attributes:
        x: to the right
    """
    x: float
    y: float = 0.5
    tags: list[str] = field(default_factory=list)
    kind: ClassVar[str] = "p"`;
  assert.deepEqual(await schemaOf("Point", above), {
    type: "object",
    properties: {
      id: { type: "integer" },
      x: { type: "number", description: "to the right" },
      y: { type: "number", default: 0.5 },
      tags: { type: "array", items: { type: "string" } },
    },
    required: ["id", "x"],
    additionalProperties: false,
    description: "A point.",
  });
});

// Contract: scripts-22
test(
  "a TypedDict is an object; total and NotRequired determine the optional fields",
  { skip },
  async () => {
    const above = `class Movie(TypedDict):
    title: str
    year: NotRequired[int]
class Loose(TypedDict, total=False):
    a: Required[int]
    b: str
Made = TypedDict("Made", {"in": int})`;
    assert.deepEqual(await schemaOf("Movie", above), {
      type: "object",
      properties: { title: { type: "string" }, year: { type: "integer" } },
      required: ["title"],
      additionalProperties: false,
    });
    const loose = (await schemaOf("Loose", above)) as { readonly required: unknown };
    assert.deepEqual(loose.required, ["a"]);
    assert.deepEqual(await schemaOf("Made", above), {
      type: "object",
      properties: { in: { type: "integer" } },
      required: ["in"],
      additionalProperties: false,
    });
  },
);

// Contract: scripts-22
test("a pydantic model is an object of its fields, without pydantic", { skip }, async () => {
  const above = `class Query(BaseModel):
    model_config = ConfigDict(extra="forbid")
    text: str = Field(..., description="the text to search", min_length=1)
    limit: int = Field(10, ge=1, le=50)
    sort_by: str = Field("date", alias="sortBy")
    _cache: dict = {}`;
  assert.deepEqual(await schemaOf("Query", above), {
    type: "object",
    properties: {
      text: { type: "string", description: "the text to search", minLength: 1 },
      limit: { type: "integer", minimum: 1, maximum: 50, default: 10 },
      sortBy: { type: "string", default: "date" },
    },
    required: ["text"],
    additionalProperties: false,
  });
});

// Contract: scripts-22
test(
  "a class that contains itself becomes a definition that refers to itself",
  { skip },
  async () => {
    const parsed = await read(
      'from __future__ import annotations\n@dataclass\nclass Node:\n    name: str\n    children: list[Node]\ndef f(root: Node):\n    "Does."\n',
    );
    const { properties, $defs } = functionOf(parsed).parameters as {
      readonly properties: unknown;
      readonly $defs: unknown;
    };
    assert.deepEqual(properties, { root: { $ref: "#/$defs/Node" } });
    assert.deepEqual($defs, {
      Node: {
        type: "object",
        properties: {
          name: { type: "string" },
          children: { type: "array", items: { $ref: "#/$defs/Node" } },
        },
        required: ["name", "children"],
        additionalProperties: false,
      },
    });
  },
);

// Contract: scripts-24
test("an unknown type accepts any value, and is a warning with its line", { skip }, async () => {
  const parsed = await read('\n\ndef f(x: numpy.ndarray):\n    "Does."\n');
  assert.deepEqual(propertyOf(parsed, "x"), {});
  assert.deepEqual(parsed.problems, [
    {
      severity: "warning",
      message: "The type numpy.ndarray is unknown: any value is accepted.",
      line: 3,
      column: 10,
    },
  ]);
});

test("circular aliases end", { skip }, async () => {
  const parsed = await read('A = "B"\nB = "A"\ndef f(x: A):\n    "Does."\n');
  assert.deepEqual(propertyOf(parsed, "x"), {});
  assert.equal(parsed.problems.length, 1);
});
