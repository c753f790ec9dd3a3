import { parseArgs } from "node:util";
import { newSeed } from "../breaking/random.ts";
import { type Combination, combinations } from "../breaking/stores/combinations.ts";
import type { Attack } from "./attack.ts";
import { attacks } from "./attacks.ts";

/** The parsed arguments of `npm run test:attack`. */
export type Asked =
  | { readonly status: "told"; readonly text: string }
  | { readonly status: "unclear"; readonly text: string }
  | {
      readonly status: "clear";
      readonly attacks: readonly Attack[];
      readonly on: readonly Combination[];
      readonly seed: number;
      /** Undefined: each attack's full length. */
      readonly minutes: number | undefined;
    };

const list = attacks
  .map(({ name, title, minutes, length = "once", on }) => {
    const time = minutes === "once" ? length : `${minutes} min`;
    return `  ${name.padEnd(12)}${time.padEnd(12)}${on.join(", ").padEnd(20)}${title}\n`;
  })
  .join("");

const help = `npm run test:attack [-- options]

Attacks Capstan in every way that there is an attack for, and ends with a table. Exits with 1 if a promise was broken.

  --list            the attacks
  --only NAME       only attacks whose name contains NAME; may be repeated
  --on DATABASE     only there: ${combinations.map(({ name }) => name).join(", ")}
  --seed N          repeats what chance chose in an earlier run
  --for MINUTES     for each attack on each database, instead of its own time; 0 for one round

Attacks (full length, databases):

${list}`;

export function readCommandLine(args: readonly string[]): Asked {
  let values;
  try {
    ({ values } = parseArgs({
      args: [...args],
      options: {
        help: { type: "boolean", short: "h", default: false },
        list: { type: "boolean", default: false },
        only: { type: "string", multiple: true, default: [""] },
        on: { type: "string" },
        seed: { type: "string" },
        for: { type: "string" },
      },
    }));
  } catch (thrown) {
    return unclear(thrown instanceof Error ? thrown.message : String(thrown));
  }
  const { only, on, seed, for: minutes } = values;
  if (values.help) return { status: "told", text: help };
  if (values.list) return { status: "told", text: list };
  const chosen = attacks.filter(({ name }) => only.some((part) => name.includes(part)));
  if (chosen.length === 0) return unclear(`No attack's name contains "${only.join('" or "')}".`);
  const places = combinations.filter(({ name }) => on === undefined || name === on);
  if (places.length === 0) return unclear(`There is no database "${on}".`);
  if (seed !== undefined && !/^\d{1,15}$/.test(seed)) return unclear("--seed is a whole number.");
  if (minutes !== undefined && !/^\d+(\.\d+)?$/.test(minutes))
    return unclear("--for is a number of minutes.");
  return {
    status: "clear",
    attacks: chosen,
    on: places,
    seed: seed === undefined ? newSeed() : Number(seed),
    minutes: minutes === undefined ? undefined : Number(minutes),
  };
}

function unclear(problem: string): Asked {
  return { status: "unclear", text: `${problem}\n\n${help}` };
}
