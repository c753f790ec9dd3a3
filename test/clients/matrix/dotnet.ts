import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "../../../scripts/command.ts";
import { type Client, image, type Question, weather } from "./client.ts";

const run = promisify(execFile);

const project = join(root, "test/clients/dotnet/client.csproj");
const artifacts = join(root, "test/clients/node_modules/.dotnet");
const program = join(artifacts, "bin/client/release/client.dll");

/** Milliseconds for the build with the download of the package. */
const buildMs = 240_000;

/** The .NET client, if the .NET SDK is installed. Builds a program that asks one question. */
export async function dotnetClients(): Promise<readonly Client[]> {
  const isBuilt = await build();
  return (["Responses", "Chat Completions"] as const).map((api): Client => ({
    title: "`OpenAI` 2.15 for .NET",
    api,
    ask: isBuilt ? (baseURL, question) => ask(baseURL, api, question) : undefined,
  }));
}

async function build(): Promise<boolean> {
  const options = ["-c", "Release", "--artifacts-path", artifacts, "--nologo", "-v", "q"];
  try {
    await run("dotnet", ["build", project, ...options], { timeout: buildMs });
    return true;
  } catch (thrown) {
    const { code, stdout = "" } = thrown as { code?: unknown; stdout?: string };
    const reason = code === "ENOENT" ? "There is no .NET SDK." : `dotnet build failed: ${stdout}`;
    process.stdout.write(`${reason} Tests of the .NET client are skipped.\n`);
    return false;
  }
}

async function ask(baseURL: string, api: Client["api"], question: Question): Promise<string> {
  const sent = JSON.stringify({ ...question, image, parameters: weather.parameters });
  try {
    const { stdout } = await run("dotnet", [program, baseURL, api, sent], { timeout: 60_000 });
    return stdout;
  } catch (thrown) {
    const { stderr = "" } = thrown as { stderr?: string };
    throw Object.assign(new Error(`The .NET client failed: ${stderr}`), { status: Number(stderr) });
  }
}
