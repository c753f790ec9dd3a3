import { findProgram } from "./launcher.ts";

const installers = [
  { program: "apt-get", line: "sudo apt-get install -y" },
  { program: "dnf", line: "sudo dnf install -y" },
  { program: "pacman", line: "sudo pacman -S --noconfirm" },
  { program: "zypper", line: "sudo zypper install -y" },
  { program: "apk", line: "sudo apk add" },
  { program: "brew", line: "brew install" },
] as const;

/** The program name of a package manager. */
export type Installer = (typeof installers)[number]["program"];

/**
 * Returns the command that installs a package on this system.
 *
 * @param others its names in other package managers
 * @param find programs by their names @default on PATH
 */
export function installCommand(
  name: string,
  others: { readonly [installer in Installer]?: string } = {},
  find: (program: string) => string | undefined = findProgram,
): string {
  const installer = installers.find(({ program }) => find(program) !== undefined);
  if (installer === undefined) return `Install ${name}.`;
  return `${installer.line} ${others[installer.program] ?? name}`;
}
