import { registerHooks } from "node:module";
import { join, sep } from "node:path";
import { pathToFileURL } from "node:url";

/** Folders of copies → folders that they were made of, as URLs. */
const originals = new Map<string, string>();
let hooked = false;

/**
 * Imports a module from its copy. A package that it imports is looked for where the module really
 * lies; `@capstan/core` is the one that this server uses.
 */
export async function importCopy(options: {
  readonly copy: string;
  readonly entry: string;
  readonly original: string;
}): Promise<{ readonly [name: string]: unknown }> {
  const { copy, entry, original } = options;
  originals.set(pathToFileURL(copy + sep).href, pathToFileURL(original + sep).href);
  if (!hooked) {
    hooked = true;
    registerHooks({ resolve });
  }
  return (await import(pathToFileURL(join(copy, entry)).href)) as {
    readonly [name: string]: unknown;
  };
}

type Resolve = NonNullable<Parameters<typeof registerHooks>[0]["resolve"]>;

const resolve: Resolve = (specifier, context, next) => {
  const { parentURL } = context;
  const place = [...originals].find(([copy]) => parentURL?.startsWith(copy) === true);
  if (place === undefined || parentURL === undefined || /^(\.{0,2}\/|[a-z]+:)/.test(specifier))
    return next(specifier, context);
  if (specifier === "@capstan/core")
    return next(specifier, { ...context, parentURL: import.meta.url });
  const [copy, original] = place;
  return next(specifier, { ...context, parentURL: original + parentURL.slice(copy.length) });
};
