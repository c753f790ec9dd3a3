import type { SecretKey, SecretStore, StoredSecret } from "../credentials/secret-store.ts";

/** Creates a store of secrets in memory, for tests and programs without a database. */
export function memorySecrets(clock: { readonly now: () => number } = Date): SecretStore {
  type Row = StoredSecret & {
    readonly claim?: { readonly holder: string; readonly until: number };
  };
  const rows = new Map<string, Row>();
  const id = ({ connection, owner, field }: SecretKey) =>
    JSON.stringify([connection, owner, field]);
  return {
    get: (key) => Promise.resolve(rows.get(id(key))),
    list: (connection) =>
      Promise.resolve(
        [...rows.values()].filter(
          (row) => connection === undefined || row.connection === connection,
        ),
      ),
    save(key, { sealed, state = "ready", expiresAt = null, ifRevision }) {
      const before = rows.get(id(key));
      if (ifRevision !== undefined && before?.revision !== ifRevision)
        return Promise.resolve(undefined);
      const revision = Math.max(clock.now(), (before?.revision ?? 0) + 1);
      const { connection, owner, field } = key;
      const updatedAt = clock.now();
      const row = { connection, owner, field, revision, sealed, state, expiresAt, updatedAt };
      rows.set(id(key), row);
      return Promise.resolve(revision);
    },
    claim(key, { revision, holder, ms }) {
      const row = rows.get(id(key));
      if (row === undefined || row.revision !== revision) return Promise.resolve("changed");
      const { claim } = row;
      if (claim !== undefined && claim.until > clock.now() && claim.holder !== holder)
        return Promise.resolve("taken");
      rows.set(id(key), { ...row, claim: { holder, until: clock.now() + ms } });
      return Promise.resolve("claimed");
    },
    remove: (key) => Promise.resolve(rows.delete(id(key))),
  };
}
