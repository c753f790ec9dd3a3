/**
 * The state of a service that several servers share, as text for administrators. It never contains
 * a password.
 */
export interface Inspection {
  /** `wrong`: nodes could not start with the service, or would lose guarantees. */
  readonly status: "ok" | "wrong";
  /** The address, the version, and all problems. */
  readonly detail: string;
  /** The solution, if `detail` does not say it. */
  readonly fix?: string;
}

/** A problem and its solution. */
export interface Fault {
  readonly problem: string;
  readonly fix: string;
}

/** Returns the inspection of a service that was reached, with all its problems. */
export function inspectionOf(found: string, faults: readonly Fault[]): Inspection {
  if (faults.length === 0) return { status: "ok", detail: found };
  return {
    status: "wrong",
    detail: `${found}. ${faults.map(({ problem }) => problem).join(" ")}`,
    fix: faults.map(({ fix }) => fix).join(" "),
  };
}
