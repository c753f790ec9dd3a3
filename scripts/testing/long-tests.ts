/** A test file, or several, that `npm test` leaves to `npm run test:long`. */
interface LongTests {
  /** A glob from the repository's root. */
  readonly files: string;
  /** Why it takes long, and what `npm test` has of it. */
  readonly reason: string;
}

/**
 * Files that take long or load the machine. `npm run test:long` runs them alone,
 * `npm run test:all` with everything else, and `.ci/run` runs both parts.
 */
export const longTests: readonly LongTests[] = [
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
    files: "test/nodes.test.ts",
    reason:
      "Starts two servers, PostgreSQL and often Redis for each test. The tests of packages/server run two nodes in one process; test/restart.test.ts kills servers.",
  },
  {
    files: "test/later-turns.test.ts",
    reason: "Ten turns and several restarts in each test, checked byte for byte.",
  },
  {
    files: "test/page/interruptions.test.ts",
    reason:
      "Restarts and kills the server under an open page again and again. test/page/outcomes.test.ts has one crash with the page open.",
  },
  {
    files: "packages/web/test/slow-server.browser.ts",
    reason: "The page against a server that takes its time.",
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
    files: "test/packed-core.test.ts",
    reason: "Packs and installs @capstan/core. npm run build does this for every package.",
  },
];
