/** The skill rule `Rule/scripts/WriteATool`. Its test reads the examples like files. */
export const writeATool = `# Tool files

One file in a tools folder is one group of tools. It is read without being run, and changes take effect within a second.
Check your text with CheckScript before you hand it over. A user puts it into the folder, and until the user approves the
file every call asks. Do not say that a tool works before a call of it has worked.

## Python

\`\`\`python
"""The purpose of the group, and when to use which tool. The model reads this."""

from typing import Literal, Optional


def forecast(city: str, days: int = 3, unit: Literal["c", "f"] = "c", at: Optional[str] = None) -> dict:
    """Returns the weather of a town. The first lines say what the tool is for.

    Args:
        city: The town, without its country.
        days: How many days, from 1 to 10.
        unit: Celsius or Fahrenheit.
        at: An hour such as 14:00; without it the whole day.

    Returns:
        dict: temperature and sky by day

    Raises:
        LookupError: the town is not known
    """
    if city not in _towns:
        raise LookupError(f"{city} is not known. There are: {', '.join(_towns)}.")
    return {"city": city, "days": [_towns[city]] * days}


# Optional: the text for the model. Without it, the result as JSON.
forecast.format = lambda result, args: f"{result['city']}: {result['days']}"

_towns = {"Bergen": {"sky": "rain", "c": 9}}
\`\`\`

- Each public top-level function is a tool, \`async def\` too. Names that begin with \`_\` are private. Classes and imports are not tools.
- Annotations are the types: str, int, float, bool, list[T], dict[str, T], tuple, Literal, Optional, Union, Enum, TypedDict, dataclass, pydantic model,
  Annotated[int, "what it is"]. A parameter with a default may be left out. No *args.
- Return plain data: numbers, text, lists, dicts, dates, dataclasses, or a pathlib.Path of a file you made. Print progress for the user.
- Raise an exception with a message that says what to do instead; the model reads it.
- A parameter named \`context\` is hidden from the model: \`context.progress("half", done=1, total=2)\`, \`context.variables["Fetch_1"]\`, \`context.call_tool("web.FetchWebPage", {"url": url})\`.
- It can import and read files next to it whose names begin with \`_\`; a folder with a main.py has its own helpers and data.

## PowerShell

\`\`\`powershell
<#
.SYNOPSIS
The purpose of the group.
#>

function Get-Forecast {
    <#
    .SYNOPSIS
    Returns the weather of a town.
    .PARAMETER City
    The town, without its country.
    .OUTPUTS
    hashtable temperature and sky by day
    #>
    param(
        [Parameter(Mandatory)] [string] $City,
        [ValidateRange(1, 10)] [int] $Days = 3,
        [ValidateSet('c', 'f')] [string] $Unit = 'c',
        [switch] $Wind
    )
    @{ city = $City; days = $Days }
}

function Format-Get-Forecast { param($Result, $Arguments) "$($Result.city): $($Result.days) days" }
\`\`\`

- Each top-level function is a tool, except \`_…\`, \`Internal-…\` and \`Format-<Tool>\`, which makes the text for the model.
- \`throw\` a message that says what to do instead.

## Permissions

By default a script has no network, no folders, no secrets, and 30 seconds. It declares its needs, which a user must approve:

\`\`\`python
TOOL_CONFIG = {"title": "Weather", "network": True, "secrets": ["WEATHER_KEY"], "roots": {"read": ["data"]}, "timeoutMs": 60000}
\`\`\`

network True is the public internet, by the proxy in HTTPS_PROXY; a list names hosts, ["10.0.0.5:8080"].
In PowerShell write JSON in a comment, \`# TOOL_CONFIG: {"network": true}\`; inside a function it is for that function. In Python set
\`forecast.executionPolicy = "ask-always"\` for one function. Values are literals. Policies: executionPolicy auto, ask-once, ask-always, deny;
resultApprovalPolicy never, on-error, always; effects read, write, exclusive. Declare no more than it needs.
`;
