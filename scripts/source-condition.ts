/**
 * The option that makes the workspaces resolve to their TypeScript sources; `.npmrc` sets it for
 * npm scripts.
 */
export const sourceCondition = "--conditions=@capstan/source";

/** Returns an environment in which child processes of Node.js have the condition. */
export function withSourceCondition(env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const options = env["NODE_OPTIONS"] ?? "";
  if (options.includes(sourceCondition)) return env;
  return { ...env, NODE_OPTIONS: `${options} ${sourceCondition}`.trim() };
}

/** Returns an environment like that of a user who installed the packages: built JavaScript only. */
export function withoutSourceCondition(env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const options = (env["NODE_OPTIONS"] ?? "").replace(sourceCondition, "").trim();
  return { ...env, NODE_OPTIONS: options, npm_config_node_options: undefined };
}
