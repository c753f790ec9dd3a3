/**
 * The store on PostgreSQL. A separate entry point, so that a server with SQLite does not load `pg`.
 *
 * @module
 */

export { inspectPostgres } from "./postgres/inspect-postgres.ts";
export { openPostgresStore } from "./postgres/open-postgres-store.ts";
