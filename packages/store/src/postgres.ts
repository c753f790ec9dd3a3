/**
 * The store on PostgreSQL. An entry of its own, so that a server with SQLite does not load `pg`.
 *
 * @module
 */

export { inspectPostgres } from "./postgres/inspect-postgres.ts";
export { openPostgresStore } from "./postgres/open-postgres-store.ts";
