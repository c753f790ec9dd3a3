/**
 * How a connection plans. Statements here find rows by key: a plan that fits one value fits each,
 * and is made once; what is used is in memory, so that an index costs little more than a table.
 */
const planByKey = "SET plan_cache_mode = force_generic_plan; SET random_page_cost = 1.1";

/** Long values are compressed at a third of the cost, where the server knows how. */
const compressFast = `SELECT set_config(name, 'lz4', false) FROM pg_settings
  WHERE name = 'default_toast_compression' AND 'lz4' = ANY(enumvals)`;

/** What a connection is told first. Nothing of it is less durable. */
export const sessionSettings = `${planByKey}; ${compressFast}`;
