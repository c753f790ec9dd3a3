/** What was found of a service that servers share, in words for people: never with a password. */
export interface Inspection {
  /** `wrong`: nodes could not start with it, or would not keep what is promised. */
  readonly status: "ok" | "wrong";
  /** Where it is, its version, and what is wrong with it. */
  readonly detail: string;
  /** What to do, where `detail` does not say it. */
  readonly fix?: string;
}

/** One thing that is wrong, and what to do about it. */
export interface Fault {
  readonly problem: string;
  readonly fix: string;
}

/** What was found, with all that is wrong of it. */
export function inspectionOf(found: string, faults: readonly Fault[]): Inspection {
  if (faults.length === 0) return { status: "ok", detail: found };
  return {
    status: "wrong",
    detail: `${found}. ${faults.map(({ problem }) => problem).join(" ")}`,
    fix: faults.map(({ fix }) => fix).join(" "),
  };
}
