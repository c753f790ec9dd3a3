import assert from "node:assert/strict";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import {
  type ContentParts,
  isToolError,
  type ToolContext,
  type ToolErrorData,
  VariableSystem,
} from "@capstan/core";
import { call, fakeContext, toolOf } from "@capstan/core/testing";
import { type FakeService, sendJson, startFakeService } from "../service/testing/fake-service.ts";
import { mediaTools } from "./media-tools.ts";
import { formOf, givenFile, jpeg, mp3, png, recordingContext } from "./testing/media-fixtures.ts";

const bytes = Buffer.from(png, "base64");
const answer: FakeService["answer"] = (_request, response) =>
  sendJson(response, { data: [{ b64_json: png }] });

let service: FakeService;
let site: FakeService;
let root = "";
before(async () => {
  service = await startFakeService(answer);
  site = await startFakeService((_request, response) => response.writeHead(404).end());
  root = await mkdtemp(join(tmpdir(), "media-"));
  await writeFile(join(root, "a.png"), bytes);
  await writeFile(join(root, "b.jpg"), Buffer.from(jpeg, "base64"));
  await writeFile(join(root, "notes.txt"), "no image");
  await symlink("/etc/passwd", join(root, "link.png"));
});
beforeEach(() => {
  service.answer = answer;
  service.requests.length = 0;
});
after(async () => {
  await service[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
  await rm(root, { recursive: true });
});

const tool = (allowPrivateHosts: readonly string[] = []) =>
  toolOf(
    mediaTools({
      roots: [{ path: root }],
      images: { url: `${service.url}/v1`, model: "gpt-image-2" },
      allowPrivateHosts,
    }),
    "EditImage",
  );
const defaults = { prompt: "brighter", n: 1, partial_images: 0 };

async function edit(args: object, context: ToolContext = recordingContext(), hosts?: string[]) {
  const result = await call<ContentParts>(tool(hosts), { ...defaults, ...args }, context);
  assert.ok(!isToolError(result), JSON.stringify(result));
  const request = service.requests.at(-1) ?? assert.fail();
  return { result, form: await formOf(request), request };
}

async function failure(
  args: object,
  context: ToolContext = recordingContext(),
  hosts?: string[],
): Promise<ToolErrorData> {
  const result = await call(tool(hosts), { ...defaults, ...args }, context);
  assert.ok(isToolError(result), JSON.stringify(result).slice(0, 200));
  return result;
}

test("a file of a root is sent as a form with its type, and the result is a new image", async () => {
  const { result, form, request } = await edit({ images: ["a.png"], input_fidelity: "high" });
  assert.equal(request.url.pathname, "/v1/images/edits");
  const image = form.get("image");
  assert.ok(image instanceof File);
  assert.deepEqual([image.name, image.type, image.size], ["a.png", "image/png", bytes.length]);
  assert.deepEqual(
    ["prompt", "model", "input_fidelity"].map((name) => form.get(name)),
    ["brighter", "gpt-image-2", "high"],
  );
  assert.equal(result.parts[1]?.type, "image");
});

test("several images and a mask are sent as separate fields", async () => {
  const context = recordingContext({ files: [givenFile("file-1", "photo", bytes)] });
  const { form } = await edit({ images: ["b.jpg", "file-1"], mask: "a.png" }, context);
  assert.deepEqual(
    form.getAll("image[]").map((one) => (one as File).name),
    ["b.jpg", "photo.png"],
  );
  assert.ok(form.get("mask") instanceof File);
  const wrong = await failure({ images: ["a.png"], mask: "b.jpg" });
  assert.match(wrong.message, /mask is image\/jpeg/);
});

test("variables hold Base64, a data URL, or the result of a tool", async () => {
  const files = [givenFile("file-1", "photo.png", bytes)];
  const variables = new VariableSystem();
  const add = (name: string, value: string, data?: unknown) =>
    variables.addVariable(
      name,
      data === undefined ? value : { text: value, data: data as never },
      "LLMAdd",
    );
  add("plain", png);
  add("url", `data:image/png;base64,${png}`);
  add("stored", "text", [
    { type: "text", text: "x" },
    { type: "image", fileId: "file-1" },
  ]);
  add("part", "text", { image: { source: { type: "base64", data: png } } });
  add("words", "Not an image!");
  const context = { ...recordingContext(), ...fakeContext({ variables }), files };
  for (const name of ["plain", "url", "stored", "part"]) {
    const { form } = await edit({ images: [`var:${name}`] }, context);
    assert.equal((form.get("image") as File).size, bytes.length, name);
  }
  assert.equal((await failure({ images: ["var:none"] }, context)).code, "no_such_variable");
  assert.match((await failure({ images: ["var:words"] }, context)).message, /contains no image/);
  assert.deepEqual(
    tool().permission?.readsVariables?.({ ...defaults, images: ["var:a", "b"], mask: " var:c" }),
    ["a", "c"],
  );
});

test("files of other conversations, paths outside the roots and private addresses are rejected", async () => {
  const context = recordingContext({ files: [givenFile("file-1", "photo.png", bytes)] });
  const foreign = await failure({ images: ["file-9"] }, context);
  assert.equal(foreign.code, "no_such_file");
  assert.match(foreign.message, /It has file-1 \(photo\.png\)/);
  for (const path of ["../../etc/passwd", "/etc/passwd", "link.png"])
    assert.equal((await failure({ images: [path] })).code, "outside_roots", path);
  // The service may be private, but a model must not reach its other addresses.
  for (const url of [`${service.url}/admin`, "http://169.254.169.254/latest"])
    assert.equal((await failure({ images: [url] })).code, "private_address");
  const denied = fakeContext({ denied: { paths: [{ path: "a.png" }] } });
  assert.equal((await failure({ images: ["a.png"] }, denied)).code, "denied_path");
  assert.equal(service.requests.length, 0);
});

test("a URL is fetched within its site, and its content must be an image", async () => {
  site.answer = ({ url }, response) =>
    url.pathname === "/elsewhere"
      ? void response.writeHead(302, { location: "https://example.org/x.png" }).end()
      : void response.end(url.pathname === "/page" ? "<html>" : bytes);
  const hosts = [site.host];
  const { form } = await edit({ images: [`${site.url}/pictures/x`] }, recordingContext(), hosts);
  assert.equal((form.get("image") as File).name, "x.png");
  const fail = (path: string) => failure({ images: [site.url + path] }, recordingContext(), hosts);
  assert.equal((await fail("/page")).code, "wrong_type");
  const other = await fail("/elsewhere");
  assert.equal(other.code, "redirects_elsewhere");
  assert.match(other.message, /https:\/\/example\.org\/x\.png/);
});

test("other files and other types are rejected by name", async () => {
  assert.match(
    (await failure({ images: ["notes.txt"] })).message,
    /neither an image nor a recording/,
  );
  const gif = givenFile("file-2", "g", Buffer.from("GIF89a.."));
  const sound = givenFile("file-3", "s", mp3);
  const context = recordingContext({ files: [gif, sound] });
  assert.match((await failure({ images: ["file-2"] }, context)).message, /image\/gif/);
  assert.match((await failure({ images: ["file-3"] }, context)).message, /audio\/mpeg/);
  const huge = { ...givenFile("file-4", "h", bytes), size: 60 * 1024 * 1024 };
  assert.equal(
    (await failure({ images: ["file-4"] }, recordingContext({ files: [huge] }))).code,
    "too_large",
  );
  assert.equal(service.requests.length, 0);
});

test("a wider approval covers only the same sites", () => {
  const scope = (images: readonly string[]) =>
    tool().permission?.grantScope?.({ ...defaults, images: [...images] }).key;
  assert.equal(scope(["a.png", "var:x"]), "files");
  assert.equal(scope(["https://a.example/1.png"]), "sites https://a.example");
  assert.equal(scope(["https://a.example/2.png", "file-1"]), "sites https://a.example");
  assert.notEqual(scope([" https://b.example/"]), scope(["https://a.example/"]));
});

test("a streamed edit has partial images", async () => {
  service.answer = (_request, response) =>
    response.writeHead(200, { "content-type": "text/event-stream" }).end(
      ["partial_image", "completed"]
        .map((stage) => JSON.stringify({ type: `image_edit.${stage}`, b64_json: png }))
        .map((data) => `data: ${data}\n\n`)
        .join(""),
    );
  const context = recordingContext();
  const { result, form } = await edit({ images: ["a.png"], partial_images: 1 }, context);
  assert.deepEqual([form.get("stream"), form.get("partial_images")], ["true", "1"]);
  assert.deepEqual(
    context.events.map(([name]) => name),
    ["image_generation.partial_image"],
  );
  assert.equal(result.parts.length, 2);
});

test("a form keeps its files when an unknown field is omitted", async () => {
  service.answer = (request, response) => {
    const text = request.body.toString("latin1");
    if (!text.includes('name="input_fidelity"')) return answer(request, response);
    sendJson(
      response,
      { error: { message: "x", param: "input_fidelity", code: "unknown_parameter" } },
      { status: 400 },
    );
  };
  const { result, form } = await edit({ images: ["a.png"], input_fidelity: "low" });
  assert.equal((form.get("image") as File).size, bytes.length);
  assert.match(JSON.stringify(result.parts[0]), /does not support input_fidelity/);
});
