# The worker of one script: loads it, runs one call, and ends.
#
# Descriptors: 5 has the call, 1 and 2 are output, 3 has the call's messages, 4 the worker's.
# Arguments: the script's path; a mark that ends the output of loading and of the call; and whether the
# worker is alone, which is not used.
param([string] $ScriptPath, [string] $Mark, [string] $Alone)

$ErrorActionPreference = 'Stop'
$VerbosePreference = 'Continue'
$InformationPreference = 'Continue'
# Modules are loaded from PowerShell itself, never from a user's folder.
$env:PSModulePath = [System.IO.Path]::Combine($PSHOME, 'Modules')
$Deepest = 100

function __Open([int] $Descriptor, [System.IO.FileAccess] $Access) {
    $handle = [Microsoft.Win32.SafeHandles.SafeFileHandle]::new([System.IntPtr] $Descriptor, $false)
    [System.IO.FileStream]::new($handle, $Access, 1)
}

function __Print([string] $Text) {
    $bytes = [System.Text.Encoding]::UTF8.GetBytes($Text)
    $Printed.Write($bytes, 0, $bytes.Length)
    $Printed.Flush()
}

function __EndPrints {
    [System.Console]::Out.Flush()
    __Print ("`0" + $Mark + "`0")
}

# Four bytes of length, big-endian, then JSON.
function __Send([System.IO.Stream] $Stream, $Message) {
    $memory = [System.IO.MemoryStream]::new()
    $writer = [System.Text.Json.Utf8JsonWriter]::new([System.IO.Stream] $memory, [System.Text.Json.JsonWriterOptions]::new())
    __Write $writer $Message 0
    $writer.Flush()
    $bytes = $memory.ToArray()
    $length = [System.BitConverter]::GetBytes([int] $bytes.Length)
    [System.Array]::Reverse($length)
    $Stream.Write($length, 0, 4)
    $Stream.Write($bytes, 0, $bytes.Length)
    $Stream.Flush()
}

function __Receive([System.IO.Stream] $Stream) {
    $length = __Exactly $Stream 4
    [System.Array]::Reverse($length)
    $bytes = __Exactly $Stream ([System.BitConverter]::ToInt32($length, 0))
    $options = [System.Text.Json.JsonDocumentOptions]::new()
    $options.MaxDepth = 500
    $document = [System.Text.Json.JsonDocument]::Parse([System.Text.Encoding]::UTF8.GetString($bytes), $options)
    , (__Read $document.RootElement)
}

function __Exactly([System.IO.Stream] $Stream, [int] $Count) {
    $bytes = [byte[]]::new($Count)
    $have = 0
    while ($have -lt $Count) {
        $got = $Stream.Read($bytes, $have, $Count - $have)
        if ($got -eq 0) { [System.Environment]::Exit(0) }
        $have += $got
    }
    , $bytes
}

# Converts JSON to PowerShell values. A text that looks like a date stays a text; the parameter's type decides.
function __Read([System.Text.Json.JsonElement] $Element) {
    $kind = [string] $Element.ValueKind
    if ($kind -eq 'Object') {
        $table = @{}
        foreach ($property in $Element.EnumerateObject()) { $table[$property.Name] = __Read $property.Value }
        return $table
    }
    if ($kind -eq 'Array') {
        $list = [System.Collections.ArrayList]::new()
        foreach ($item in $Element.EnumerateArray()) { [void] $list.Add((__Read $item)) }
        return , $list.ToArray()
    }
    if ($kind -eq 'String') { return $Element.GetString() }
    if ($kind -eq 'True') { return $true }
    if ($kind -eq 'False') { return $false }
    if ($kind -ne 'Number') { return $null }
    [long] $whole = 0
    if ($Element.TryGetInt64([ref] $whole)) { return $whole }
    $Element.GetDouble()
}

# Encodes a function's result as JSON without losing anything silently. Numbers that JSON or JavaScript
# cannot represent become text, dates ISO 8601, bytes {"base64": ...}, and .NET objects their properties.
function __Write([System.Text.Json.Utf8JsonWriter] $Writer, $Value, [int] $Depth) {
    if ($Depth -gt $Deepest) { throw "The result contains itself, or is more than $Deepest levels deep." }
    if ($null -eq $Value -or $Value -is [System.DBNull]) { $Writer.WriteNullValue(); return }
    if ($Value -is [string] -or $Value -is [char]) { $Writer.WriteStringValue([string] $Value); return }
    if ($Value -is [bool] -or $Value -is [switch]) { $Writer.WriteBooleanValue([bool] $Value); return }
    if ($Value -is [System.Enum]) { $Writer.WriteStringValue($Value.ToString()); return }
    if ($Value -is [System.ValueType]) { __WriteNumber $Writer $Value $Depth; return }
    if ($Value -is [byte[]]) {
        $Writer.WriteStartObject()
        $Writer.WriteString('base64', [System.Convert]::ToBase64String($Value))
        $Writer.WriteEndObject()
        return
    }
    if ($Value -is [System.Collections.IDictionary]) {
        $Writer.WriteStartObject()
        # Enumerated, because a key may be called Keys.
        foreach ($entry in $Value.GetEnumerator()) {
            $Writer.WritePropertyName([string] $entry.Key)
            __Write $Writer $entry.Value ($Depth + 1)
        }
        $Writer.WriteEndObject()
        return
    }
    if ($Value -is [System.Collections.IEnumerable]) {
        $Writer.WriteStartArray()
        foreach ($item in $Value) { __Write $Writer $item ($Depth + 1) }
        $Writer.WriteEndArray()
        return
    }
    if ($Value -is [System.Management.Automation.PSCustomObject]) { __WriteProperties $Writer $Value $Depth; return }
    # Types, files, addresses and similar objects refer to each other endlessly, so their text is used.
    if ($Depth -gt 2 -or $Value -is [type] -or $Value -is [scriptblock] -or $Value -is [System.IO.FileSystemInfo] -or
        $Value -is [uri] -or $Value -is [version] -or $Value -is [System.Exception]) {
        $Writer.WriteStringValue([string] $Value)
        return
    }
    __WriteProperties $Writer $Value $Depth
}

function __WriteNumber([System.Text.Json.Utf8JsonWriter] $Writer, $Value, [int] $Depth) {
    $plain = [cultureinfo]::InvariantCulture
    if ($Value -is [datetime] -or $Value -is [System.DateTimeOffset]) {
        $Writer.WriteStringValue($Value.ToString('o', $plain))
    } elseif ($Value -is [timespan]) {
        $Writer.WriteNumberValue([double] $Value.TotalSeconds)
    } elseif ($Value -is [double] -or $Value -is [single]) {
        if ([double]::IsNaN($Value)) { $Writer.WriteStringValue('NaN') }
        elseif ([double]::IsPositiveInfinity($Value)) { $Writer.WriteStringValue('Infinity') }
        elseif ([double]::IsNegativeInfinity($Value)) { $Writer.WriteStringValue('-Infinity') }
        else { $Writer.WriteNumberValue([double]::Parse($Value.ToString('R', $plain), $plain)) }
    } elseif ($Value -is [decimal] -or $Value -is [bigint] -or $Value -is [guid]) {
        $Writer.WriteStringValue($Value.ToString())
    } elseif ($Value.GetType().IsPrimitive) {
        if ([System.Math]::Abs([decimal] $Value) -le 9007199254740991) { $Writer.WriteNumberValue([long] $Value) }
        else { $Writer.WriteStringValue($Value.ToString()) }
    } else {
        __WriteProperties $Writer $Value $Depth
    }
}

function __WriteProperties([System.Text.Json.Utf8JsonWriter] $Writer, $Value, [int] $Depth) {
    $Writer.WriteStartObject()
    foreach ($property in $Value.PSObject.Properties) {
        $Writer.WritePropertyName($property.Name)
        $content = $null
        try { $content = $property.Value } catch { $content = $null }
        __Write $Writer $content ($Depth + 1)
    }
    $Writer.WriteEndObject()
}

# A returned file becomes its content, read here, because the host may not have it.
function __PartOf($Value) {
    if ($Value -isnot [System.IO.FileInfo]) { return @{ type = 'value'; value = $Value } }
    $bytes = [System.IO.File]::ReadAllBytes($Value.FullName)
    @{ type = 'file'; name = $Value.Name; mimeType = (__TypeOf $Value.Extension); base64 = [System.Convert]::ToBase64String($bytes) }
}

function __TypeOf([string] $Extension) {
    $known = @{
        '.png' = 'image/png'; '.jpg' = 'image/jpeg'; '.jpeg' = 'image/jpeg'; '.gif' = 'image/gif'; '.webp' = 'image/webp'
        '.svg' = 'image/svg+xml'; '.pdf' = 'application/pdf'; '.json' = 'application/json'; '.csv' = 'text/csv'
        '.txt' = 'text/plain'; '.md' = 'text/markdown'; '.html' = 'text/html'; '.xml' = 'application/xml'; '.zip' = 'application/zip'
    }
    $found = $known[$Extension.ToLowerInvariant()]
    if ($found) { $found } else { 'application/octet-stream' }
}

# Converts an error to data: a summary for the model, all of it for the user. The position is the last one in
# the script's own folder.
function __Describe([System.Management.Automation.ErrorRecord] $Failure) {
    $stack = @(([string] $Failure.ScriptStackTrace) -split "`n" | Where-Object { -not $_.Contains($PSCommandPath) })
    $described = @{
        type = $Failure.Exception.GetType().Name
        message = $Failure.Exception.Message
        traceback = (@("$($Failure.Exception.GetType().FullName): $($Failure.Exception.Message)") + $stack) -join "`n"
    }
    $folder = [System.IO.Path]::GetDirectoryName($ScriptPath)
    foreach ($line in $stack) {
        if ($line -match '^at .*, (?<path>.+): line (?<line>\d+)' -and $Matches['path'].StartsWith($folder)) {
            $described['file'] = [System.IO.Path]::GetFileName($Matches['path'])
            $described['line'] = [int] $Matches['line']
            break
        }
    }
    $described
}

# Whether a record is output to print, and not part of the result.
function __Said($Item) {
    if ($Item -is [System.Management.Automation.InformationRecord]) {
        $data = $Item.MessageData
        if ($data -is [System.Management.Automation.HostInformationMessage]) {
            __Print ($data.Message + $(if ($data.NoNewLine) { '' } else { "`n" }))
        } else { __Print "$data`n" }
    } elseif ($Item -is [System.Management.Automation.WarningRecord]) { __Print "WARNING: $($Item.Message)`n" }
    elseif ($Item -is [System.Management.Automation.VerboseRecord]) { __Print "VERBOSE: $($Item.Message)`n" }
    elseif ($Item -is [System.Management.Automation.DebugRecord]) { __Print "DEBUG: $($Item.Message)`n" }
    elseif ($Item -is [System.Management.Automation.ErrorRecord]) { __Print "$Item`n" }
    else { return $false }
    $true
}

# Progress is not a stream that can be read, so this replaces PowerShell's own command.
function Write-Progress {
    [CmdletBinding()]
    param(
        [Parameter(Position = 0)] [string] $Activity,
        [Parameter(Position = 1)] [string] $Status,
        [Parameter(Position = 2)] [int] $Id,
        [int] $PercentComplete = -1,
        [int] $SecondsRemaining,
        [string] $CurrentOperation,
        [int] $ParentId,
        [int] $SourceId,
        [switch] $Completed
    )
    if ($Completed) { return }
    $message = @($Activity, $Status, $CurrentOperation) | Where-Object { $_ }
    $progress = @{ type = 'progress'; message = ($message -join ': ') }
    if ($PercentComplete -ge 0) { $progress['done'] = $PercentComplete; $progress['total'] = 100 }
    __Send $Calls $progress
}

function __Ask([hashtable] $Question) {
    $Asked['count']++
    __Send $Calls ($Question + @{ type = 'ask'; id = $Asked['count'] })
    $answer = __Receive $Replies
    if ($answer.ContainsKey('error')) { throw [string] $answer['error']['message'] }
    , $answer['value']
}

# A file that the function may read. Its bytes are read when they are needed.
function __File($About, [int] $Index) {
    $file = [pscustomobject] @{
        Id = $About['id']; Name = $About['name']; MimeType = $About['mimeType']; Size = $About['size']; Index = $Index
    }
    Add-Member -InputObject $file -MemberType ScriptMethod -Name ReadAllBytes -Value {
        $memory = [System.IO.MemoryStream]::new()
        $restart = $true
        while ($true) {
            $piece = __Ask @{ what = 'file'; index = $this.Index; restart = $restart }
            if ($null -eq $piece) { break }
            $bytes = [System.Convert]::FromBase64String([string] $piece['base64'])
            $memory.Write($bytes, 0, $bytes.Length)
            $restart = $false
        }
        , $memory.ToArray()
    }
    Add-Member -InputObject $file -MemberType ScriptMethod -Name ReadAllText -Value {
        [System.Text.Encoding]::UTF8.GetString($this.ReadAllBytes())
    }
    $file
}

# The value of a parameter named Context.
function __Context([string] $IdempotencyKey, $About) {
    if ($null -eq $About) { $About = @{ user = $null; request = @{}; tool = $null; files = @() } }
    $files = [System.Collections.ArrayList]::new()
    foreach ($one in $About['files']) { [void] $files.Add((__File $one $files.Count)) }
    $made = [pscustomobject] @{
        IdempotencyKey = $IdempotencyKey
        User = $About['user']
        Request = $About['request']
        Tool = $About['tool']
        Files = $files.ToArray()
    }
    $methods = @{
        Progress = {
            param($Message, $Done, $Total)
            $report = @{ type = 'progress' }
            if ($null -ne $Message) { $report['message'] = [string] $Message }
            if ($null -ne $Done) { $report['done'] = [double] $Done }
            if ($null -ne $Total) { $report['total'] = [double] $Total }
            __Send $Calls $report
        }
        Write = { param($Text) __Send $Calls @{ type = 'write'; text = [string] $Text } }
        Event = { param($Name, $Data) __Send $Calls @{ type = 'event'; name = [string] $Name; data = $Data } }
        Cite = { param($Annotation) __Send $Calls @{ type = 'cite'; annotation = $Annotation } }
        Variables = { __Ask @{ what = 'variables' } }
        Variable = { param($Name) __Ask @{ what = 'variable'; name = [string] $Name } }
        Workspace = { __Ask @{ what = 'workspace' } }
        CallTool = {
            param($Name, $Arguments)
            if ($null -eq $Arguments) { $Arguments = @{} }
            __Ask @{ what = 'call_tool'; name = [string] $Name; arguments = $Arguments }
        }
    }
    foreach ($name in $methods.Keys) {
        Add-Member -InputObject $made -MemberType ScriptMethod -Name $name -Value $methods[$name]
    }
    $made
}

function __Call($Module, $Request) {
    $given = $Request['arguments']
    $function = [string] $Request['function']
    $bound = @{} + $given
    if ($Request['wantsContext']) { $bound['Context'] = __Context $Request['idempotencyKey'] $Request['about'] }
    $results = [System.Collections.ArrayList]::new()
    & $Module { param($Name, $Bound) & $Name @Bound } $function $bound *>&1 | ForEach-Object {
        if (-not (__Said $_)) { [void] $results.Add($_) }
    }
    # Like the output of a pipeline: nothing, one value, or several.
    $result = if ($results.Count -eq 0) { $null } elseif ($results.Count -eq 1) { , $results[0] } else { , $results.ToArray() }
    if (@($result | Where-Object { $_ -is [System.IO.FileInfo] }).Count -gt 0) {
        __Send $Calls @{ type = 'parts'; parts = @($result | ForEach-Object { __PartOf $_ }) }
        return
    }
    $message = @{ type = 'result'; value = $result }
    if ($Request['hasFormat']) {
        try {
            $lines = & $Module { param($Name, $Bound) & $Name @Bound } "Format-$function" @{ Result = $result; Arguments = $given }
            $message['text'] = ($lines | ForEach-Object { [string] $_ }) -join "`n"
        } catch {
            __Print "The function's format failed:`n$((__Describe $_)['traceback'])`n"
        }
    }
    __Send $Calls $message
}

$Printed = [System.Console]::OpenStandardOutput()
$Requests = __Open 5 Read
$Calls = __Open 3 Write
$Replies = __Open 3 Read
$Control = __Open 4 Write
$Asked = @{ count = 0 }
if (Test-Path variable:PSStyle) { $PSStyle.OutputRendering = 'PlainText' }

try {
    # In a module of its own without exports, so that names of the script do not conflict with the worker's.
    $Module = New-Module -Name 'script' -ArgumentList $ScriptPath -ScriptBlock {
        param($Path)
        . $Path *>&1 | ForEach-Object { [void] (__Said $_) }
        Export-ModuleMember
    }
} catch {
    __EndPrints
    __Send $Control @{ type = 'failed'; error = (__Describe $_) }
    [System.Environment]::Exit(1)
}
# The first call of PowerShell code compiles it, which takes far longer than the call. A rehearsal with other
# functions and streams does that while the worker waits.
function __Rehearse {
    $Calls = [System.IO.MemoryStream]::new()
    $given = '{"function":"Get-Rehearsal","arguments":{"text":"a","number":1,"list":[true,null,0.5]},"wantsContext":true,"hasFormat":true}'
    $bytes = [System.Text.Encoding]::UTF8.GetBytes($given)
    $length = [System.BitConverter]::GetBytes([int] $bytes.Length)
    [System.Array]::Reverse($length)
    $request = [System.IO.MemoryStream]::new()
    $request.Write($length, 0, 4)
    $request.Write($bytes, 0, $bytes.Length)
    $module = New-Module -Name 'rehearsal' -ScriptBlock {
        function Get-Rehearsal {
            param($Text, $Number, $List, $Context)
            [pscustomobject] @{ text = $Text; table = @{ list = $List } }
        }
        function Format-Get-Rehearsal {
            param($Result, $Arguments)
            'text'
        }
        Export-ModuleMember
    }
    for ($turn = 0; $turn -lt 2; $turn++) {
        $request.Position = 0
        __Call $module (__Receive $request)
    }
}

__EndPrints
__Rehearse
__Send $Control @{ type = 'ready' }

$Request = __Receive $Requests
try {
    __Call $Module $Request
} catch {
    __Send $Calls @{ type = 'error'; error = (__Describe $_) }
}
__EndPrints
__Send $Calls @{ type = 'over' }
__Send $Control @{ type = 'ended'; clean = $false }
[System.Environment]::Exit(0)
