// Preloaded into the server: writes how long each turn of its event loop used the processor, if it
// was long. Time in which other processes ran does not count, so the load of the machine does not
// matter.
import { appendFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

const file = process.env["STALLS_FILE"];
if (isMainThread && file !== undefined && process.argv.includes("serve")) {
  const used = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  let before = used();
  setInterval(() => {
    const now = used();
    if (now - before > 50) appendFileSync(file, `${Math.round(now - before)}\n`);
    before = now;
  }, 10).unref();
}
