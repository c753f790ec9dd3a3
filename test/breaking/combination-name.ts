export type CombinationName = "SQLite" | "PostgreSQL";

export const onPostgres: readonly CombinationName[] = ["PostgreSQL"];
export const everywhere: readonly CombinationName[] = ["SQLite", ...onPostgres];
