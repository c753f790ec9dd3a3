<#
.SYNOPSIS
Boats in a harbour.
.DESCRIPTION
Call Get-Boat to check the boat's name before you call Measure-Price.
#>
# TOOL_CONFIG: {"title": "Harbour (PowerShell)", "executionPolicy": "ask-once"}

$Boats = @{
    Anna = @{ berth = 3; metres = 12 }
    Bris = @{ berth = 7; metres = 9 }
}

function Get-Boat {
    <#
    .SYNOPSIS
    Finds a boat's berth and its length in metres.
    .PARAMETER Name
    The boat's name, for example Anna.
    .OUTPUTS
    hashtable its berth, and its length in metres
    #>
    param(
        [Parameter(Mandatory)] [string] $Name
    )
    if (-not $Boats.ContainsKey($Name)) {
        throw "There is no boat $Name. The boats are: $($Boats.Keys -join ', ')."
    }
    @{ name = $Name } + $Boats[$Name]
}

# The model reads this text. Other tools and programs get the data. Format-<Tool> is not a tool.
function Format-Get-Boat {
    param($Result, $Arguments)
    "$($Result.name): berth $($Result.berth), $($Result.metres) m"
}

function Measure-Price {
    <#
    .SYNOPSIS
    Calculates the price of a berth in euros.
    .PARAMETER Name
    The boat's name.
    .PARAMETER Nights
    The number of nights.
    .PARAMETER Season
    Winter costs half.
    .PARAMETER Electricity
    Whether the boat uses shore power.
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

# Functions whose names begin with _ or Internal- are private: Capstan offers no tools for them.
function Internal-Log {
    param([string] $Text)
    Write-Verbose $Text
}
