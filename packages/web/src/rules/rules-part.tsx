import type { OverrideChange, OverrideView } from "@capstan/contract";
import { createSignal, For, onMount, Show } from "solid-js";
import { client } from "../api/client.ts";
import { useApp } from "../state/app-state.ts";
import { createLoaded } from "../state/loaded.ts";
import { attempt, showToast } from "../state/toasts.ts";
import { RuleForm } from "./rule-form.tsx";
import { RuleItem } from "./rule-item.tsx";
import { ErrorNotice } from "../shell/error-text.tsx";
import { Button } from "../shell/button.tsx";
import { rulesTexts } from "../texts/rules.ts";
import "./rules.css";

/** The user's rules: list, add, change, remove and restore. */
export function RulesPart() {
  const { catalog } = useApp();
  const rules = createLoaded<readonly OverrideView[]>([], () => client.rules());
  /** The rule that is being changed, `new`, or none. */
  const [open, setOpen] = createSignal<string | null>(null);
  let part!: HTMLElement;
  onMount(() => void rules.refresh());

  /** Closes the form and focuses the button of its rule, or the button that adds one. */
  const close = (rule: string | null) => {
    setOpen(null);
    const back =
      rule === null ? null : part.querySelector<HTMLElement>(`[data-rule="${rule}"] button`);
    (back ?? part.querySelector<HTMLElement>("[data-testid=add-rule]"))?.focus();
  };
  const send = async (change: OverrideChange): Promise<string | null> => {
    const saved = await client.setRule(change);
    const isRule = saved.object === "override";
    rules.set((all) => {
      const at = all.findIndex(({ id }) => id === saved.id);
      if (!isRule) return all.filter(({ id }) => id !== saved.id);
      return at === -1 ? [...all, saved] : all.with(at, saved);
    });
    return isRule ? saved.id : null;
  };
  const save = async (change: OverrideChange) => close(await send(change));
  const bringBack = async ({ tool, when, execution, result, approvalMs, reason }: OverrideView) => {
    const about = when === undefined ? { tool } : { tool, when };
    const said = { execution, result, approvalMs, reason };
    const words = Object.entries(said).filter(([, word]) => word !== undefined);
    await attempt(rulesTexts.notRestored, () => send({ ...about, ...Object.fromEntries(words) }));
  };
  const remove = async (rule: OverrideView) => {
    if (!(await attempt(rulesTexts.notRemoved, () => client.removeRule(rule.id)))) return;
    rules.set((all) => all.filter(({ id }) => id !== rule.id));
    close(null);
    showToast({
      text: rulesTexts.removed(rule.title),
      action: { label: rulesTexts.undo, run: () => void bringBack(rule) },
    });
  };

  return (
    <section ref={(element) => (part = element)} aria-labelledby="rules-title">
      <h3 id="rules-title" class="part-title">
        {rulesTexts.title}
      </h3>{" "}
      <p class="panel-text">{rulesTexts.about}</p>
      <ErrorNotice message={rules.error()} />
      <ul class="rules" aria-label={rulesTexts.title}>
        <For each={rules.value()}>
          {(rule) => (
            <li class="rule" data-testid="rule" data-tool={rule.tool} data-rule={rule.id}>
              <Show
                when={open() === rule.id}
                fallback={
                  <RuleItem
                    rule={rule}
                    onChange={() => setOpen(rule.id)}
                    onRemove={() => remove(rule)}
                  />
                }
              >
                <RuleForm
                  rule={rule}
                  groups={catalog.groups.value()}
                  onSave={save}
                  onCancel={() => close(rule.id)}
                />
              </Show>
            </li>
          )}
        </For>
      </ul>
      <Show when={rules.isReady() && rules.value().length === 0 && open() === null}>
        <p class="empty" data-testid="no-rules">
          {rulesTexts.empty}
        </p>
      </Show>
      <Show
        when={open() === "new"}
        fallback={
          <Button look="small" data-testid="add-rule" onClick={() => setOpen("new")}>
            {rulesTexts.add}
          </Button>
        }
      >
        <RuleForm groups={catalog.groups.value()} onSave={save} onCancel={() => close(null)} />
      </Show>
    </section>
  );
}
