/** Whether a package may import all of another package, or its types only. */
export type ImportKind = "values" | "types";

/**
 * A package's allowed imports and its folders. The table in `packages.ts` has one for each
 * package.
 */
export interface PackageRules {
  /** The package's purpose, in a phrase. */
  readonly about: string;
  /** The packages that this package may import, by folder name under `packages/`. */
  readonly imports: { readonly [packageName: string]: ImportKind };
  /** Whether production source may import Node.js modules. Tests always may. */
  readonly usesNode: boolean;
  /**
   * The folders of `src` with what they hold, in import order: a folder may import the folders
   * before it. A subfolder is listed on its own. `"."` is `src` itself.
   */
  readonly folders: { readonly [folder: string]: string };
  /** Groups of folders, subfolders included, that must not import each other in either direction. */
  readonly separate?: readonly (readonly string[])[];
}

/** The rules of all packages by folder name under `packages/`. */
export type ArrowTable = { readonly [packageName: string]: PackageRules };

/** Returns the packages that a package may import, as text for a sentence. */
export function importsOf(imports: PackageRules["imports"]): string {
  const names = Object.entries(imports).map(([name, kind]) =>
    kind === "types" ? `${name} (types)` : name,
  );
  return names.length === 0 ? "no other package" : `only ${names.join(", ")}`;
}

/** Returns the folders of its package that `folder` may import, in the order of the table. */
export function allowedFolders(rules: PackageRules, folder: string): readonly string[] {
  const order = Object.keys(rules.folders);
  return order
    .slice(0, Math.max(0, order.indexOf(folder)))
    .filter((other) => !areSeparate(rules, folder, other));
}

function areSeparate({ separate = [] }: PackageRules, one: string, other: string): boolean {
  return separate.some((group) => {
    const parts = [one, other].map((folder) => group.find((part) => isWithin(folder, part)));
    return !parts.includes(undefined) && parts[0] !== parts[1];
  });
}

function isWithin(folder: string, parent: string): boolean {
  return folder === parent || folder.startsWith(`${parent}/`);
}
