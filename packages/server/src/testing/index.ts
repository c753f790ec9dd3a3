/** For benches: a service on a store, with a server of PostgreSQL of their own. From source only. */
export type { RunStatus } from "../contract/run.ts";
export { openStore, type Store } from "../journal/store.ts";
export { openPostgresStore } from "../journal/postgres/open-postgres-store.ts";
export { findPostgres, testServer } from "../journal/testing/postgres-server.ts";
export { owner } from "../journal/testing/store-fixtures.ts";
export { asking, begin, createRuns, requestOf, tool } from "../run/testing/run-fixtures.ts";
