import type { Command, CommandGroup, Option } from "../arguments/command.ts";
import { settingOptions } from "../configuration/setting-options.ts";
import { connectionsHelp } from "../texts/connections.ts";
import { webhooksHelp } from "../texts/webhooks.ts";
import { commandHelp } from "../texts/command-help.ts";
import { scriptsHelp } from "../texts/scripts-help.ts";

/**
 * All commands, in the order of the help, which is rendered from this table and the texts. The code
 * of a command is loaded when it runs.
 */
export const commands: readonly (Command | CommandGroup)[] = [
  {
    name: "serve",
    ...commandHelp.serve,
    options: {
      ...settingOptions,
      "accept-config": flag(commandHelp.serve.options["accept-config"]),
    },
    load: async () => {
      const { processSandbox } = await import("../install/process-sandbox.ts");
      // Starts the sandbox test early, because its programs can run while this process loads the
      // server's code.
      processSandbox().catch(() => undefined);
      return (await import("./serve.ts")).serve;
    },
  },
  {
    name: "chat",
    ...commandHelp.chat,
    options: {
      url: value("URL", commandHelp.chat.options.url),
      model: value("MODEL", commandHelp.chat.options.model),
      continue: flag(commandHelp.chat.options.continue),
      conversation: value("ID", commandHelp.chat.options.conversation),
      yes: flag(commandHelp.chat.options.yes),
      config: settingOptions.config,
      data: settingOptions.data,
    },
    load: async () => (await import("./chat.ts")).openChat,
  },
  {
    name: "ask",
    ...commandHelp.ask,
    operands: "[QUESTION]",
    options: {
      file: { ...value("PATH", commandHelp.ask.options.file), multiple: true },
      json: flag(commandHelp.ask.options.json),
      model: value("MODEL", commandHelp.ask.options.model),
      continue: flag(commandHelp.ask.options.continue),
      conversation: value("ID", commandHelp.ask.options.conversation),
      yes: flag(commandHelp.ask.options.yes),
      url: value("URL", commandHelp.ask.options.url),
      config: settingOptions.config,
      data: settingOptions.data,
    },
    load: async () => (await import("./ask.ts")).askQuestion,
  },
  {
    name: "mcp",
    ...commandHelp.mcp,
    options: {
      group: value("NAME", commandHelp.mcp.options.group),
      program: value("NAME", commandHelp.mcp.options.program),
      directory: value("DIR", commandHelp.mcp.options.directory),
      url: value("URL", commandHelp.mcp.options.url),
      config: settingOptions.config,
      data: settingOptions.data,
    },
    load: async () => (await import("./mcp.ts")).serveMcp,
  },
  {
    name: "connect",
    ...commandHelp.connect,
    operands: "[CLIENT | list]",
    options: {
      yes: flag(commandHelp.connect.options.yes),
      print: flag(commandHelp.connect.options.print),
      undo: flag(commandHelp.connect.options.undo),
      check: flag(commandHelp.connect.options.check),
      stdio: flag(commandHelp.connect.options.stdio),
      group: value("NAME", commandHelp.connect.options.group),
      json: flag(commandHelp.connect.options.json),
      url: value("URL", commandHelp.connect.options.url),
      config: settingOptions.config,
      data: settingOptions.data,
    },
    load: async () => (await import("./connect.ts")).connectClients,
  },
  {
    name: "pair",
    ...commandHelp.pair,
    options: {
      list: flag(commandHelp.pair.options.list),
      revoke: value("ID", commandHelp.pair.options.revoke),
      json: flag(commandHelp.pair.options.json),
      url: value("URL", commandHelp.pair.options.url),
      config: settingOptions.config,
      data: settingOptions.data,
    },
    load: async () => (await import("./pair.ts")).pairBrowser,
  },
  {
    name: "tools",
    ...commandHelp.tools,
    operands: "[search WORDS]",
    options: { json: flag(commandHelp.tools.options.json), config: settingOptions.config },
    load: async () => (await import("./tools.ts")).listTools,
  },
  {
    name: "rules",
    ...commandHelp.rules,
    operands: "[list | set TOOL | remove RULE]",
    options: {
      execution: value("WORD", commandHelp.rules.options.execution),
      result: value("WORD", commandHelp.rules.options.result),
      when: value("TEST", commandHelp.rules.options.when),
      minutes: value("N", commandHelp.rules.options.minutes),
      reason: value("WORDS", commandHelp.rules.options.reason),
      program: value("NAME", commandHelp.rules.options.program),
      json: flag(commandHelp.rules.options.json),
      url: value("URL", commandHelp.rules.options.url),
      config: settingOptions.config,
      data: settingOptions.data,
    },
    load: async () => (await import("./rules.ts")).manageRules,
  },
  {
    name: "approvals",
    ...commandHelp.approvals,
    options: {
      url: value("URL", commandHelp.approvals.options.url),
      config: settingOptions.config,
      data: settingOptions.data,
    },
    load: async () => (await import("./approvals.ts")).answerApprovals,
  },
  {
    name: "outcomes",
    ...commandHelp.outcomes,
    options: {
      url: value("URL", commandHelp.outcomes.options.url),
      config: settingOptions.config,
      data: settingOptions.data,
    },
    load: async () => (await import("./outcomes.ts")).answerOutcomes,
  },
  {
    name: "scripts",
    ...scriptsHelp.group,
    subcommands: [
      {
        name: "list",
        ...scriptsHelp.list,
        options: {
          json: flag(scriptsHelp.list.options.json),
          config: settingOptions.config,
          data: settingOptions.data,
        },
        load: async () => (await import("./scripts/list.ts")).listScripts,
      },
      {
        name: "check",
        ...scriptsHelp.check,
        operands: "[PATH…]",
        options: {
          json: flag(scriptsHelp.check.options.json),
          config: settingOptions.config,
          data: settingOptions.data,
        },
        load: async () => (await import("./scripts/check.ts")).checkScripts,
      },
      {
        name: "new",
        ...scriptsHelp.new,
        operands: "NAME",
        options: { config: settingOptions.config, data: settingOptions.data },
        load: async () => (await import("./scripts/new.ts")).createScript,
      },
      {
        name: "run",
        ...scriptsHelp.run,
        operands: "GROUP.TOOL [ARGUMENTS]",
        options: {
          json: flag(scriptsHelp.run.options.json),
          config: settingOptions.config,
          data: settingOptions.data,
        },
        load: async () => (await import("./scripts/run.ts")).runScript,
      },
      {
        name: "approve",
        ...scriptsHelp.approve,
        operands: "PATH",
        options: {
          yes: flag(scriptsHelp.approve.options.yes),
          config: settingOptions.config,
          data: settingOptions.data,
        },
        load: async () => (await import("./scripts/approve.ts")).approveScript,
      },
      {
        name: "revoke",
        ...scriptsHelp.revoke,
        operands: "PATH",
        options: { config: settingOptions.config, data: settingOptions.data },
        load: async () => (await import("./scripts/approve.ts")).revokeScript,
      },
      {
        name: "environment",
        ...scriptsHelp.environment,
        operands: "[set NAME | remove NAME]",
        options: {
          json: flag(scriptsHelp.environment.options.json),
          config: settingOptions.config,
          data: settingOptions.data,
        },
        load: async () => (await import("./scripts/environment.ts")).scriptEnvironment,
      },
      {
        name: "install",
        ...scriptsHelp.install,
        operands: "PATH",
        options: { config: settingOptions.config, data: settingOptions.data },
        load: async () => (await import("./scripts/install.ts")).installScript,
      },
    ],
  },
  {
    name: "connections",
    ...connectionsHelp.group,
    subcommands: [
      {
        name: "list",
        ...connectionsHelp.list,
        options: {
          json: flag(connectionsHelp.list.options.json),
          url: value("URL", connectionsHelp.url),
          config: settingOptions.config,
          data: settingOptions.data,
        },
        load: async () => (await import("./connections/list.ts")).listConnections,
      },
      {
        name: "check",
        ...connectionsHelp.check,
        operands: "[NAME]",
        options: {
          json: flag(connectionsHelp.check.options.json),
          url: value("URL", connectionsHelp.url),
          config: settingOptions.config,
          data: settingOptions.data,
        },
        load: async () => (await import("./connections/list.ts")).checkConnections,
      },
      {
        name: "accept",
        ...connectionsHelp.accept,
        operands: "NAME",
        options: {
          yes: flag(connectionsHelp.accept.options.yes),
          url: value("URL", connectionsHelp.url),
          config: settingOptions.config,
          data: settingOptions.data,
        },
        load: async () => (await import("./connections/accept.ts")).acceptConnection,
      },
      {
        name: "add",
        ...connectionsHelp.add,
        operands: "NAME URL | NAME PROGRAM [ARGUMENT…]",
        options: {
          read: value("DIRS", connectionsHelp.add.options.read),
          write: value("DIRS", connectionsHelp.add.options.write),
          network: value("HOSTS", connectionsHelp.add.options.network),
          private: flag(connectionsHelp.add.options.private),
          issuer: value("URL", connectionsHelp.add.options.issuer),
          client: value("ID", connectionsHelp.add.options.client),
          url: value("URL", connectionsHelp.url),
          config: settingOptions.config,
          data: settingOptions.data,
        },
        load: async () => (await import("./connections/add.ts")).addConnection,
      },
      {
        name: "login",
        ...connectionsHelp.login,
        operands: "NAME",
        options: {
          device: flag(connectionsHelp.login.options.device),
          "no-browser": flag(connectionsHelp.login.options["no-browser"]),
          port: value("N", connectionsHelp.login.options.port),
          key: flag(connectionsHelp.login.options.key),
          header: value("NAME", connectionsHelp.login.options.header),
          user: value("NAME", connectionsHelp.login.options.user),
          client: value("ID", connectionsHelp.login.options.client),
          scope: value("SCOPES", connectionsHelp.login.options.scope),
          shared: flag(connectionsHelp.login.options.shared),
          url: value("URL", connectionsHelp.url),
          config: settingOptions.config,
          data: settingOptions.data,
        },
        load: async () => (await import("./connections/login.ts")).login,
      },
      {
        name: "logout",
        ...connectionsHelp.logout,
        operands: "NAME",
        options: {
          shared: flag(connectionsHelp.logout.options.shared),
          url: value("URL", connectionsHelp.url),
          config: settingOptions.config,
          data: settingOptions.data,
        },
        load: async () => (await import("./connections/login.ts")).logout,
      },
      {
        name: "remove",
        ...connectionsHelp.remove,
        operands: "NAME",
        options: {
          yes: flag(connectionsHelp.remove.options.yes),
          url: value("URL", connectionsHelp.url),
          config: settingOptions.config,
          data: settingOptions.data,
        },
        load: async () => (await import("./connections/add.ts")).removeConnection,
      },
      {
        name: "rotate-key",
        ...connectionsHelp.rotateKey,
        options: {
          url: value("URL", connectionsHelp.url),
          config: settingOptions.config,
          data: settingOptions.data,
        },
        load: async () => (await import("./connections/add.ts")).rotateKey,
      },
    ],
  },
  {
    name: "webhooks",
    ...webhooksHelp.group,
    subcommands: [
      {
        name: "test",
        ...webhooksHelp.test,
        operands: "NAME",
        options: { config: settingOptions.config, data: settingOptions.data },
        load: async () => (await import("./webhooks.ts")).testWebhook,
      },
    ],
  },
  {
    name: "config",
    ...commandHelp.config,
    operands: ["diff", "accept"],
    options: {
      yes: flag(commandHelp.config.options.yes),
      config: settingOptions.config,
      data: settingOptions.data,
    },
    load: async () => (await import("./config.ts")).manageConfiguration,
  },
  {
    name: "doctor",
    ...commandHelp.doctor,
    options: { json: flag(commandHelp.doctor.options.json) },
    load: async () => (await import("./doctor.ts")).runDoctor,
  },
  {
    name: "db",
    ...commandHelp.db,
    operands: ["usage", "prune", "check", "backup", "vacuum"],
    options: {
      "dry-run": flag(commandHelp.db.options["dry-run"]),
      days: value("N", commandHelp.db.options.days),
      megabytes: value("N", commandHelp.db.options.megabytes),
      to: value("FILE", commandHelp.db.options.to),
      data: settingOptions.data,
      config: settingOptions.config,
    },
    load: async () => (await import("./db.ts")).manageStore,
  },
];

function flag(description: string): Option {
  return { type: "boolean", description };
}

function value(placeholder: string, description: string): Option {
  return { type: "string", placeholder, description };
}
