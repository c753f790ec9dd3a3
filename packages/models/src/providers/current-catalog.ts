import type { ModelCatalog } from "@capstan/core/host";

/** A catalog that can be created again, after its providers have changed. */
export interface CurrentCatalog extends ModelCatalog {
  /**
   * Creates the catalog again. Requests that have begun keep their model.
   *
   * @throws CapstanError `invalid_configuration`; the former catalog then stays
   */
  readonly renew: () => void;
}

/**
 * Returns a catalog that forwards to the one that was created last.
 *
 * @example const models = createCurrentCatalog(() => createModelCatalog({ environment: read() }));
 */
export function createCurrentCatalog(create: () => ModelCatalog): CurrentCatalog {
  let current = create();
  const { embed } = current;
  return {
    get default() {
      return current.default;
    },
    find: (id) => current.find(id),
    list: (signal) => current.list(signal),
    ...(embed !== undefined && {
      embed: (...request: Parameters<typeof embed>) => (current.embed ?? embed)(...request),
    }),
    renew() {
      current = create();
    },
  };
}
