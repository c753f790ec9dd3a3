import { parseArgs } from "node:util";
import { type Combination, combinations } from "./stores/combinations.ts";
import type { Proof } from "./proof.ts";
import { proofs } from "./proofs.ts";

/** The parsed arguments of `npm run test:breaking`. */
export type Asked =
  | { readonly status: "help"; readonly text: string }
  | { readonly status: "unclear"; readonly text: string }
  | {
      readonly status: "clear";
      readonly proofs: readonly Proof[];
      readonly on: readonly Combination[];
      readonly seed: number | undefined;
      /** Undefined: each proof's full count. */
      readonly times: number | undefined;
      readonly write: boolean;
    };

const known = `  proofs        ${proofs.map(({ name }) => name).join(", ")}
  combinations  ${combinations.map(({ name }) => name).join(", ")}
`;

const help = `npm run test:breaking [-- NAME…] [options]

Runs all proofs: each breaks nodes in one way, and then audits their state. NAME is a part of a proof's name.

${known}
  --on COMBINATION  only there
  --seed N          the moments of an earlier run, as it printed its seed
  --times N         instead of the full count
  --write           puts what came of it into docs/reference/durability.md
`;

export function readCommandLine(args: readonly string[]): Asked {
  let given;
  try {
    given = parseArgs({
      args: [...args],
      options: {
        help: { type: "boolean", short: "h", default: false },
        on: { type: "string" },
        seed: { type: "string" },
        times: { type: "string" },
        write: { type: "boolean", default: false },
      },
      allowPositionals: true,
    });
  } catch (thrown) {
    return unclear(thrown instanceof Error ? thrown.message : String(thrown));
  }
  const { values, positionals: names } = given;
  if (values.help) return { status: "help", text: help };
  const chosen = proofs.filter(
    ({ name }) => names.length === 0 || names.some((part) => name.includes(part)),
  );
  const on = combinations.filter(({ name }) => values.on === undefined || name === values.on);
  if (chosen.length === 0) return unclear(`No proof's name contains ${names.join(" or ")}.`);
  if (on.length === 0) return unclear(`There is no combination "${values.on}".`);
  const [seed, times] = [values.seed, values.times].map((text) =>
    text === undefined ? undefined : Number(text),
  );
  if (seed !== undefined && !Number.isSafeInteger(seed))
    return unclear("--seed is a whole number.");
  if (times !== undefined && !(Number.isSafeInteger(times) && times > 0))
    return unclear("--times is a whole number from 1 on.");
  return { status: "clear", proofs: chosen, on, seed, times, write: values.write };
}

function unclear(problem: string): Asked {
  return { status: "unclear", text: `${problem} There are\n${known}--help says more.\n` };
}
