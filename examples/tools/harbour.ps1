<#
.SYNOPSIS
Boats in a harbour.
.DESCRIPTION
Find a boat by its name before you ask what its berth costs.
#>
# TOOL_CONFIG: {"title": "Harbour (PowerShell)", "executionPolicy": "ask-once"}

$Boats = @{
    Anna = @{ berth = 3; metres = 12 }
    Bris = @{ berth = 7; metres = 9 }
}

function Get-Boat {
    <#
    .SYNOPSIS
    Says where a boat lies, and how long it is.
    .PARAMETER Name
    The boat's name, for example Anna.
    .OUTPUTS
    hashtable its berth, and its length in metres
    #>
    param(
        [Parameter(Mandatory)] [string] $Name
    )
    if (-not $Boats.ContainsKey($Name)) {
        throw "No boat $Name lies here. There are: $($Boats.Keys -join ', ')."
    }
    @{ name = $Name } + $Boats[$Name]
}

# The model reads this text; the data stays beside it. Format-<Tool> is no tool itself.
function Format-Get-Boat {
    param($Result, $Arguments)
    "$($Result.name): berth $($Result.berth), $($Result.metres) m"
}

function Measure-Price {
    <#
    .SYNOPSIS
    Reckons what a berth costs, in euros.
    .PARAMETER Name
    The boat's name.
    .PARAMETER Nights
    How long it stays.
    .PARAMETER Season
    Winter costs half.
    .PARAMETER Electricity
    Whether it takes current.
    #>
    # TOOL_CONFIG: {"executionPolicy": "auto", "effects": "read"}
    param(
        [Parameter(Mandatory)] [string] $Name,
        [ValidateRange(1, 365)] [int] $Nights = 1,
        [ValidateSet('summer', 'winter')] [string] $Season = 'summer',
        [switch] $Electricity
    )
    $perMetre = if ($Season -eq 'summer') { 2.0 } else { 1.0 }
    $euros = (Get-Boat -Name $Name).metres * $Nights * $perMetre
    if ($Electricity) { $euros += 4.5 * $Nights }
    [math]::Round($euros, 2)
}

# What begins with _ or Internal- is private: no tool.
function Internal-Log {
    param([string] $Text)
    Write-Verbose $Text
}
