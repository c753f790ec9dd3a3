/** Errors about the arguments of a command line. */
export const argumentTexts = {
  seeHelp: (message: string, help: string) => `${message} See \`${help}\`.`,
  unknownFlag: (flag: string, hint: string) => `There is no flag ${flag}.${hint}`,
  unknownCommand: (command: string, hint: string) => `There is no command ${command}.${hint}`,
  didYouMean: (name: string) => ` Did you mean ${name}?`,
  switchWithValue: (flag: string) => `--${flag} takes no value.`,
  missingValue: (flag: string, placeholder: string) =>
    `--${flag} needs a value: --${flag} ${placeholder}`,
  unexpectedOperand: (command: string, operand: string) => `${command} takes no "${operand}".`,
  oneOperand: (what: string, example: string) =>
    `Pass one ${what}, for example \`capstan scripts ${example}\`.`,
  operand: { file: "file", pluginFolder: "plugin folder", name: "name" },
  commandFailed: (command: string, reason: string) => `capstan ${command}: ${reason}`,
} as const;
