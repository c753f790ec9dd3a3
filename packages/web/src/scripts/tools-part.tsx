import type { ScriptDetail, ScriptToolView } from "@capstan/contract";
import { createSignal, For, Show } from "solid-js";
import { KeyedFor } from "../shell/keyed-for.tsx";
import { argumentFields } from "./argument-fields.ts";
import { executionLabels } from "./script-badge.ts";
import { TryTool } from "./try-tool.tsx";
import { Button } from "../shell/button.tsx";
import { scriptsTexts } from "../texts/scripts.ts";

/** The tools of a file, each with its parameters and a form to try it. */
export function ToolsPart(props: { readonly file: ScriptDetail }) {
  return (
    <ul class="script-tools" data-testid="script-tools">
      <KeyedFor
        each={props.file.tools}
        by={({ id }) => id}
        fallback={
          <li class="empty">
            {props.file.status === "unapproved"
              ? scriptsTexts.tools.module
              : scriptsTexts.tools.empty}
          </li>
        }
      >
        {(tool) => (
          <li class="script-tool" data-testid="script-tool" data-tool={tool().name}>
            <ToolView file={props.file} tool={tool()} />
          </li>
        )}
      </KeyedFor>
    </ul>
  );
}

function ToolView(props: { readonly file: ScriptDetail; readonly tool: ScriptToolView }) {
  const [isTrying, setTrying] = createSignal(false);
  const fields = () => argumentFields(props.tool.parameters);
  const panel = () => `try-${props.tool.name}`;
  return (
    <>
      <div class="script-tool-head flow">
        <h3>{props.tool.name}</h3>
        <span class="tag">{executionLabels[props.tool.execution] ?? props.tool.execution}</span>
      </div>
      <p class="script-tool-about breaks">{props.tool.description}</p>
      <Show when={fields().length > 0}>
        <dl class="parameters" data-testid="parameters">
          <For each={fields()}>
            {(field) => (
              <div class="parameter">
                <dt>
                  <code>{field.name}</code>{" "}
                  <span class="parameter-type faint breaks">{field.typeText}</span>{" "}
                  <Show when={!field.isRequired}>
                    <span class="parameter-type faint breaks">
                      {field.defaultText === undefined
                        ? scriptsTexts.tools.optional
                        : `= ${field.defaultText}`}
                    </span>
                  </Show>
                </dt>
                <Show when={field.description}>{(text) => <dd>{text()}</dd>}</Show>
              </div>
            )}
          </For>
        </dl>
      </Show>
      <Show when={props.tool.returns}>
        {(returns) => (
          <p class="parameter-type faint breaks">
            {scriptsTexts.tools.returns(returns().type, returns().note)}
          </p>
        )}
      </Show>
      <Button
        look="small"
        aria-expanded={isTrying()}
        aria-controls={isTrying() ? panel() : undefined}
        aria-label={scriptsTexts.tools.tryLabel(props.tool.name)}
        data-testid="try-tool"
        onClick={() => setTrying(!isTrying())}
      >
        {scriptsTexts.tools.try}
      </Button>
      <Show when={isTrying()}>
        <div id={panel()}>
          <TryTool id={props.file.id} tool={props.tool} fields={fields()} />
        </div>
      </Show>
    </>
  );
}
