import type { SkillRule } from "./tool.ts";

/** The rules that every session has. Version 2; a change of words here is a change of behaviour. */
export const agentRules: { readonly [name: string]: SkillRule } = {
  VarRef: {
    desc: "References",
    when: "Before you pass on a long result",
    prompt: `# References

Every tool result is kept as a variable; the last line of a long one names it, e.g. \`FetchWebPage_3\`. So is a long message of the user.

| write in an argument | the tool gets |
|---|---|
| \`$VAR_REF{{FetchWebPage_3}}\` | the whole value |
| \`$VAR_REF{{FetchWebPage_3:100:50}}\` | 50 characters from character 100 on |
| \`$VAR_REF{{Search_1#/items/0/url}}\` | the value at that JSON pointer |
| \`\\$VAR_REF{{…}}\` | the text itself, nothing put in its place |

An argument that is only a reference takes the value with its type (object, list, number) where the tool wants one.
Inside other text the value is inserted as text. Values are put in once: references inside a value stay as they are.
Results are numbered through the conversation in the order in which you write the calls; calls of ReadVar, ListVars, WriteVar and RemoveVars are not counted.
To look at a value yourself, use ReadVar, also with a pointer (\`{"name":"Search_1#/items/0"}\`); to see what there is, ListVars. \`FetchWebPage_3_args\` holds the arguments of that call.`,
  },
  TODO: {
    desc: "How to keep a list of steps in variables",
    when: "Before work of more than three steps",
    prompt: `# A TODO list in variables

Keep one variable a step, named \`TODO_{index}_{brief}\`, e.g. \`TODO_1_read_config\`, with the tag \`todo\`.
Its value is one line: \`open\`, \`doing\` or \`done\`, then a colon and the step.
Write the steps first; set a step to \`doing\` when you begin it and to \`done\` when it is; \`ListVars({"filter":{"tag":"todo"}})\` shows them all.
RemoveVars the list when all is done.`,
  },
};
