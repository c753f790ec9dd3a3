import type { JsonValue } from "../../base/json.ts";
import { isObject } from "../../json/json-value.ts";

/** A custom event of a running tool. */
export interface StageEvent {
  readonly name: string;
  readonly data: JsonValue;
}

/**
 * The stages of each event family that clients know, in order. `repeats`: events that occur any
 * number of times, with the index of their stage.
 */
const families: {
  readonly [family: string]: {
    readonly stages: readonly string[];
    readonly repeats: { readonly [name: string]: number };
  };
} = {
  image_generation: {
    stages: ["in_progress", "generating", "completed"],
    repeats: { partial_image: 1 },
  },
  file_search: { stages: ["in_progress", "searching", "completed"], repeats: {} },
  web_search: { stages: ["in_progress", "searching", "completed"], repeats: {} },
  code_interpreter: {
    stages: ["in_progress", "interpreting", "completed"],
    repeats: { code: 0 },
  },
};

/**
 * Returns the family of a tool's type in a request: `web_search` also for its older names.
 *
 * @example hostedFamily("web_search_preview_2025_03_11") // "web_search"
 */
export function hostedFamily(type: string): string | undefined {
  const family = type.replace(/(?:_preview)?(?:_\d{4}_\d\d_\d\d)?$/, "");
  return Object.hasOwn(families, family) ? family : undefined;
}

/**
 * Completes the events of a tool that has a hosted type, or that reports the events of one: adds the
 * stages that the tool left out, and drops events that come too late. So every reader gets the
 * stages in the order that clients expect.
 */
export class HostedStages {
  /** The number of stages that were reported, by family. */
  readonly #reported = new Map<string, number>();
  #images = 0;

  /**
   * @param type the type of the tool in the request, for example `web_search`: its stages are
   * reported even if the tool reports none
   */
  constructor(type?: string) {
    const family = type === undefined ? undefined : hostedFamily(type);
    if (family !== undefined) this.#reported.set(family, 0);
  }

  /** Returns the events to report for a tool's own event. */
  take({ name, data }: StageEvent): readonly StageEvent[] {
    const dot = name.indexOf(".");
    const family = name.slice(0, dot);
    const known = dot > 0 && Object.hasOwn(families, family) ? families[family] : undefined;
    if (known === undefined) return [{ name, data }];
    const own = name.slice(dot + 1);
    const reported = this.#reported.get(family) ?? 0;
    const repeat = Object.hasOwn(known.repeats, own) ? known.repeats[own] : undefined;
    if (repeat !== undefined) {
      const isLate = reported > repeat + 1;
      return isLate
        ? []
        : [...this.#advance(family, repeat + 1), { name, data: this.#numbered(own, data) }];
    }
    const stage = known.stages.indexOf(own);
    if (stage === -1) return [{ name, data }];
    if (stage < reported) return [];
    const before = this.#advance(family, stage);
    this.#reported.set(family, stage + 1);
    return [...before, { name, data }];
  }

  /** Returns the missing stages of a tool that succeeded. */
  end(): readonly StageEvent[] {
    return [...this.#reported.keys()].flatMap((family) =>
      this.#advance(family, families[family]?.stages.length ?? 0),
    );
  }

  /** Reports the stages of a family up to a number of stages. */
  #advance(family: string, upTo: number): readonly StageEvent[] {
    const { stages = [] } = families[family] ?? {};
    const reported = this.#reported.get(family) ?? 0;
    this.#reported.set(family, Math.max(reported, upTo));
    return stages.slice(reported, upTo).map((stage) => ({ name: `${family}.${stage}`, data: {} }));
  }

  /** Numbers partial images if the tool does not. */
  #numbered(name: string, data: JsonValue): JsonValue {
    if (name !== "partial_image" || !isObject(data)) return data;
    const { index } = data;
    const number = typeof index === "number" ? index : this.#images;
    this.#images = number + 1;
    return { ...data, index: number };
  }
}
