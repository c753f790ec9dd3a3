import { realpathSync } from "node:fs";
import { registerHooks } from "node:module";
import { join, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Folders of copies, as URLs. */
const copies = new Set<string>();
let hooked = false;

/**
 * Imports a module from its copy. What it imports, at once or later, is part of the copy, of Node or
 * `@capstan/core`, which is the one that this server uses: nothing else was approved.
 */
export async function importCopy(options: {
  readonly copy: string;
  readonly entry: string;
}): Promise<{ readonly [name: string]: unknown }> {
  const copy = realpathSync(options.copy);
  copies.add(pathToFileURL(copy + sep).href);
  if (!hooked) {
    hooked = true;
    registerHooks({ resolve });
  }
  return (await import(pathToFileURL(join(copy, options.entry)).href)) as {
    readonly [name: string]: unknown;
  };
}

type Resolve = NonNullable<Parameters<typeof registerHooks>[0]["resolve"]>;

const resolve: Resolve = (specifier, context, next) => {
  const { parentURL } = context;
  const copy = [...copies].find((one) => parentURL?.startsWith(one) === true);
  if (copy === undefined || parentURL === undefined) return next(specifier, context);
  if (/^@capstan\/core(\/|$)/.test(specifier))
    return next(specifier, { ...context, parentURL: import.meta.url });
  const found = resolved(specifier, context, next);
  if (found?.url.startsWith("node:") === true || found?.url.startsWith(copy) === true) return found;
  throw new Error(noPart(fileURLToPath(parentURL).slice(fileURLToPath(copy).length), specifier));
};

/** Undefined where it is nowhere. */
function resolved(...[specifier, context, next]: Parameters<Resolve>) {
  try {
    return next(specifier, context);
  } catch {
    return undefined;
  }
}

/** What to do about an import that an approval would not cover. */
export function noPart(name: string, specifier: string): string {
  const isPackage = !/^(\.{0,2}\/|[a-z]+:)/.test(specifier);
  return `${name} imports "${specifier}", which is no part of it. ${
    isPackage
      ? "Make it a folder with a main.ts, and install the package in that folder: its node_modules is approved with it."
      : 'What a single file imports beside it begins with "_"; or make it a folder with a main.ts.'
  }`;
}
