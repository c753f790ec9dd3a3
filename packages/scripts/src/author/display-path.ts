import { relative } from "node:path";

/** Returns the path relative to the directory if it lies inside, else the whole path. */
export function displayPath(path: string, directory: string): string {
  const inside = relative(directory, path);
  return inside === "" || inside.startsWith("..") ? path : inside;
}
