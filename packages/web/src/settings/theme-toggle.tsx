import { createMediaQuery } from "../shell/media-query.ts";
import { useApp } from "../state/app-state.ts";
import { IconButton } from "../shell/button.tsx";
import { settingsTexts } from "../texts/settings.ts";

/**
 * Switches between light and dark. The theme follows the system until the user chooses a different
 * one.
 */
export function ThemeToggle() {
  const { theme } = useApp();
  const systemIsDark = createMediaQuery("(prefers-color-scheme: dark)");
  const system = () => (systemIsDark() ? "dark" : "light");
  const shown = () => {
    const chosen = theme.chosen();
    return chosen === "system" ? system() : chosen;
  };
  const other = () => (shown() === "dark" ? "light" : "dark");

  return (
    <IconButton
      icon={shown() === "dark" ? "sun" : "moon"}
      label={settingsTexts.switchTheme[other()]}
      title={settingsTexts.switchTheme[other()]}
      data-testid="theme-toggle"
      onClick={() => theme.choose(other() === system() ? "system" : other())}
    />
  );
}
