import { createEffect } from "solid-js";
import { createMediaQuery } from "../shell/media-query.ts";
import { createPreference } from "../state/preferences.ts";
import { IconButton } from "../shell/button.tsx";
import { settingsTexts } from "../texts/settings.ts";

/** Switches between light and dark. The theme follows the system until the user chooses another one than the system's. */
export function ThemeToggle() {
  const [chosen, choose] = createPreference("theme");
  const systemIsDark = createMediaQuery("(prefers-color-scheme: dark)");
  const system = () => (systemIsDark() ? "dark" : "light");
  const theme = () => chosen() ?? system();
  const other = () => (theme() === "dark" ? "light" : "dark");

  createEffect(() => {
    const wanted = chosen();
    if (wanted === null) delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = wanted;
  });

  return (
    <IconButton
      icon={theme() === "dark" ? "sun" : "moon"}
      label={settingsTexts.theme(other())}
      title={settingsTexts.theme(other())}
      data-testid="theme-toggle"
      onClick={() => choose(other() === system() ? null : other())}
    />
  );
}
