import { createEffect, For, Match, Show, Switch } from "solid-js";
import { useApp, type SettingsSection } from "../state/app-state.ts";
import { DialogHead } from "../shell/overlays/dialog.tsx";
import { Icon, type IconName } from "../shell/icon.tsx";
import { settingsTexts } from "../texts/settings.ts";
import { AgentsSection } from "./agents-section.tsx";
import { DataSection } from "./data-section.tsx";
import { GeneralSection } from "./general-section.tsx";
import { ModelsSection } from "./models-section.tsx";
import { ToolsSection } from "./tools-section.tsx";
import { UsageSection } from "./usage-section.tsx";
import "./settings-dialog.css";

const texts = settingsTexts.dialog;

const sections: readonly { readonly name: SettingsSection; readonly icon: IconName }[] = [
  { name: "general", icon: "sliders" },
  { name: "models", icon: "spark" },
  { name: "agents", icon: "agent" },
  { name: "tools", icon: "tools" },
  { name: "usage", icon: "chart" },
  { name: "data", icon: "archive" },
];

/** The settings of this browser and of the user. */
export function SettingsDialog() {
  const app = useApp();
  let dialog!: HTMLDialogElement;
  createEffect(() => {
    const isOpen = app.settings() !== null;
    if (isOpen && !dialog.open) dialog.showModal();
    if (!isOpen && dialog.open) dialog.close();
  });
  const close = () => app.showSettings(null);

  return (
    <dialog
      ref={(element) => (dialog = element)}
      class="dialog settings-dialog"
      aria-labelledby="settings-title"
      data-testid="settings-dialog"
      onClose={close}
      onClick={(event) => event.target === dialog && close()}
    >
      <div class="settings-frame">
        <DialogHead
          class="settings-head"
          id="settings-title"
          title={texts.title}
          closeLabel={texts.close}
          closeTestId="close-settings"
          onClose={close}
        />
        <nav class="settings-nav" aria-label={texts.sections}>
          <For each={sections}>
            {({ name, icon }) => (
              <button
                type="button"
                class="settings-link row bare"
                aria-current={app.settings() === name ? "page" : undefined}
                data-testid={`settings-${name}`}
                onClick={() => app.showSettings(name)}
              >
                <Icon name={icon} size={17} /> {texts.names[name]}
              </button>
            )}
          </For>
        </nav>
        <div
          class="settings-body"
          tabindex="0"
          role="region"
          aria-label={sectionName(app.settings())}
        >
          <Show when={app.settings()}>
            <Switch>
              <Match when={app.settings() === "general"}>
                <GeneralSection />
              </Match>
              <Match when={app.settings() === "models"}>
                <ModelsSection />
              </Match>
              <Match when={app.settings() === "agents"}>
                <AgentsSection />
              </Match>
              <Match when={app.settings() === "tools"}>
                <ToolsSection />
              </Match>
              <Match when={app.settings() === "data"}>
                <DataSection />
              </Match>
              <Match when={app.settings() === "usage"}>
                <UsageSection />
              </Match>
            </Switch>
          </Show>
        </div>
      </div>
    </dialog>
  );
}

function sectionName(section: SettingsSection | null): string {
  return section === null ? "" : texts.names[section];
}
