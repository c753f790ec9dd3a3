import { didYouMean } from "../arguments/parse-options.ts";
import { type Settings, settingsSchema } from "./settings-schema.ts";

export type Path = readonly (string | number)[];

/** An invalid value or an unknown key, and its path. */
export interface SettingProblem {
  readonly path: Path;
  readonly message: string;
}

export type CheckedSettings =
  | { readonly status: "valid"; readonly settings: Settings }
  | { readonly status: "invalid"; readonly findings: readonly SettingProblem[] };

/** Validates the settings of one source. Each message names the expected and the given value. */
export function checkSettings(raw: unknown): CheckedSettings {
  const result = settingsSchema.safeParse(raw);
  if (result.success) return { status: "valid", settings: result.data };
  return {
    status: "invalid",
    findings: result.error.issues.map((issue) => {
      const path = issue.path.map((key) => (typeof key === "symbol" ? String(key) : key));
      // The gate's message for a rule is complete.
      if (issue.code === "custom" && issue.path[0] === "rules")
        return { path, message: issue.message };
      return { path, message: `expected ${issue.message}, got ${show(valueAt(raw, path))}` };
    }),
  };
}

/** `rules[0].tool` */
export function formatPath(path: Path): string {
  return path.reduce<string>(
    (text, key) => (typeof key === "number" ? `${text}[${key}]` : text ? `${text}.${key}` : key),
    "",
  );
}

/** Returns the value at a path, or `undefined`. */
export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (at, key) =>
      typeof at === "object" && at !== null
        ? (at as Record<string | number, unknown>)[key]
        : undefined,
    value,
  );
}

function show(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

const { approvals, code, files, knowledge, mcp, scripts, siyuan, web, limits, retention } =
  settingsSchema.shape;
const { requestServers, images, transcription, vision } = settingsSchema.shape;
/** Settings whose values are objects of settings. */
const sections = {
  approvals,
  code,
  files,
  images,
  knowledge,
  mcp,
  requestServers,
  scripts,
  siyuan,
  transcription,
  vision,
  web,
  limits,
  retention,
};

/** Settings of earlier versions, each with advice on how to replace it. */
const removed: { readonly [path: string]: string } = {
  "retention.deltaDays":
    " Remove it: an hour after a run's end its deltas are replayed as one for each text.",
  "images.key": " Set it as the variable CAPSTAN_IMAGES_KEY, because it is a secret.",
  "transcription.key": " Set it as the variable CAPSTAN_TRANSCRIPTION_KEY, because it is a secret.",
  "web.search.key":
    " Set it as the variable of the service, such as TAVILY_API_KEY, because it is a secret.",
  "siyuan.token": " Set it as the variable CAPSTAN_SIYUAN_TOKEN, because it is a secret.",
  "scripts.authors":
    ' Remove it: the right "admin" of a key in CAPSTAN_API_KEYS allows its users to see and change scripts.',
};

/** Returns the unknown keys, each with the key that was probably meant. */
export function unknownKeys(raw: unknown): readonly SettingProblem[] {
  if (!isObject(raw)) return [];
  return [
    ...unknownIn(raw, [], Object.keys(settingsSchema.shape)),
    ...Object.entries(sections).flatMap(([name, section]) =>
      unknownIn(raw[name], [name], Object.keys(section.unwrap().shape)),
    ),
    ...unknownIn(
      valueAt(raw, ["web", "search"]),
      ["web", "search"],
      Object.keys(web.unwrap().shape.search.unwrap().shape),
    ),
  ];
}

function unknownIn(value: unknown, path: Path, known: readonly string[]): SettingProblem[] {
  if (!isObject(value)) return [];
  return Object.keys(value)
    .filter((key) => !known.includes(key))
    .map((key) => {
      const advice = removed[[...path, key].join(".")] ?? didYouMean(key, known);
      return { path: [...path, key], message: `is not a setting and has no effect.${advice}` };
    });
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
