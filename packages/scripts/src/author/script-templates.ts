/** A template for each language: a short, working file that shows how it is read. */
export const templates = {
  py: (name: string) => `"""Tools about ${name}.

The model reads this text: when to use these tools, and how they work together.
"""

from typing import Literal


def greet(name: str, times: int = 1, tone: Literal["kind", "short"] = "kind") -> dict:
    """Returns a greeting.

    Args:
        name: The name to greet.
        times: The number of repetitions.
        tone: The tone of the greeting.

    Returns:
        The greeting and its length.

    Raises:
        ValueError: times is less than 1
    """
    if times < 1:
        raise ValueError("times is less than 1")
    word = _words[tone]
    text = " ".join([f"{word}, {name}!"] * times)
    return {"text": text, "characters": len(text)}


# The text of the result for the model. Without it, the result is JSON.
greet.format = lambda result, args: result["text"]

# Names that begin with _ are private and not tools.
_words = {"kind": "Good to see you", "short": "Hi"}
`,
  ps1: (name: string) => `<#
.SYNOPSIS
Tools about ${name}.
.DESCRIPTION
The model reads this text: when to use these tools, and how they work together.
#>

function Get-Greeting {
    <#
    .SYNOPSIS
    Returns a greeting.
    .PARAMETER Name
    The name to greet.
    .PARAMETER Times
    The number of repetitions.
    .PARAMETER Tone
    The tone of the greeting.
    .OUTPUTS
    hashtable the greeting and its length
    #>
    param(
        [Parameter(Mandatory)] [string] $Name,
        [ValidateRange(1, 10)] [int] $Times = 1,
        [ValidateSet('kind', 'short')] [string] $Tone = 'kind'
    )
    $word = if ($Tone -eq 'kind') { 'Good to see you' } else { 'Hi' }
    $text = (@("$word, $Name!") * $Times) -join ' '
    @{ text = $text; characters = $text.Length }
}

# The text of the result for the model, not a tool. Without it, the result is JSON.
function Format-Get-Greeting {
    param($Result, $Arguments)
    $Result.text
}
`,
  ts: (
    name: string,
  ) => `// Tools about ${name}. A module runs inside the server, so a user approves each version of it.
import { defineTool } from "@capstan/core";

export const rulePrompt = "When to use these tools, and how they work together.";

export const greet = defineTool({
  name: "Greet",
  description: "Returns a greeting.",
  parameters: {
    type: "object",
    properties: { name: { type: "string", description: "The name to greet." } },
    required: ["name"],
  },
  effects: "read",
  permission: { executionPolicy: "auto" },
  execute: ({ name }) => \`Hi, \${String(name)}!\`,
});
`,
} as const;

/** The file extension of a template. */
export type TemplateKind = keyof typeof templates;
