// Commands that PowerShell has in its modules, as far as the tests and the worker use them.
using System.Management.Automation;

[Cmdlet("Write", "Host")]
public sealed class WriteHost : PSCmdlet
{
    [Parameter(Position = 0, ValueFromRemainingArguments = true)] public object? Object { get; set; }
    [Parameter] public SwitchParameter NoNewline { get; set; }

    protected override void ProcessRecord() => WriteInformation(
        new HostInformationMessage { Message = LanguagePrimitives.ConvertTo<string>(Object), NoNewLine = NoNewline },
        ["PSHOST"]);
}

[Cmdlet("Write", "Output")]
public sealed class WriteOutput : PSCmdlet
{
    [Parameter(Position = 0, ValueFromPipeline = true)] public object? InputObject { get; set; }
    protected override void ProcessRecord() => WriteObject(InputObject, true);
}

public abstract class WriteMessage : PSCmdlet
{
    [Parameter(Position = 0, Mandatory = true)] public string Message { get; set; } = "";
}

[Cmdlet("Write", "Verbose")]
public sealed class WriteVerboseCommand : WriteMessage
{
    protected override void ProcessRecord() => WriteVerbose(Message);
}

[Cmdlet("Write", "Debug")]
public sealed class WriteDebugCommand : WriteMessage
{
    protected override void ProcessRecord() => WriteDebug(Message);
}

[Cmdlet("Write", "Warning")]
public sealed class WriteWarningCommand : WriteMessage
{
    protected override void ProcessRecord() => WriteWarning(Message);
}

[Cmdlet("Write", "Information")]
public sealed class WriteInformationCommand : PSCmdlet
{
    [Parameter(Position = 0, Mandatory = true)] public object MessageData { get; set; } = "";
    protected override void ProcessRecord() => WriteInformation(MessageData, []);
}

[Cmdlet("Write", "Error")]
public sealed class WriteErrorCommand : WriteMessage
{
    protected override void ProcessRecord() => WriteError(
        new ErrorRecord(new RuntimeException(Message), "", ErrorCategory.NotSpecified, null));
}

[Cmdlet("Add", "Member")]
public sealed class AddMember : PSCmdlet
{
    [Parameter(Mandatory = true, ValueFromPipeline = true)] public PSObject InputObject { get; set; } = null!;
    [Parameter] public PSMemberTypes MemberType { get; set; } = PSMemberTypes.NoteProperty;
    [Parameter(Mandatory = true)] public string Name { get; set; } = "";
    [Parameter(Mandatory = true)] public object? Value { get; set; }

    protected override void ProcessRecord()
    {
        var value = Value is PSObject wrapped ? wrapped.BaseObject : Value;
        InputObject.Members.Add(MemberType == PSMemberTypes.ScriptMethod
            ? new PSScriptMethod(Name, (ScriptBlock)value!)
            : new PSNoteProperty(Name, Value));
    }
}

public abstract class PathCommand : PSCmdlet
{
    [Parameter(Position = 0, Mandatory = true)] public string Path { get; set; } = "";
}

[Cmdlet("Test", "Path")]
public sealed class TestPath : PathCommand
{
    protected override void ProcessRecord() => WriteObject(InvokeProvider.Item.Exists(Path));
}

[Cmdlet("Get", "Item")]
public sealed class GetItem : PathCommand
{
    protected override void ProcessRecord() => WriteObject(InvokeProvider.Item.Get(Path), true);
}

[Cmdlet("Get", "ChildItem")]
public sealed class GetChildItem : PathCommand
{
    protected override void ProcessRecord() => WriteObject(InvokeProvider.ChildItem.Get(Path, false), true);
}
