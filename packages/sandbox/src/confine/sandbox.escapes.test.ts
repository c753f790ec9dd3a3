import assert from "node:assert/strict";
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createSocketServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { CapstanError } from "@capstan/core";
import { noSandbox, python, shell } from "../testing/run-program.ts";
import { bubblewrapArguments } from "./bubblewrap.ts";
import { pinnedPaths } from "./pinned-paths.ts";
import { defaultLimits } from "./sandbox.ts";

const hasPython = existsSync("/usr/bin/python3");
const noPython = hasPython ? false : "no /usr/bin/python3";
let base = "";

before(async () => {
  base = await mkdtemp(join(tmpdir(), "capstan-escapes-"));
  await mkdir(join(base, "workspace/data"), { recursive: true });
  await mkdir(join(base, "outside"));
  await writeFile(join(base, "outside/secret.txt"), "TOP SECRET");
  await writeFile(join(base, "workspace/note.txt"), "a note");
  await writeFile(join(base, "workspace/data/journal.db"), "TOP SECRET");
  await symlink(join(base, "outside/secret.txt"), join(base, "workspace/link-file"));
  await symlink(join(base, "outside"), join(base, "workspace/link-folder"));
});
after(() => rm(base, { recursive: true }));

const workspace = () => join(base, "workspace");

describe("a confined program", { skip: noSandbox }, () => {
  // Contract: sandbox-1
  test("sees no file of any user, and no home folder", async () => {
    const { out } = await shell(
      `cat ${base}/outside/secret.txt; ls -A /home /root /var /run /etc/shadow 2>/dev/null; ls -A /tmp`,
    );
    assert.equal(out, "");
  });

  // .NET, and so PowerShell, does not start without it.
  test("sees its own user as the only account", async () => {
    const { out } = await shell("cat /etc/passwd; id -un");
    assert.match(out, /^sandbox:x:\d+:\d+::\/tmp:\/bin\/sh\nsandbox\n$/);
  });

  // Contract: sandbox-2
  test("reads a read-only root and cannot change it", async () => {
    const { out, err } = await shell("cat note.txt; echo changed > note.txt; rm note.txt", {
      read: [workspace()],
      folder: workspace(),
    });
    assert.equal(out, "a note");
    assert.match(err, /Read-only file system/);
    assert.equal(await readFile(join(workspace(), "note.txt"), "utf8"), "a note");
  });

  // Contract: sandbox-2
  test("changes a writable root, and nothing outside of it", async () => {
    const root = join(base, "changed");
    await mkdir(root);
    await shell("echo made > file; echo out > ../outside.txt", {
      write: [root],
      folder: root,
    });
    assert.equal(await readFile(join(root, "file"), "utf8"), "made\n");
    assert.equal(existsSync(join(base, "outside.txt")), false);
  });

  // Contract: sandbox-3
  test("follows no link out of its roots, not even a link that it creates", async () => {
    const { out } = await shell(
      `cat link-file link-folder/secret.txt; ln -s ${base}/outside/secret.txt mine; cat mine; rm mine`,
      { write: [workspace()], folder: workspace() },
    );
    assert.equal(out, "");
  });

  // Contract: sandbox-5
  test("does not see hidden paths inside a root", async () => {
    const hidden = [join(workspace(), "data"), join(workspace(), "note.txt")];
    const { out, err } = await shell(
      "ls -A data; cat note.txt; cat data/journal.db; echo x > data/journal.db; echo x > note.txt",
      { write: [workspace()], folder: workspace(), hidden },
    );
    assert.equal(out, "");
    assert.match(err, /journal\.db: No such file/);
    assert.equal(await readFile(join(workspace(), "data/journal.db"), "utf8"), "TOP SECRET");
    assert.equal(await readFile(join(workspace(), "note.txt"), "utf8"), "a note");
  });

  // Contract: sandbox-4
  test("does not see hidden paths through a root that links to them or to a parent folder", async () => {
    const [around, exactly, within] = ["around", "exactly", "within"].map((name) =>
      join(base, name),
    );
    await symlink(workspace(), around!);
    await symlink(join(workspace(), "data"), exactly!);
    await mkdir(join(workspace(), "data/scripts"), { recursive: true });
    await symlink(join(workspace(), "data/scripts"), within!);
    const { out } = await shell(
      "cat around/data/journal.db exactly/journal.db; ls -A within; for d in around/data exactly within; do echo x > $d/new; done; cat around/note.txt",
      { write: [around!, exactly!, within!], folder: base, hidden: [join(workspace(), "data")] },
    );
    assert.equal(out, "a note");
    for (const path of ["data/new", "data/scripts/new"])
      assert.equal(existsSync(join(workspace(), path)), false);
  });

  // Contract: sandbox-6
  test("gets no variables of the server's environment except the given ones", async () => {
    process.env["CAPSTAN_TEST_SECRET"] = "TOP SECRET";
    try {
      const { out } = await shell("env; cat /proc/*/environ", { env: { GRANTED: "yes" } });
      assert.doesNotMatch(out, /TOP SECRET|CAPSTAN|API_KEY/);
      assert.match(out, /^GRANTED=yes$/m);
    } finally {
      delete process.env["CAPSTAN_TEST_SECRET"];
    }
  });

  // Contract: sandbox-7
  test("sees only its own processes in /proc, and cannot end others", async () => {
    const { out } = await shell(`kill -0 ${process.pid} && echo reach''ed; cat /proc/*/cmdline`, {
      hidden: [base],
    });
    assert.doesNotMatch(out, /reached|--test|capstan/);
  });

  // The test checks only whether opening is permitted, because a write would change the machine.
  // Contract: sandbox-7
  test("cannot change kernel settings, not even as root", async () => {
    const { out } = await shell(
      "for f in /proc/sys/kernel/core_pattern /proc/sys/kernel/hostname /proc/sysrq-trigger /proc/self/oom_score_adj; do [ -w $f ] && echo $f; done; ls /sys",
    );
    assert.equal(out, "");
  });

  // Contract: sandbox-8
  test("has no capabilities, gains none from a setuid program, and creates no namespace", async () => {
    const { out } = await shell(
      "grep -E '^(Cap|NoNewPrivs)' /proc/self/status; unshare -U true && echo unshared; mount -t tmpfs x /tmp && echo mounted",
    );
    assert.deepEqual(
      out
        .trim()
        .split("\n")
        .map((line) => line.split(/\s+/)[1]),
      [
        "0000000000000000",
        "0000000000000000",
        "0000000000000000",
        "0000000000000000",
        "0000000000000000",
        "1",
      ],
    );
  });

  // Contract: sandbox-8
  test("does not run a setuid program of a root with its owner's rights", async () => {
    const root = join(base, "setuid");
    await mkdir(root);
    await writeFile(join(root, "id"), await readFile("/usr/bin/id"));
    await chmod(join(root, "id"), 0o4755);
    const { out } = await shell("./id -u; /usr/bin/id -u", { read: [root], folder: root });
    const [setuid, plain] = out.trim().split("\n");
    assert.equal(setuid, plain);
    assert.notEqual(plain, undefined);
  });

  // Contract: sandbox-10
  test(
    "leaves no setuid program for other accounts of the machine",
    { skip: noPython },
    async () => {
      const root = join(base, "leaves-setuid");
      await mkdir(root);
      await shell(
        `cp /bin/true changed; chmod 4755 changed; chmod g+s changed
      /usr/bin/python3 -c 'import os
made = os.open("made", os.O_CREAT | os.O_RDWR, 0o6755)
os.write(made, b"#!")
os.truncate(os.open("cut", os.O_CREAT | os.O_RDWR, 0o6755), 1)
os.mknod("node", 0o104755)
open("node", "w").write("#!")'`,
        { write: [root], folder: root },
      );
      const modes = await Promise.all(
        ["changed", "made", "cut", "node"].map((name) => stat(join(root, name))),
      );
      for (const { mode, size } of modes) {
        assert.equal(mode & 0o6000, 0);
        assert.notEqual(size, 0);
      }
    },
  );

  // Contract: sandbox-9
  test("reaches no service on this machine", { skip: noPython }, async () => {
    const server = createServer((_, response) => response.end("reached"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const code = `import urllib.request; print(urllib.request.urlopen("http://127.0.0.1:${port}", timeout=2).read())`;
    try {
      const { out, err } = await python(code);
      assert.equal(out, "");
      assert.match(err, /Connection refused|unreachable/);
      // A program with network access reaches the service, so the denial above comes from the
      // sandbox.
      const open = await python(code, { network: [`127.0.0.1:${port}`] });
      assert.match(open.out, /reached/);
    } finally {
      server.close();
    }
  });

  // Contract: sandbox-9
  test("reaches no socket of the server, by path or abstract", { skip: noPython }, async () => {
    const path = join(base, "server.sock");
    const abstract = `\0capstan-test-${process.pid}`;
    const servers = [path, abstract].map((address) =>
      createSocketServer((socket) => socket.end("reached")).listen(address),
    );
    try {
      const { out } = await python(
        `import socket
for address in (${JSON.stringify(path)}, "\\0capstan-test-${process.pid}"):
    try:
        s = socket.socket(socket.AF_UNIX); s.connect(address); print(s.recv(9))
    except OSError as e: print(e.strerror)`,
        // The socket is in a folder that the program can change.
        { write: [base] },
      );
      const refused = "Address family not supported by protocol";
      assert.deepEqual(out.trim().split("\n"), [refused, refused]);
    } finally {
      for (const server of servers) server.close();
    }
  });

  // Contract: sandbox-11
  test("has no descriptor of the server", async () => {
    const write = [join(base, "descriptors")];
    const git = join(base, "descriptors/repository/.git");
    mkdirSync(git, { recursive: true });
    for (const program of [{}, { write, protected: [git] }]) {
      const { out } = await shell("ls /proc/self/fd", program);
      const descriptors = out.trim().split(/\s+/);
      assert.deepEqual(
        descriptors.filter((fd) => Number(fd) > 3),
        [],
      );
    }
  });

  // Contract: sandbox-12
  test("leaves nothing in the temporary folder", async () => {
    const name = `capstan-left-${process.pid}`;
    await shell(`touch /tmp/${name} /dev/shm/${name}`);
    assert.equal(existsSync(join("/tmp", name)), false);
    assert.equal(existsSync(join("/dev/shm", name)), false);
  });
});

// Contract: sandbox-66
test("mounts nothing in place of a folder that was replaced by a link during the start", () => {
  const root = join(base, "replaced");
  mkdirSync(join(root, "folder/.git"), { recursive: true });
  mkdirSync(join(base, "private/.git"), { recursive: true });
  const program = { command: "x", args: [], write: [root], protected: [join(root, "folder/.git")] };
  const pinned = pinnedPaths();
  let replaces = true;
  const pin = (path: string) => {
    // Another program that may change the root could do this at any time.
    if (replaces) renameSync(join(root, "folder"), join(root, "other"));
    if (replaces) symlinkSync(join(base, "private"), join(root, "folder"));
    replaces = false;
    return pinned.pin(path);
  };
  for (const usesDescriptors of [true, false]) {
    rmSync(root, { recursive: true });
    mkdirSync(join(root, "folder/.git"), { recursive: true });
    replaces = true;
    assert.throws(
      () => bubblewrapArguments(program, defaultLimits, { pin, usesDescriptors }),
      (error) => CapstanError.isInstance(error) && error.code === "folder_changed",
    );
  }
  pinned.close();
});

// Contract: sandbox-13
test("rejects a path through which a program could leave the sandbox, and names an alternative", () => {
  const paths = [
    "/",
    "/proc",
    "/proc/1/root",
    "/sys/fs",
    "/dev",
    "/run/docker.sock",
    "here",
    "/x\0y",
  ];
  for (const path of [...paths, join(base, "nowhere")])
    assert.throws(
      () =>
        bubblewrapArguments({ command: "x", args: [], read: [path] }, defaultLimits, {
          pin: () => assert.fail("It has no writable folder."),
          usesDescriptors: true,
        }),
      (error) => CapstanError.isInstance(error) && error.code === "invalid_sandbox_path",
      path,
    );
});
