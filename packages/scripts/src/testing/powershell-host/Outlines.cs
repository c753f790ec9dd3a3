using System.Management.Automation.Language;
using System.Text.Json;

/// <summary>What PowerShell's own parser finds in sources, in the form of `Outline` of outline.ts.</summary>
static class Outlines
{
    public static void Print()
    {
        using var input = Console.OpenStandardInput();
        var sources = JsonSerializer.Deserialize<string[]>(input) ?? [];
        Console.Out.Write(JsonSerializer.Serialize(sources.Select(OutlineOf)));
    }

    static object OutlineOf(string source)
    {
        var tree = Parser.ParseInput(source, out var tokens, out var errors);
        return new
        {
            errors = errors.Select(error => error.Message),
            comments = tokens
                .Where(token => token.Kind == TokenKind.Comment)
                .Select(token => new
                {
                    start = token.Extent.StartOffset,
                    end = token.Extent.EndOffset,
                    text = token.Text,
                }),
            functions = (tree.EndBlock?.Statements ?? Enumerable.Empty<StatementAst>())
                .OfType<FunctionDefinitionAst>()
                .Where(function => !function.IsFilter)
                .Select(FunctionOf),
        };
    }

    static object FunctionOf(FunctionDefinitionAst function) => new
    {
        name = function.Name,
        start = function.Extent.StartOffset,
        bodyStart = function.Body.Extent.StartOffset,
        bodyEnd = function.Body.Extent.EndOffset - 1,
        attributes = (function.Body.ParamBlock?.Attributes ?? Enumerable.Empty<AttributeAst>()).Select(AttributeOf),
        parameters = (function.Parameters ?? function.Body.ParamBlock?.Parameters ?? Enumerable.Empty<ParameterAst>())
            .Select(parameter => new
            {
                name = parameter.Name.VariablePath.UserPath,
                start = parameter.Extent.StartOffset,
                attributes = parameter.Attributes.Select(AttributeOf),
                @default = parameter.DefaultValue?.Extent.Text,
            }),
    };

    static object AttributeOf(AttributeBaseAst attribute)
    {
        var text = attribute.Extent.Text[1..^1];
        if (attribute is not AttributeAst) return new { name = text };
        var open = text.IndexOf('(');
        return new { name = text[..open], arguments = text[(open + 1)..text.LastIndexOf(')')] };
    }
}
