import { createMemo, createSignal, Match, Switch } from "solid-js";
import { useApp } from "../state/app-state.ts";
import { VariableDetail } from "./variable-detail.tsx";
import { VariableForm } from "./variable-form.tsx";
import { VariableList } from "./variable-list.tsx";
import { createVariables } from "./variables.ts";
import "./variables.css";

/** The conversation's variables: search, read, add, change, keep and delete. */
export function VariablesPanel() {
  const app = useApp();
  const [isAdding, setAdding] = createSignal(false);
  const variables = createVariables(app);
  const shown = createMemo(() => app.variable());
  const back = () => {
    const name = shown();
    setAdding(false);
    app.showVariable(null);
    // The focused element is gone: return the focus to the list.
    queueMicrotask(() => {
      const item = document.querySelector<HTMLElement>(
        `[data-testid=variable-item][data-name="${CSS.escape(name ?? "")}"] button`,
      );
      (item ?? document.querySelector<HTMLElement>("[data-testid=variable-add]"))?.focus();
    });
  };

  return (
    <Switch fallback={<VariableList variables={variables} onAdd={() => setAdding(true)} />}>
      <Match when={isAdding()}>
        <VariableForm
          onCancel={back}
          onSave={async (name, body) => {
            await variables.create(name, body);
            setAdding(false);
            app.showVariable(name);
          }}
        />
      </Match>
      <Match when={shown()} keyed>
        {(name) => <VariableDetail name={name} variables={variables} onBack={back} />}
      </Match>
    </Switch>
  );
}
