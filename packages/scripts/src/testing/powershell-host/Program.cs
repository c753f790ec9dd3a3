// A PowerShell for tests: the real engine with the options of `pwsh` that Capstan uses, and with the commands in
// Commands.cs instead of PowerShell's own modules, which are in no package.
//
// pwsh [-NoLogo] [-NoProfile] [-NonInteractive] -Command TEXT
// pwsh [-NoLogo] [-NoProfile] [-NonInteractive] -File PATH [ARGUMENTS]
// pwsh --outlines < JSON list of sources > JSON list of outlines
using System.Management.Automation;
using System.Management.Automation.Runspaces;

if (args is ["--outlines"])
{
    Outlines.Print();
    return 0;
}

var at = Array.FindIndex(args, one => one is "-Command" or "-File");
if (at < 0)
{
    Console.Error.WriteLine("This PowerShell needs -Command or -File.");
    return 64;
}

var state = InitialSessionState.CreateDefault2();
foreach (var type in typeof(WriteHost).Assembly.GetTypes())
    if (Attribute.GetCustomAttribute(type, typeof(CmdletAttribute)) is CmdletAttribute cmdlet)
        state.Commands.Add(new SessionStateCmdletEntry($"{cmdlet.VerbName}-{cmdlet.NounName}", type, null));

using var runspace = RunspaceFactory.CreateRunspace(state);
runspace.Open();
using var shell = PowerShell.Create(runspace);
if (args[at] == "-Command")
    shell.AddScript(args[at + 1]);
else
{
    shell.AddCommand(args[at + 1], useLocalScope: false);
    foreach (var argument in args[(at + 2)..]) shell.AddArgument(argument);
}

try
{
    foreach (var line in shell.Invoke()) Console.Out.WriteLine(line);
}
catch (RuntimeException failure)
{
    Console.Error.WriteLine(failure.ErrorRecord);
    Console.Error.WriteLine(failure.ErrorRecord.ScriptStackTrace);
    return 1;
}

foreach (var error in shell.Streams.Error) Console.Error.WriteLine(error);
return shell.HadErrors ? 1 : 0;
