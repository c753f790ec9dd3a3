import type {
  Tool,
  ToolGroup,
  ToolEffects,
  GrantOffer,
  ExecutionDecision,
  MissingNeed,
  PreviewContext,
  ResultApprovalPolicy,
} from "./tool.ts";
import type { ToolArgs, JsonSchema } from "../base/json.ts";
import { CapstanError, errorMessage } from "../base/errors.ts";
import type { ContentParts, ToolError, WithAnnotations } from "./return-value.ts";
import { closedSchema } from "./closed-schema.ts";
import { groupProblem, namePattern } from "./registry.ts";
import type { ToolContext } from "./tool-context.ts";

type Parameters = StandardSchema | JsonSchema;

/** Arguments as `execute` gets them: inferred from a Standard Schema, else `Explicit`. */
type ArgsOf<P, Explicit> = P extends StandardSchema ? OutputOf<P> : Explicit;

type Passed = Pick<
  Tool,
  | "version"
  | "idempotent"
  | "SKIP_EXTERNAL_TRUNCATE"
  | "SKIP_CACHE_RESULT"
  | "DEFAULT_OUTPUT_LIMIT_CHAR"
  | "DEFAULT_OUTPUT_LIMIT_TOKENS"
  | "stopMs"
  | "maxConcurrent"
  | "retry"
  | "compressResult"
  | "declaredReturnType"
  | "alwaysOffered"
  | "asksUser"
  | "variableTool"
  | "output"
  | "hidden"
  | "final"
  | "unavailable"
  | "examples"
  | "errors"
>;

/** The options of `defineTool`. `Tool` documents the fields that both have. */
export interface ToolOptions<P extends Parameters, Args, Data> extends Passed {
  /** The name that the model uses: `^[a-zA-Z0-9_-]{1,64}$`. */
  readonly name: string;
  readonly description: string;
  /** Zod, another Standard Schema with JSON Schema output, or JSON Schema. Absent: no arguments. */
  readonly parameters?: P;
  readonly strict?: boolean;
  readonly permission?: {
    readonly executionPolicy?: ExecutionDecision | ((args: Args) => ExecutionDecision);
    readonly resultApprovalPolicy?: ResultApprovalPolicy;
    readonly grantScope?: (args: Args) => GrantOffer;
    readonly sharesGrants?: string;
    readonly canonicalArguments?: (args: Args) => ToolArgs;
    readonly readsVariables?: (args: Args) => readonly string[];
    readonly preview?: (args: Args, context: PreviewContext) => Promise<string | ToolError>;
    readonly approvalMs?: number;
  };
  readonly timeoutMs?: number | ((args: Args) => number | undefined);
  readonly effects?:
    | Exclude<ToolEffects, object>
    | { readonly locks: (args: Args) => readonly string[] };
  /** Absent if a client runs the tool. */
  readonly execute?: (
    args: Args,
    context: ToolContext,
  ) =>
    | Data
    | ToolError
    | ContentParts
    | WithAnnotations
    | Promise<Data | ToolError | ContentParts | WithAnnotations>;
  readonly formatForLLM?: (data: Data, args: Args) => string;
  readonly truncateForLLM?: (formatted: string, args: Args & { readonly limit?: number }) => string;
  readonly compressArgs?: (args: Args) => string;
}

/**
 * Creates a tool. With a Standard Schema, the arguments are typed and its defaults are filled in.
 * If its refinements reject the arguments, the model gets an error.
 *
 * @throws CapstanError `invalid_tool` for a name that providers reject, or a schema without a JSON
 * Schema.
 * @example
 * const add = defineTool({
 *   name: "Add",
 *   description: "Adds two numbers.",
 *   parameters: z.object({ a: z.number(), b: z.number() }),
 *   effects: "read",
 *   permission: { executionPolicy: "auto" },
 *   execute: ({ a, b }) => a + b,
 * });
 */
export function defineTool<const P extends Parameters, Data, Explicit = ToolArgs>(
  options: ToolOptions<P, ArgsOf<P, Explicit>, Data>,
): Tool {
  const { name, description, parameters, strict, execute, ...rest } = options;
  if (!namePattern.test(name)) {
    throw new CapstanError({
      code: "invalid_tool",
      message: `The tool name "${name}" does not match ${namePattern.source}, the pattern that every provider accepts. Choose another.`,
    });
  }
  const schema =
    parameters === undefined ? undefined : isStandardSchema(parameters) ? parameters : undefined;
  const jsonSchema =
    schema === undefined ? (parameters as JsonSchema | undefined) : jsonSchemaOf(name, schema);
  // Arguments are untyped here, because the gate validates them before it calls any of these
  // functions.
  const untyped = rest as unknown as Omit<Tool, "definition" | "execute">;
  return {
    ...(schema === undefined ? untyped : withParsedArguments(schema, untyped)),
    definition: {
      type: "function",
      function: {
        name,
        description,
        ...(jsonSchema !== undefined && { parameters: jsonSchema }),
        ...(strict !== undefined && { strict }),
      },
    },
    ...(schema !== undefined && {
      argumentsSchema: closedSchema(jsonSchema ?? {}),
      check: checkWith(schema),
    }),
    ...(execute !== undefined && {
      execute: executeWith(schema, execute as NonNullable<Tool["execute"]>),
    }),
  };
}

function checkWith(schema: StandardSchema): NonNullable<Tool["check"]> {
  const problems = (result: { readonly issues?: readonly StandardIssue[] | undefined }) =>
    result.issues?.map(describeIssue) ?? noProblems;
  return (args) => {
    const result = schema["~standard"].validate(args);
    return result instanceof Promise ? result.then(problems) : problems(result);
  };
}

const noProblems: readonly string[] = [];

/** Passes the schema's output to `execute`: with defaults and transforms applied. */
function executeWith(
  schema: StandardSchema | undefined,
  execute: NonNullable<Tool["execute"]>,
): NonNullable<Tool["execute"]> {
  if (schema === undefined) return execute;
  return (args, context) => {
    const parsed = schema["~standard"].validate(args);
    if (parsed instanceof Promise)
      return parsed.then((result) => execute(valueOf(result), context));
    return execute(valueOf(parsed), context);
  };
}

function valueOf(result: {
  readonly value?: unknown;
  readonly issues?: readonly unknown[] | undefined;
}): ToolArgs {
  if (result.issues !== undefined)
    throw new Error("The arguments changed after they were checked.");
  return result.value as ToolArgs;
}

/**
 * The callbacks of a tool that take its arguments, as their last parameter. `preview` takes them as
 * its first parameter.
 */
const takesArguments: ReadonlySet<string> = new Set([
  "executionPolicy",
  "grantScope",
  "canonicalArguments",
  "readsVariables",
  "preview",
  "locks",
  "timeoutMs",
  "formatForLLM",
  "truncateForLLM",
  "compressArgs",
]);

/** Wraps a tool's callbacks so that they get the schema's output as arguments, like `execute`. */
function withParsedArguments<T>(schema: StandardSchema, tool: T): T {
  const members = Object.entries(tool as { readonly [name: string]: unknown }).map(
    ([key, member]) => {
      if ((key === "permission" || key === "effects") && typeof member === "object" && member)
        return [key, withParsedArguments(schema, member)];
      if (typeof member !== "function" || !takesArguments.has(key)) return [key, member];
      const at = key === "preview" ? 0 : -1;
      const call = (...given: unknown[]): unknown =>
        Reflect.apply(member, tool, given.with(at, parse(schema, given.at(at) as ToolArgs)));
      return [key, call];
    },
  );
  return Object.fromEntries(members) as T;
}

/** An asynchronous schema leaves the arguments unchanged; `limit` is the executor's. */
function parse(schema: StandardSchema, args: ToolArgs): ToolArgs {
  const result = schema["~standard"].validate(args);
  if (result instanceof Promise || result.issues !== undefined) return args;
  const { limit } = args;
  return { ...(limit !== undefined && { limit }), ...(result.value as ToolArgs) };
}

/**
 * Defines a named set of tools.
 *
 * @throws CapstanError `invalid_tool_group` for a name that cannot be an id, or for two tools with
 * the same name
 */
export function defineToolGroup(group: ToolGroup): ToolGroup {
  const problem = groupProblem(group);
  if (problem !== undefined)
    throw new CapstanError({ code: "invalid_tool_group", message: problem });
  return group;
}

/**
 * Marks tools as unavailable, because something that they need is missing. Lists show the tools
 * with their need, and models are not offered them.
 *
 * @param need what is missing; if undefined, the tools are returned unchanged
 * @example withNeed(key === undefined ? { needs: "a key for Tavily" } : undefined, [webSearch()])
 */
export function withNeed(need: MissingNeed | undefined, tools: readonly Tool[]): readonly Tool[] {
  return need === undefined ? tools : tools.map((tool) => ({ ...tool, unavailable: need }));
}

/**
 * A Standard Schema with JSON Schema output, for example of Zod 4.2, ArkType or Valibot. Lists only
 * the members that Capstan uses. Source: standardschema.dev, versions 1 of both specifications.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly jsonSchema: {
      readonly input: (options: {
        readonly target: "draft-2020-12" | "draft-07";
      }) => Record<string, unknown>;
    };
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

type OutputOf<S> = S extends StandardSchema<infer _Input, infer Output> ? Output : never;

/** ArkType's schemas are functions. */
function isStandardSchema(schema: unknown): schema is StandardSchema {
  const isObject = typeof schema === "object" || typeof schema === "function";
  return isObject && schema !== null && "~standard" in schema;
}

/**
 * Returns the schema's input as JSON Schema, without keywords that only waste tokens.
 *
 * @throws CapstanError `invalid_tool` for a schema that JSON Schema cannot represent
 */
function jsonSchemaOf(tool: string, schema: StandardSchema): JsonSchema {
  const { vendor, jsonSchema } = schema["~standard"] as Partial<StandardSchema["~standard"]>;
  if (jsonSchema === undefined) {
    const message = `The parameters of "${tool}" are a schema of ${vendor} without a JSON Schema, which models need. Convert it with ${vendor}'s converter, or write JSON Schema.`;
    throw new CapstanError({ code: "invalid_tool", message });
  }
  try {
    const { $schema: _dialect, ...rest } = jsonSchema.input({ target: "draft-2020-12" });
    return withoutSafeBounds(rest) as JsonSchema;
  } catch (cause) {
    const message = `The parameters of "${tool}" cannot be converted to JSON Schema: ${errorMessage(cause)}`;
    throw new CapstanError({ code: "invalid_tool", message, cause });
  }
}

/** Zod adds the range of safe integers to every whole number, ten tokens each time. */
function withoutSafeBounds(schema: unknown): unknown {
  if (typeof schema !== "object" || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(withoutSafeBounds);
  const members = Object.entries(schema)
    .filter(
      ([key, value]) =>
        !(key === "maximum" && value === Number.MAX_SAFE_INTEGER) &&
        !(key === "minimum" && value === Number.MIN_SAFE_INTEGER),
    )
    .map(([key, value]) => [key, isData(key) ? value : withoutSafeBounds(value)] as const);
  return Object.fromEntries(members);
}

function isData(keyword: string): boolean {
  return ["const", "default", "enum", "examples"].includes(keyword);
}

/** Describes an issue in one line: `start: expected a positive number`. */
function describeIssue(issue: StandardIssue): string {
  const path = (issue.path ?? [])
    .map((part) => String(typeof part === "object" ? part.key : part))
    .join(".");
  return path === "" ? issue.message : `${path}: ${issue.message}`;
}
