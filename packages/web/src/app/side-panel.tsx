import { Match, onMount, Show, Switch } from "solid-js";
import { GrantsPart } from "../approvals/grants-part.tsx";
import { RulesPart } from "../rules/rules-part.tsx";
import { ApproversNote } from "../settings/pairing-notice.tsx";
import { ToolsPanel } from "../settings/tools-panel.tsx";
import { bindOverlay } from "../shell/overlays/overlay.ts";
import { VariablesPanel } from "../variables/variables-panel.tsx";
import { useApp, type PanelName } from "../state/app-state.ts";
import { IconButton } from "../shell/button.tsx";
import { InboxPanel } from "../inbox/inbox-panel.tsx";
import { ConnectionsPanel } from "../connections/connections-panel.tsx";
import { connectionsTexts } from "../texts/connections.ts";
import { inboxTexts } from "../texts/inbox.ts";
import { shellTexts } from "../texts/shell.ts";

const titles: { readonly [panel in PanelName]: () => string } = {
  inbox: () => inboxTexts.title,
  tools: () => shellTexts.tools,
  connections: () => connectionsTexts.title,
  variables: () => shellTexts.variables,
  permissions: () => shellTexts.permissions,
};

/** The panel next to the chat; an overlay on narrow screens. */
export function SidePanel(props: { readonly panel: PanelName; readonly isOverlay: boolean }) {
  const app = useApp();
  let aside!: HTMLElement;
  const close = () => app.showPanel(null);
  onMount(() => bindOverlay(aside, () => props.isOverlay, close));

  return (
    <>
      <Show when={props.isOverlay}>
        <div class="scrim" onClick={close} />
      </Show>
      <aside
        ref={(element) => (aside = element)}
        class="panel"
        classList={{ overlay: props.isOverlay }}
        role={props.isOverlay ? "dialog" : "complementary"}
        aria-modal={props.isOverlay ? "true" : undefined}
        aria-labelledby="panel-title"
        tabindex="-1"
        data-testid={`panel-${props.panel}`}
      >
        <div class="panel-head spread">
          <h2 id="panel-title">{titles[props.panel]()}</h2>
          <IconButton
            icon="close"
            label={shellTexts.closePanel}
            data-testid="close-panel"
            onClick={close}
          />
        </div>
        <div class="panel-body">
          <Switch>
            <Match when={props.panel === "inbox"}>
              <InboxPanel onOpenChat={() => props.isOverlay && close()} />
            </Match>
            <Match when={props.panel === "tools"}>
              <ToolsPanel />
            </Match>
            <Match when={props.panel === "connections"}>
              <ConnectionsPanel />
            </Match>
            <Match when={props.panel === "variables"}>
              <VariablesPanel />
            </Match>
            <Match when={props.panel === "permissions"}>
              <RulesPart />
              <GrantsPart />
              <ApproversNote />
            </Match>
          </Switch>
        </div>
      </aside>
    </>
  );
}
