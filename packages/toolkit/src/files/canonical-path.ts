import { isAbsolute, relative, resolve, sep } from "node:path";
import { type FileToolsOptions, isInside, namedRoots } from "./file-roots.ts";

/**
 * The path among a call's arguments as rules see it: from its root, with `/`, and with the root's
 * name first where there are several; so that `secrets/**` is met by an absolute path, too. What
 * lies outside the roots stays as it is: the tool refuses it.
 */
export function canonicalPath<Args extends { readonly path: string }>(
  options: FileToolsOptions,
): (args: Args) => Args {
  const roots = namedRoots(options.roots);
  const [only, ...others] = roots;
  return (args) => {
    const { path } = args;
    const asked = path.trim() === "" ? "." : path;
    const absolute =
      isAbsolute(asked) || only === undefined || others.length > 0
        ? asked
        : resolve(only.path, asked);
    if (!isAbsolute(absolute)) return { ...args, path: asked };
    const plain = resolve(absolute);
    const root = roots.find((candidate) => isInside(plain, candidate.path));
    if (root === undefined) return { ...args, path: plain };
    const names = relative(root.path, plain)
      .split(sep)
      .filter((name) => name !== "");
    const shown = [...(others.length > 0 ? [root.name] : []), ...names].join("/");
    return { ...args, path: shown === "" ? "." : shown };
  };
}
