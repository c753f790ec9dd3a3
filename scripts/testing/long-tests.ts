/** A test file, or several, that `npm test` leaves to `npm run test:long`. */
interface LongTests {
  /** A glob from the repository's root. */
  readonly files: string;
  /** Why it takes long, and which quick test covers the same behaviour. */
  readonly reason: string;
}

/**
 * Files that take long or load the machine. `npm run test:long` runs them alone,
 * `npm run test:all` with everything else, and `.ci/run` runs both parts.
 */
export const longTests: readonly LongTests[] = [
  {
    files: "packages/store/test/killed-variables.test.ts",
    reason:
      "Kills processes that write megabytes, on both databases. packages/store/test/durability.test.ts kills one that writes events.",
  },
  {
    files: "test/breaking/{sqlite,postgres,redis}.test.ts",
    reason:
      "A few rounds of every proof of npm run test:breaking. test/restart.test.ts kills servers in npm test.",
  },
  {
    files: "test/breaking/stopped-by-signal.test.ts",
    reason: "Starts databases, nodes and a disk to interrupt npm run test:breaking itself.",
  },
  {
    files: "test/clients/*.test.ts",
    reason:
      "Installs the clients, and starts two servers for each. packages/server/src/responses/history-forms.test.ts states histories in their forms.",
  },
  {
    files: "test/connections.test.ts",
    reason:
      "Runs the commands of a guide, each in a process of its own. packages/connections/src/real-servers.test.ts calls the same server.",
  },
  {
    files: "test/request-servers.test.ts",
    reason:
      "Starts four servers and the published MCP server. packages/connections/src/request/open-request-servers.test.ts covers the sessions in one process.",
  },
  {
    files: "test/nodes.test.ts",
    reason:
      "Starts two servers, PostgreSQL and often Redis for each test. The tests of packages/server run two nodes in one process; test/restart.test.ts kills servers.",
  },
  {
    files: "test/threads.test.ts",
    reason:
      "Starts a server twice and a program of the examples. The tests of packages/server/src/threads use the same client without a process.",
  },
  {
    files: "test/later-turns.test.ts",
    reason: "Ten turns and several restarts in each test, checked byte for byte.",
  },
  {
    files: "test/file-search.test.ts",
    reason:
      "Kills a server while it indexes. packages/server/src/vector-stores tests the API and the restart in one process.",
  },
  {
    files: "test/stops.test.ts",
    reason:
      "Starts two or three servers for each test. test/restart.test.ts stops and kills servers in npm test.",
  },
  {
    files: "test/attack/long-attacks.test.ts",
    reason:
      "Attacks servers with corrupt disks, lost connections and foreign addresses, and the page. test/attack/attack.test.ts has the attacks on routes and approvals, test/page/safety.test.ts attacks the page, and the tests of packages/store and packages/sandbox damage files and request addresses.",
  },
  {
    files: "test/page/interruptions.test.ts",
    reason:
      "Restarts and kills the server under an open page again and again. packages/web/test/page.browser.ts shows the page, and test/restart.test.ts kills servers.",
  },
  {
    files: "packages/web/test/slow-server.browser.ts",
    reason: "The page against a server that takes its time.",
  },
  {
    files: "test/page/outcomes.test.ts",
    reason:
      "Kills the server under an open page. packages/server/src/api/runs.outcomes.test.ts reports outcomes, and test/restart.test.ts kills servers.",
  },
  {
    files: "test/reviews.test.ts",
    reason:
      "Kills and starts a server for each test. packages/server/src/runs/run-service.reviews.test.ts reviews results, and test/restart.test.ts kills servers.",
  },
  {
    files: "test/scripts.test.ts",
    reason:
      "Starts the command many times. The tests of packages/scripts/src/library follow files and approvals in one process.",
  },
  {
    files: "test/agents.test.ts",
    reason:
      "Starts servers, one of them twice. packages/server/src/responses/agents.test.ts uses agents in one process.",
  },
  {
    files: "test/code-bombs.test.ts",
    reason:
      "Loops and forks until the deadline of a call. The tests of packages/sandbox show each limit.",
  },
  {
    files: "test/script-bombs.test.ts",
    reason:
      "Loops, forks and allocates until limits are reached. The tests of packages/scripts show each limit.",
  },
  {
    files: "test/slow-readers.test.ts",
    reason: "Streams 6 MB to 120 clients that read nothing.",
  },
  {
    files: "test/large-runs.test.ts",
    reason:
      "Sends 640 MB of images and reads a run of 20 MB hundreds of times. parse-body.test.ts and blob-store.test.ts cover the behaviour.",
  },
  {
    files: "test/packed-core.test.ts",
    reason: "Packs and installs @capstan/core. npm run build does this for every package.",
  },
  {
    files:
      "test/page/{failures,looks,pairing,reviews,rules,scripts,shown-arguments,variables}.test.ts",
    reason:
      "Each drives one view of the page in a browser over real servers. test/page/approvals.test.ts and packages/web/test/page.browser.ts show the page in npm test.",
  },
  {
    files: "test/{failures,final-tools,rules-command,web-grants}.test.ts",
    reason:
      "Many servers, one for each test. The tests of packages/core and packages/server show the same behaviour in one process.",
  },
  {
    files: "test/accepted-configuration.test.ts",
    reason:
      "Starts a server several times in each test. The tests of packages/cli/src/configuration compare and accept configurations.",
  },
  {
    files: "test/guides.test.ts",
    reason:
      "Runs every command of the guides as a process of its own. test/documented-calls.test.ts and test/examples.test.ts check the calls and programs.",
  },
  {
    files: "test/run-tests.test.ts",
    reason: "Starts whole test runs to test the test runner.",
  },
  {
    files: "packages/core/test/large-arguments.test.ts",
    reason: "Megabytes of arguments, to show that the time grows linearly.",
  },
  {
    files: "packages/models/test/cut-streams.test.ts",
    reason: "Cuts the streams of every provider at every byte.",
  },
  {
    files: "packages/scripts/src/environments/install-environment.test.ts",
    reason: "Creates Python environments and runs pip.",
  },
  {
    files: "packages/scripts/src/{read,run}/powershell/*.real.test.ts",
    reason:
      "Builds PowerShell and starts it for each call. outline.test.ts compares with a grammar, and powershell-worker-command.test.ts runs the same messages with a stand-in.",
  },
  {
    files: "packages/server/src/responses/history-forms.test.ts",
    reason:
      "Hundreds of ways to state one history. history-merge.test.ts shows each rule of the merge once.",
  },
  {
    files: "packages/models/src/providers/request/long-texts.test.ts",
    reason:
      "Sends 40 MB several times, and measures the turns. to-prompt.test.ts covers the messages.",
  },
  {
    files: "test/page/accessibility.test.ts",
    reason:
      "Checks every state of the page with axe-core, in both themes. test/page/looks.test.ts checks names and labels in npm test.",
  },
  {
    files: "packages/store/test/lost-connection.test.ts",
    reason: "Restarts PostgreSQL and cuts connections again and again.",
  },
];
