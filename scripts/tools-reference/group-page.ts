import type { JsonSchema, Tool, ToolGroup } from "@capstan/core";
import { typeText } from "./type-text.ts";

/** The root of the reference's file tools, whose path descriptions of groups contain. */
export const documentedRoot = "/workspace";

/** Returns the reference page of a group, as Markdown. */
export function groupPage(group: ToolGroup): string {
  const { name, title = name, description = "", tools } = group;
  return `${[
    `# ${title} (\`${name}\`)`,
    "<!-- Written by `npm run tools-reference` from the definitions. -->",
    described(description),
    ...tools.map((tool) => toolSection(tool)),
  ].join("\n\n")}\n`;
}

/** Returns the index of all groups, as Markdown. */
export function indexPage(groups: readonly ToolGroup[]): string {
  const rows = groups.map(
    ({ name, description = "", tools }) =>
      `| [\`${name}\`](${name}.md) | ${cell(described(description))} | ${tools.map(toolLink(name)).join(", ")} |`,
  );
  return `# Tools

<!-- Written by \`npm run tools-reference\` from the definitions. -->

The tools of each built-in group, with parameters, effects, approval, errors and examples. [Built-in tools](../../guides/built-in-tools.md) explains how to use them.

| Group | Description | Tools |
|---|---|---|
${rows.join("\n")}
`;
}

function toolLink(group: string): (tool: Tool) => string {
  return ({ definition: { function: spec } }) =>
    `[\`${spec.name}\`](${group}.md#${spec.name.toLowerCase()})`;
}

function toolSection(tool: Tool): string {
  const { definition, examples = [], errors = {}, declaredReturnType: returns } = tool;
  const { name, description = "", parameters } = definition.function;
  const returned =
    returns === undefined
      ? []
      : [`Returns \`${returns.type}\`${returns.note === undefined ? "" : `: ${returns.note}`}`];
  return [
    `## ${name}`,
    described(description),
    parameterTable(parameters),
    ...returned,
    facts(tool),
    ...errorTable(errors),
    ...examples.map(
      ({ title, args }) => `${title}\n\n\`\`\`json\n${JSON.stringify(args, null, 2)}\n\`\`\``,
    ),
  ].join("\n\n");
}

function parameterTable(schema: JsonSchema | undefined): string {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    readonly properties?: { readonly [name: string]: JsonSchema };
    readonly required?: readonly string[];
  };
  const rows = Object.entries(properties).map(([name, property]) => {
    const { description = "", default: preset } = property as {
      readonly description?: string;
      readonly default?: unknown;
    };
    const isRequired = required.includes(name) && preset === undefined;
    const fallback = preset === undefined ? "" : `\`${cell(JSON.stringify(preset))}\``;
    return `| \`${name}\` | \`${cell(typeText(property))}\` | ${isRequired ? "required" : fallback} | ${cell(description)} |`;
  });
  return rows.length === 0
    ? "It has no parameters."
    : `| Parameter | Type | Default | Description |\n|---|---|---|---|\n${rows.join("\n")}`;
}

const approvals = {
  auto: "never",
  "ask-once": "once",
  "ask-always": "for each call",
  deny: "not possible: its calls are denied",
};

const reviews = { never: undefined, "on-error": "of errors", always: "always" };

/** Returns a list of the tool's need, effects, policy and limits. */
function facts({ effects = "write", permission = {}, timeoutMs, unavailable }: Tool): string {
  const { executionPolicy = "ask-once", resultApprovalPolicy = "never" } = permission;
  const approval =
    typeof executionPolicy === "function" ? "depends on the arguments" : approvals[executionPolicy];
  const review = reviews[resultApprovalPolicy];
  return [
    ...(unavailable === undefined ? [] : [`- Needs: ${unavailable.needs}`]),
    `- Effects: ${typeof effects === "string" ? `\`${effects}\`` : "writes; calls on the same names wait for each other"}`,
    `- Approval: ${approval}`,
    ...(review === undefined ? [] : [`- Review of results: ${review}`]),
    ...(timeoutMs === undefined
      ? []
      : [
          `- Time limit: ${typeof timeoutMs === "function" ? "depends on the arguments" : `${timeoutMs / 1_000} s`}`,
        ]),
  ].join("\n");
}

function errorTable(errors: NonNullable<Tool["errors"]>): readonly string[] {
  const rows = Object.entries(errors).map(
    ([code, meaning]) => `| \`${code}\` | ${cell(meaning)} |`,
  );
  return rows.length === 0 ? [] : [`| Error | Meaning |\n|---|---|\n${rows.join("\n")}`];
}

/** Returns a description with the configured folders in place of the reference's root. */
function described(text: string): string {
  return text.replaceAll(documentedRoot, "the configured folders");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("***", "\\*\\*\\*").replaceAll(/\s+/g, " ").trim();
}
