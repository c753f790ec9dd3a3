import type { ToolGroup } from "@capstan/core";

/** The documents on the use of the code tools. */
export const codeRules: NonNullable<ToolGroup["declareSkillRules"]> = {
  variables: {
    desc: "Pass values to code",
    when: "Before code that uses a result or a long text",
    prompt: `# Values in code

Name the variables in \`variables\` instead of pasting their text into the code:

| tool | a variable \`Query_3\` |
|---|---|
| Python | \`vars["Query_3"]\`: a list, dict, number or text as the value is |
| JavaScript | \`vars.Query_3\` |
| Shell | the file \`$VARS/Query_3\` |
| PowerShell | the file \`$env:VARS/Query_3\` |

\`Python {"code": "sum(row['n'] for row in vars['Query_3'])", "variables": ["Query_3"]}\`
\`Shell {"command": "wc -l < $VARS/Query_3", "variables": ["Query_3"]}\`

A reference such as \`$VAR_REF{{…}}\` in code would insert the text as code: avoid it. The user approves the code with the contents of its variables. Between calls, only files in the workspace ($WORKSPACE in Shell) and the packages of Python are kept: name a package once, \`"packages": ["pandas"]\`, and import it in every later call.`,
  },
};
