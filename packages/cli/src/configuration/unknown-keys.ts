import { didYouMean } from "../arguments/did-you-mean.ts";
import type { SettingProblem } from "./check-settings.ts";
import { settingsSchema } from "./settings-schema.ts";

const { code, scripts, web, limits, retention } = settingsSchema.shape;
/** Settings that have settings of their own. */
const sections = { code, scripts, web, limits, retention };

/** Settings of earlier versions, with what to do about them. */
const removed: { readonly [path: string]: string } = {
  "retention.deltaDays":
    "Remove it: an hour after a run's end its deltas are replayed as one for each text.",
};

/** Keys that mean nothing, each with the one that was probably meant. */
export function unknownKeys(raw: unknown): readonly SettingProblem[] {
  if (!isObject(raw)) return [];
  return [
    ...unknownIn(raw, [], Object.keys(settingsSchema.shape)),
    ...Object.entries(sections).flatMap(([name, section]) =>
      unknownIn(raw[name], [name], Object.keys(section.unwrap().shape)),
    ),
  ];
}

function unknownIn(
  value: unknown,
  path: SettingProblem["path"],
  known: readonly string[],
): SettingProblem[] {
  if (!isObject(value)) return [];
  return Object.keys(value)
    .filter((key) => !known.includes(key))
    .map((key) => ({
      path: [...path, key],
      message: `is no setting and changes nothing.${adviceFor([...path, key].join("."), didYouMean(key, known))}`,
    }));
}

function adviceFor(path: string, otherwise: string): string {
  const advice = removed[path];
  return advice === undefined ? otherwise : ` ${advice}`;
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
