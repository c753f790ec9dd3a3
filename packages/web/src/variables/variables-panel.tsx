import { createMemo, createSignal, Match, Switch } from "solid-js";
import { useApp } from "../app/app-state.ts";
import { VariableDetail } from "./variable-detail.tsx";
import { VariableForm } from "./variable-form.tsx";
import { VariableList } from "./variable-list.tsx";
import { createVariables } from "./variables.ts";
import "./variables.css";

/** The conversation's variables: found, read whole, added, changed, kept, deleted. */
export function VariablesPanel() {
  const app = useApp();
  const [isAdding, setAdding] = createSignal(false);
  const variables = createVariables(app);
  const shown = createMemo(() => app.variable());
  const back = () => {
    setAdding(false);
    app.showVariable(null);
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
