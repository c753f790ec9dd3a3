import { errorMessage } from "@capstan/core/host";

/** The front matter of a `SKILL.md`, and the Markdown after it. */
export type FrontMatter =
  | { readonly status: "read"; readonly fields: FrontFields; readonly body: string }
  | { readonly status: "invalid"; readonly problem: string };

interface FrontFields {
  readonly name: string;
  readonly description: string;
  /** Whether only users, not models, may choose the skill. */
  readonly isHidden: boolean;
}

const mostCharacters = 16_384;

/**
 * Reads the YAML front matter of a skill. Aliases are not resolved, so that a small file cannot
 * become a large value.
 */
export async function readFrontMatter(text: string): Promise<FrontMatter> {
  const [, yaml, body = ""] =
    /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n([\s\S]*))?$/.exec(text) ?? [];
  if (yaml === undefined)
    return invalid("it does not begin with front matter between two lines `---`");
  if (yaml.length > mostCharacters)
    return invalid(`its front matter has more than ${mostCharacters} characters`);
  const parsed = await parseYaml(yaml);
  if (parsed.status === "invalid") return parsed;
  const { value } = parsed;
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return invalid("its front matter is not a YAML mapping");
  const fields = value as { readonly [field: string]: unknown };
  const { name, description } = fields;
  if (typeof name !== "string" || !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name) || name.length > 64)
    return invalid(
      "`name` must have 1 to 64 of the characters a-z, 0-9 and single hyphens between them",
    );
  if (typeof description !== "string" || description.trim() === "")
    return invalid("`description` must be a text");
  const isHidden = fields["disable-model-invocation"] === true;
  return { status: "read", fields: { name, description, isHidden }, body };
}

async function parseYaml(
  text: string,
): Promise<
  { readonly status: "read"; readonly value: unknown } | (FrontMatter & { status: "invalid" })
> {
  const { parse } = await import("yaml");
  const options = { maxAliasCount: 0, logLevel: "error" } as const;
  try {
    // Accept descriptions with an unquoted colon, which many skills have.
    return { status: "read", value: parse(quoted(text), options) };
  } catch (error) {
    const [line = ""] = errorMessage(error).split("\n");
    return invalid(`its front matter is not valid YAML: ${line.slice(0, 200)}`);
  }
}

function quoted(text: string): string {
  return text.replaceAll(
    /^(description|compatibility):[ \t]+([^\n"'|>&*[{\s#].*:[ \t].*)$/gm,
    (_, key: string, value: string) => `${key}: ${JSON.stringify(value)}`,
  );
}

function invalid(problem: string): FrontMatter & { status: "invalid" } {
  return { status: "invalid", problem };
}
