import type { ToolGroupView, ToolView } from "@capstan/contract";
import { createMemo, For, Show } from "solid-js";
import { foundTools } from "../run/found-tools.ts";
import { useApp } from "../state/app-state.ts";
import { isGroupOn, isToolOn, withGroup, withTool } from "../state/switches.ts";
import { ErrorNotice } from "../shell/error-text.tsx";
import { settingsTexts } from "../texts/settings.ts";
import "../shell/toggle.css";
import "./tools-panel.css";

const executionLabels: { readonly [execution: string]: string } = settingsTexts.tools.executions;

/** Switches the tool groups and tools of this conversation on and off. */
export function ToolsPanel() {
  const { catalog, chat } = useApp();
  const found = createMemo(() => foundTools(chat.branch().map((run) => run.state())));
  return (
    <>
      <p class="panel-text">
        {chat.conversation() === null ? settingsTexts.tools.aboutNew : settingsTexts.tools.about}
      </p>
      <ErrorNotice message={catalog.groups.error()} />
      <For each={catalog.groups.value()}>
        {(group) => <GroupSwitch group={group} found={found()} />}
      </For>
      <Show when={catalog.groups.isReady() && catalog.groups.value().length === 0}>
        <p class="empty">{settingsTexts.tools.empty}</p>
      </Show>
    </>
  );
}

function GroupSwitch(props: {
  readonly group: ToolGroupView;
  readonly found: ReadonlySet<string>;
}) {
  const { chat } = useApp();
  const isOn = () => isGroupOn(props.group, chat.switches());
  return (
    <section class="tool-group" data-testid="tool-group" data-group={props.group.name}>
      <Switch
        label={props.group.title}
        detail={props.group.description}
        isOn={isOn()}
        testId="group-switch"
        strong
        onChange={(on) => void chat.setSwitches(withGroup(chat.switches(), props.group.name, on))}
      />
      <ul class="tool-list">
        <For each={props.group.tools}>
          {(tool) => (
            <li>
              <ToolSwitch tool={tool} groupIsOn={isOn()} isFound={props.found.has(tool.id)} />
            </li>
          )}
        </For>
      </ul>
    </section>
  );
}

function ToolSwitch(props: {
  readonly tool: ToolView;
  readonly groupIsOn: boolean;
  /** Whether the model found it in this chat. */
  readonly isFound: boolean;
}) {
  const { chat } = useApp();
  const policy = () => {
    const missing = props.tool.unavailable;
    if (missing !== null) return settingsTexts.tools.needs(missing.needs);
    const words = executionLabels[props.tool.execution] ?? props.tool.execution;
    if (props.isFound) return settingsTexts.tools.found(words);
    return props.tool.always_offered ? settingsTexts.tools.alwaysOffered(words) : words;
  };
  return (
    <Switch
      label={props.tool.name}
      detail={props.tool.unavailable?.fix ?? props.tool.description}
      note={policy()}
      isOn={isToolOn(props.tool, chat.switches())}
      isDisabled={!props.groupIsOn || props.tool.always_offered || props.tool.unavailable !== null}
      isMissing={props.tool.unavailable !== null}
      testId="tool-switch"
      onChange={(on) => void chat.setSwitches(withTool(chat.switches(), props.tool.id, on))}
    />
  );
}

interface SwitchProps {
  readonly label: string;
  readonly detail: string;
  readonly note?: string;
  readonly isOn: boolean;
  readonly isDisabled?: boolean;
  readonly strong?: boolean;
  /** Whether the detail is a setup hint, which is shown in full. */
  readonly isMissing?: boolean;
  readonly testId: string;
  readonly onChange: (on: boolean) => void;
}

function Switch(props: SwitchProps) {
  return (
    <label
      class="switch at-top"
      classList={{
        strong: props.strong === true,
        disabled: props.isDisabled === true,
        missing: props.isMissing === true,
      }}
    >
      <span class="switch-text flow grow">
        <span class="switch-label">{props.label}</span>
        <Show when={props.note}>{(note) => <span class="switch-note">{note()}</span>}</Show>
        <Show when={props.detail}>
          {(detail) => (
            <span class="switch-detail soft" title={detail()}>
              {detail()}
            </span>
          )}
        </Show>
      </span>
      <input
        type="checkbox"
        role="switch"
        aria-label={props.label}
        checked={props.isOn}
        disabled={props.isDisabled === true}
        data-testid={props.testId}
        onChange={(event) => props.onChange(event.currentTarget.checked)}
      />
      <span class="switch-track" aria-hidden="true" />
    </label>
  );
}
