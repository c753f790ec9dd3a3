import { For, Show } from "solid-js";
import { Toggle } from "../shell/toggle.tsx";
import { useApp } from "../state/app-state.ts";
import { isGroupOn, withGroup } from "../state/switches.ts";
import { settingsTexts } from "../texts/settings.ts";

const texts = settingsTexts.toolDefaults;

/** The tool groups of new chats. */
export function ToolsSection() {
  const { catalog, preferences } = useApp();
  return (
    <>
      <p class="panel-text">{texts.about}</p>
      <ul>
        <For each={catalog.groups.value()}>
          {(group) => (
            <li class="setting">
              <Toggle
                label={group.title}
                detail={group.description}
                isOn={isGroupOn(group, preferences.value().switches)}
                testId="default-group"
                onChange={(on) =>
                  void preferences.change({
                    switches: withGroup(preferences.value().switches, group.name, on),
                  })
                }
              />
            </li>
          )}
        </For>
      </ul>
      <Show when={catalog.groups.isReady() && catalog.groups.value().length === 0}>
        <p class="empty">{settingsTexts.tools.empty}</p>
      </Show>
    </>
  );
}
