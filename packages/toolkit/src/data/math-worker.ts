import { answerJobs } from "../text/answer-jobs.ts";
import { all, create } from "../libraries/math.ts";
import { answerOf, DataProblem } from "./data-problem.ts";

/** The input of the worker. */
export interface MathJob {
  readonly expression: string;
  readonly variables: Readonly<Record<string, number | string>>;
  readonly units: Readonly<Record<string, string>>;
}

/** The result of each line that has one. */
export interface MathResult {
  readonly results: readonly string[];
}

/** The most digits of an exact result; longer ones are rounded to `roundedDigits`. */
const exactDigits = 50;
const roundedDigits = 20;

answerJobs((job: MathJob) => answerOf(() => calculate(job)));

function calculate({ expression, variables, units }: MathJob): MathResult {
  // Each job has its own calculator, so that it does not see units and settings of other jobs.
  const math = create(all);
  math.config({ number: "BigNumber", precision: 64 });
  try {
    for (const [name, definition] of Object.entries(units))
      if (definition === "") math.createUnit(name);
      else math.createUnit(name, definition);
    const scope = new Map<string, unknown>();
    for (const [name, value] of Object.entries(variables))
      scope.set(
        name,
        typeof value === "number" ? math.bignumber(String(value)) : math.evaluate(value),
      );
    const value: unknown = math.evaluate(expression, scope as never);
    const entries: readonly unknown[] = math.isResultSet(value)
      ? (value as { readonly entries: readonly unknown[] }).entries
      : [value];
    return { results: entries.map(shown) };
  } catch (thrown) {
    if (thrown instanceof DataProblem || !(thrown instanceof Error)) throw thrown;
    throw new DataProblem("invalid_expression", thrown.message.replace(/\.?$/, "."));
  }

  function shown(value: unknown): string {
    const type = math.typeOf(value);
    if (type === "function" || type === "Object" || type === "undefined")
      throw new DataProblem(
        "invalid_expression",
        `The result is ${type === "undefined" ? "nothing" : `of the type ${type}`}, not a value.`,
      );
    if (typeof value === "number" || math.isBigNumber(value)) {
      const number = Number(value);
      if (Number.isNaN(number))
        throw new DataProblem("invalid_expression", "The result is not a number (NaN).");
      if (typeof value === "number" ? !Number.isFinite(value) : !value.isFinite())
        throw new DataProblem("invalid_expression", "The result is infinite.");
    }
    if (math.isBigNumber(value)) {
      const isExact = value.precision() <= exactDigits;
      const isReadable = Math.abs(value.e) < exactDigits;
      const rounded = isExact ? value : value.toSignificantDigits(roundedDigits);
      return isReadable ? rounded.toFixed() : rounded.toString();
    }
    return math.format(value, { precision: roundedDigits });
  }
}
