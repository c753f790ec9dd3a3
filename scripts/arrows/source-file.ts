import { dirname } from "node:path/posix";

/** The package and folder of a file, from its path. */
export interface FilePlace {
  /**
   * The folder under `packages/`, or undefined for files in `bench`, `examples`, `scripts` or
   * `test`.
   */
  readonly packageName: string | undefined;
  /** The folder within the package's `src`, `"."` for `src` itself; otherwise the whole folder. */
  readonly folder: string;
  /**
   * `test`: a test, or a file of a package outside `src`. `helper`: a file in a `testing` folder,
   * for tests only. `source`: production source.
   */
  readonly role: "source" | "helper" | "test";
}

/**
 * Returns the package and folder of a file.
 *
 * @param path from the repository's root, with slashes
 * @example placeOf("packages/core/src/call/run/run-tool.ts")
 *   // { packageName: "core", folder: "call/run", role: "source" }
 */
export function placeOf(path: string): FilePlace {
  const [, packageName, inSource] = /^packages\/([^/]+)\/(?:src\/(.+))?/.exec(path) ?? [];
  return {
    packageName,
    folder: dirname(inSource ?? path),
    role: roleOf(path, packageName !== undefined && inSource === undefined),
  };
}

function roleOf(path: string, isOutsideSource: boolean): FilePlace["role"] {
  if (isOutsideSource || /\.test(-d)?\.tsx?$/.test(path)) return "test";
  return path.startsWith("packages/") && path.includes("/testing/") ? "helper" : "source";
}

/** Shortens a path for messages: from `src` within a package, otherwise unchanged. */
export function shortPath(path: string): string {
  return path.replace(/^packages\/[^/]+\/src\//, "");
}

/** Whether a path names a source file; declaration files are source files. */
export function isSourcePath(path: string): boolean {
  return /\.[mc]?[jt]sx?$/.test(path);
}
