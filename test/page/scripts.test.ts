import assert from "node:assert/strict";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { ScriptCallList } from "@capstan/contract";
import { findPython } from "@capstan/scripts";
import type { Browser, Locator } from "playwright-core";
import { findBrowser, launchBrowser } from "../browser.ts";
import { type Capstan, startCapstan } from "./capstan.ts";
import { assertQuiet, eventually, visit, type Visitor } from "./visitor.ts";

const found = findBrowser();
const python = await findPython({});
const skip =
  (found.status === "missing" && found.reason) || (python.status === "missing" && python.message);

const boats = `"""Boats."""

TOOL_CONFIG = {"secrets": ["HARBOUR_KEY"]}


def find_boat(name: str, loud: bool = False) -> str:
    """Returns the berth of a boat.

    Args:
        name: The boat's name.
        loud: Whether it is shouted.
    """
    print("looking for", name)
    if name == "Bo":
        raise LookupError("There is no boat Bo.")
    return name + (" is at berth A1!" if loud else " is at berth A1.")
`;

let capstan: Capstan;
let browser: Browser;
let me: Visitor;
const place = (name: string) => join(capstan.folder, "capstan-tools", name);

before(async () => {
  if (skip !== false) return;
  capstan = await startCapstan({ files: { "capstan-tools/boats.py": boats } });
  browser = await launchBrowser();
  me = await visit(browser, capstan.url);
});
after(async () => {
  await browser?.close();
  await capstan?.close();
});

const item = (name: string) => me.page.locator(`[data-testid=script-item][data-name="${name}"]`);
const tab = (name: string) => me.page.getByRole("tab", { name });
const editor = () => me.page.getByRole("textbox", { name: "Text of boats.py" });

async function tryBoat(name: string, loud?: string): Promise<Locator> {
  const form = me.page.getByRole("form", { name: "Arguments of find_boat" });
  await form.getByLabel("name").fill(name);
  if (loud !== undefined) await form.getByLabel("loud").selectOption(loud);
  await form.getByRole("button", { name: "Call find_boat" }).click();
  return me.page.getByTestId("tried");
}

test(
  "a file in the folder is shown with its tools, parameters and default values",
  { skip },
  async () => {
    await me.page.getByRole("link", { name: "Scripts" }).click();
    await item("boats.py").getByText("needs approval every time").waitFor();
    await item("boats.py").click();
    const tool = me.page.locator("[data-testid=script-tool][data-tool=find_boat]");
    await tool.getByText("Returns the berth of a boat.").waitFor();
    const parameters = await tool.getByTestId("parameters").innerText();
    assert.match(parameters, /name string\s+The boat's name\./);
    assert.match(parameters, /loud boolean = false/);
  },
);

// Contract: scripts-78
test(
  "a trial call passes the gate: it asks, prints, returns its result, or fails with its traceback",
  { skip },
  async () => {
    await me.page.getByRole("button", { name: "Try find_boat" }).click();
    const form = me.page.getByRole("form", { name: "Arguments of find_boat" });
    await form.getByRole("button", { name: "Call find_boat" }).waitFor();
    const tried = await tryBoat("Anna", "true");
    await me.card("find_boat").locator("[data-testid=approval-allow-once]:enabled").click();
    await tried.getByText("Anna is at berth A1!").waitFor();
    await tried.getByText("looking for Anna").waitFor();
    await tryBoat("Bo");
    await me.card("find_boat").locator("[data-testid=approval-allow-once]:enabled").click();
    await tried.getByTestId("traceback").getByText("line 15, in find_boat").waitFor();
    await tried.getByText("LookupError: There is no boat Bo. (boats.py, line 15)").waitFor();
    await tab("Calls").click();
    const calls = me.page.getByTestId("last-call");
    await eventually(async () =>
      assert.deepEqual(
        await calls.evaluateAll((all) => all.map((one) => one.getAttribute("data-status"))),
        ["failed", "succeeded"],
      ),
    );
  },
);

test("runs with corrupt calls are named, and hide no others", { skip }, async () => {
  const url = /\/v1\/scripts\/[^/]+\/calls/;
  await me.page.route(url, async (route) => {
    const response = await route.fetch();
    const list = (await response.json()) as ScriptCallList;
    await route.fulfill({ response, json: { ...list, unreadable: ["resp_torn"] } });
  });
  await me.page.getByRole("button", { name: "Refresh" }).click();
  await me.page
    .getByText("These runs are omitted because their records are corrupt: resp_torn.")
    .waitFor();
  assert.equal(await me.page.getByTestId("last-call").count(), 2);
  await me.page.unroute(url);
});

// Contract: scripts-77
test(
  "exactly the content that is shown is approved; what changes needs approval again, and the change is shown",
  { skip },
  async () => {
    await tab("Permissions").click();
    await me.page.getByText("Gets the environment variables HARBOUR_KEY").waitFor();
    // Its text is not folded, and not in a box that scrolls.
    const text = me.page.locator(".script-content pre").first();
    assert.match(await text.innerText(), /HARBOUR_KEY/);
    assert.equal(await text.evaluate((box) => getComputedStyle(box).overflow), "visible");
    await me.page.getByRole("button", { name: "Approve this content" }).click();
    await me.page.getByText("You approved this content").waitFor();
    await item("boats.py").getByText("approved", { exact: true }).waitFor();
    // A change on the disk by another program applies without a reload.
    await writeFile(place("boats.py"), boats.replace("HARBOUR_KEY", "OTHER_KEY"));
    await item("boats.py").getByText("changed since approval").waitFor();
    await me.page.getByText("Gets the environment variables OTHER_KEY").waitFor();
    const diff = me.page.getByRole("group", { name: "Changes in boats.py" });
    await diff.locator(".diff-line.removed", { hasText: "HARBOUR_KEY" }).waitFor();
    await diff.locator(".diff-line.added", { hasText: "OTHER_KEY" }).waitFor();
    await me.page.getByRole("button", { name: "Revoke the approval" }).click();
    await item("boats.py").getByText("needs approval every time").waitFor();
  },
);

// Contract: scripts-79
test(
  "text is checked during typing, an error links to its line, and Ctrl+S saves",
  { skip },
  async () => {
    await tab("Source").click();
    await editor().press("Control+End");
    await editor().pressSequentially("\ndef broken(:");
    const problem = me.page.getByTestId("problem").getByRole("button");
    await problem.filter({ hasText: /Line 1[89]/ }).waitFor();
    await tab("Tools").click();
    await problem.click();
    await eventually(async () =>
      assert.equal(await editor().evaluate((field) => field === document.activeElement), true),
    );
    assert.match(
      await readFile(place("boats.py"), "utf8"),
      /at berth A1\."\)\n$/,
      "nothing is saved yet",
    );
    await editor().fill(`${boats}\n\ndef second() -> int:\n"""Counts."""`);
    await editor().press("Control+Home");
    await editor().evaluate((field: HTMLTextAreaElement) => {
      const at = field.value.indexOf('"""Counts');
      field.setSelectionRange(at, at);
    });
    await editor().press("Tab");
    await me.page.getByTestId("problem").waitFor({ state: "detached" });
    await editor().press("Control+s");
    await me.page.getByText("Saved.", { exact: true }).waitFor();
    assert.match(await readFile(place("boats.py"), "utf8"), /int:\n {4}"""Counts\."""$/);
    await item("boats.py").getByText("2 tools").waitFor();
    await editor().press("Escape");
    await editor().press("Tab");
    assert.equal(await editor().evaluate((field) => field === document.activeElement), false);
  },
);

// Contract: scripts-76
test(
  "a file that changed on the disk meanwhile is not overwritten: both versions are shown",
  { skip },
  async () => {
    await editor().fill("mine = 1\n");
    await writeFile(place("boats.py"), "theirs = 1\n");
    const conflict = me.page.getByTestId("conflict");
    await conflict.locator(".diff-line.removed", { hasText: "theirs = 1" }).waitFor();
    await conflict.locator(".diff-line.added", { hasText: "mine = 1" }).waitFor();
    assert.equal(await me.page.getByTestId("save-script").isEnabled(), false);
    await conflict.getByRole("button", { name: "Keep mine" }).click();
    await me.page.getByTestId("save-script").click();
    await me.page.getByText("Saved.", { exact: true }).waitFor();
    assert.equal(await readFile(place("boats.py"), "utf8"), "mine = 1\n");
  },
);

// Contract: scripts-80
test("a new file starts as a template, is deleted, and is restored", { skip }, async () => {
  await me.page.getByRole("button", { name: "New", exact: true }).click();
  const form = me.page.getByRole("form", { name: "New file" });
  await form.getByLabel("Name, with .py or .ps1").fill("../up.py");
  await form.getByRole("button", { name: "Create" }).click();
  await form.getByText(/is not a valid name for a script/).waitFor();
  await form.getByLabel("Name, with .py or .ps1").fill("weather.py");
  await form.getByRole("button", { name: "Create" }).click();
  await me.page.locator("[data-testid=script-tool][data-tool=greet]").waitFor();
  await tab("Source").click();
  await me.page.getByRole("button", { name: "Delete" }).click();
  await item("weather.py").waitFor({ state: "detached" });
  await me.page.getByTestId("toast").getByRole("button", { name: "Undo" }).click();
  await me.page.locator("[data-testid=script-tool][data-tool=greet]").waitFor();
  await tab("Source").click();
  await me.page.getByTestId("editor").press("x");
  await rm(place("weather.py"));
  const gone = me.page.getByTestId("script-gone");
  await gone.getByText("Your unsaved text is still here.").waitFor();
  await gone.getByRole("link", { name: "Discard it" }).click();
  await item("boats.py").waitFor();
});

test(
  "a value for scripts is set, reaches the next call, is never shown again, and is removed",
  { skip },
  async () => {
    const { page } = me;
    await writeFile(
      place("harbour.py"),
      `"""Harbour."""
import os
TOOL_CONFIG = {"secrets": ["HARBOUR_NAME"]}


def find_harbour() -> str:
    """Returns the harbour, in capitals."""
    return os.environ.get("HARBOUR_NAME", "unknown").upper()
`,
    );
    await item("harbour.py").click();
    await tab("Permissions").click();
    await page.getByRole("button", { name: "Approve this content" }).click();
    await page.getByRole("button", { name: "Revoke the approval" }).waitFor();
    const value = page.locator("[data-testid=script-value][data-name=HARBOUR_NAME]");
    await value.getByText("not set").waitFor();
    await value.getByRole("button", { name: "Set HARBOUR_NAME" }).click();
    const form = page.getByRole("form", { name: "Set HARBOUR_NAME" });
    assert.equal(await form.getByLabel("Value").getAttribute("type"), "password");
    await form.getByLabel("Value").fill("oslofjord");
    await form.getByRole("button", { name: "Save" }).click();
    await value.getByText("set", { exact: true }).waitFor();
    assert.doesNotMatch(await page.content(), /oslofjord/);
    await tab("Tools").click();
    await page.getByRole("button", { name: "Try find_harbour" }).click();
    await page.getByRole("button", { name: "Call find_harbour" }).click();
    await me.card("find_harbour").locator("[data-testid=approval-allow-once]:enabled").click();
    await page.getByTestId("tried").getByText("OSLOFJORD").waitFor();
    await value.getByRole("button", { name: "Remove HARBOUR_NAME" }).click();
    await value.getByRole("button", { name: "Remove for good" }).click();
    await value.getByText("not set").waitFor();
    const stored = page.getByTestId("script-values");
    await stored.getByTestId("new-value").click();
    await stored.getByLabel("Name of the value").fill("1 WRONG");
    await stored.getByLabel("Value", { exact: true }).fill("x");
    await stored.getByRole("button", { name: "Save" }).click();
    await stored.getByText("expected letters, digits and _").waitFor();
    await stored.getByRole("button", { name: "Cancel" }).click();
    await rm(place("harbour.py"));
    await me.page.getByTestId("script-gone").getByRole("link", { name: "All files" }).click();
    await value.waitFor({ state: "detached" });
  },
);

test("at 360 px nothing overflows, and every control has a name", { skip }, async () => {
  const { page } = me;
  await page.setViewportSize({ width: 360, height: 740 });
  for (let n = 0; n < 12; n++) await writeFile(place(`more_${n}.py`), `"""More ${n}."""\n`);
  await item("more_9.py").waitFor();
  const list = page.getByRole("region", { name: "Tool files" });
  const hidden = await list.evaluate((one) => one.scrollHeight - one.clientHeight);
  assert.ok(hidden <= 0, `the whole list is visible without scrolling: ${hidden} px are hidden`);
  await item("boats.py").click();
  for (const name of ["Tools", "Source", "Permissions", "Calls"]) {
    await tab(name).click();
    const found = await page.evaluate(() => ({
      overflow: document.documentElement.scrollWidth - window.innerWidth,
      nameless: [
        ...document.querySelectorAll<HTMLElement>("main :is(button, a, input, textarea, select)"),
      ]
        .filter((control) => control.offsetParent !== null)
        .filter((control) => {
          const labels = "labels" in control ? (control.labels as NodeList | null) : null;
          const own = control.matches("button, a") ? control.textContent.trim() : "";
          return !control.ariaLabel && own === "" && (labels?.length ?? 0) === 0;
        })
        .map((control) => control.outerHTML.slice(0, 120)),
    }));
    assert.deepEqual(found, { overflow: 0, nameless: [] }, name);
  }
});

test("the page reported no errors except the expected rejections", { skip }, () =>
  assertQuiet(me, /400 \(Bad Request\)|404 \(Not Found\)/),
);
