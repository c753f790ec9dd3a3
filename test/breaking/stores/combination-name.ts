export type CombinationName = "SQLite" | "PostgreSQL" | "PostgreSQL and Redis";

export const withQueue: readonly CombinationName[] = ["PostgreSQL and Redis"];
export const onPostgres: readonly CombinationName[] = ["PostgreSQL", ...withQueue];
export const everywhere: readonly CombinationName[] = ["SQLite", ...onPostgres];
