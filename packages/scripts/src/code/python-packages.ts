import { type ToolContext, type ToolError, toolError } from "@capstan/core";
import { findPythonInstallation } from "@capstan/sandbox";
import { z } from "zod";
import { PackageEnvironments, withPackages } from "../environments/package-environments.ts";
import { usesIndexOnly } from "../environments/python-environments.ts";
import type { CodeToolsOptions } from "./code-options.ts";

/** The variable that lists the packages that code of the conversation can import. */
export const packagesVariable = "Python_packages";

/** The time that an installation may take in addition to the code, in seconds. */
export const installSeconds = 300;

/** The schema of the argument that names packages. */
export const packageNames = z
  .array(
    z
      .string()
      .max(200)
      .refine((name) => name.trim() !== "" && !/[\r\n#]/.test(name) && usesIndexOnly(name), {
        error: 'expected a name of the package index, such as "pandas" or "pandas==2.2"',
      }),
  )
  .max(30)
  .optional()
  .describe(
    "Packages to install with pip first, such as pandas==2.2. They stay installed for later calls of the conversation.",
  );

/** The errors of packages, for their documentation. */
export const packageErrors = {
  packages_not_installed: "pip could not install the packages; the message has the cause.",
  packages_missing: "Packages that the conversation installed were removed.",
};

/** Returns the folder of the packages that a call can import. */
export type FindPackages = (
  packages: readonly string[],
  context: ToolContext,
) => Promise<string | undefined | ToolError>;

/**
 * Returns a function that finds the packages of a call: those of the conversation and those that
 * the call names, which it installs. A call installs only packages that it names itself, because
 * the user who approves it reads only those.
 */
export function findPackages(
  options: CodeToolsOptions & { readonly packages: NonNullable<CodeToolsOptions["packages"]> },
  executable: string,
): FindPackages {
  const environments = new PackageEnvironments(options.packages);
  return async (named, context) => {
    const known = await conversationPackages(context);
    if (named.length === 0 && known.length === 0) return undefined;
    const python = await findPythonInstallation(executable);
    const set = { owner: context.principal.id, python };
    const found = await environments.find({ ...set, packages: known });
    if (named.length === 0)
      return (
        found ??
        toolError({
          code: "packages_missing",
          message: `The packages of this conversation are not installed any more: ${known.join(", ")}. Name them in packages to install them again, or remove the variable ${packagesVariable} to do without them.`,
        })
      );
    const packages = withPackages(found === undefined ? [] : known, named);
    context.output.progress({ message: `Install ${named.join(", ")}` });
    const outcome = await environments.install({
      ...set,
      packages,
      sandbox: options.sandbox,
      hidden: options.hidden ?? [],
      denied: context.denied(),
      onOutput: (text) => {
        const line = text.trim().split("\n").at(-1) ?? "";
        if (line !== "") context.output.progress({ message: line.slice(0, 200) });
      },
      signal: context.signal,
    });
    if (outcome.status === "failed")
      return toolError({ code: "packages_not_installed", message: outcome.message });
    context.variables.addVariable(
      packagesVariable,
      { text: packages.join("\n"), data: packages },
      "ToolCallResult",
      "Packages that Python can import in this conversation",
    );
    return outcome.status === "none_needed" ? undefined : outcome.folder;
  };
}

/** Returns the packages that earlier calls installed. A model can change the variable. */
async function conversationPackages(context: ToolContext): Promise<readonly string[]> {
  const data = (await context.readVariable(packagesVariable))?.value.data;
  const parsed = z.array(z.string()).safeParse(data);
  return parsed.success ? parsed.data : [];
}
