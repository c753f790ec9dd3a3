/** A first file for each language: short, working, and showing what is read from it. */
export const templates = {
  py: (name: string) => `"""Tools about ${name}.

What is written here is told to the model: when to use these tools, and how they go together.
"""

from typing import Literal


def greet(name: str, times: int = 1, tone: Literal["kind", "short"] = "kind") -> dict:
    """Greets somebody.

    Args:
        name: Who is greeted.
        times: How often.
        tone: How warm it is.

    Returns:
        The greeting, and how long it is.

    Raises:
        ValueError: when times is not above 0
    """
    if times < 1:
        raise ValueError("times is not above 0")
    word = _words[tone]
    text = " ".join([f"{word}, {name}!"] * times)
    return {"text": text, "characters": len(text)}


# How the model reads the result; without it, as JSON.
greet.format = lambda result, args: result["text"]

# What begins with _ is private: no tool.
_words = {"kind": "Good to see you", "short": "Hi"}
`,
  ps1: (name: string) => `<#
.SYNOPSIS
Tools about ${name}.
.DESCRIPTION
What is written here is told to the model: when to use these tools, and how they go together.
#>

function Get-Greeting {
    <#
    .SYNOPSIS
    Greets somebody.
    .PARAMETER Name
    Who is greeted.
    .PARAMETER Times
    How often.
    .PARAMETER Tone
    How warm it is.
    .OUTPUTS
    hashtable the greeting, and how long it is
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

# How the model reads the result; without it, as JSON. It is no tool.
function Format-Get-Greeting {
    param($Result, $Arguments)
    $Result.text
}
`,
  ts: (
    name: string,
  ) => `// Tools about ${name}. A module runs inside the server, so a person approves each version of it.
import { defineTool } from "@capstan/core";

export const rulePrompt = "When to use these tools, and how they go together.";

export const greet = defineTool({
  name: "Greet",
  description: "Greets somebody.",
  parameters: {
    type: "object",
    properties: { name: { type: "string", description: "Who is greeted." } },
    required: ["name"],
  },
  effects: "read",
  permission: { executionPolicy: "auto" },
  execute: ({ name }) => \`Hi, \${String(name)}!\`,
});
`,
} as const;

export type TemplateKind = keyof typeof templates;
