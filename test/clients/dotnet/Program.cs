// Asks one question with the .NET client: `client BASE_URL API QUESTION`, where QUESTION is JSON as
// in test/clients/matrix/client.ts. Prints the answer, or the HTTP status of an error with exit code 1.
using System.ClientModel;
using System.ClientModel.Primitives;
using System.Text.Json.Nodes;
using OpenAI;
using OpenAI.Chat;
using OpenAI.Responses;

var options = new OpenAIClientOptions
{
    Endpoint = new Uri(args[0]),
    RetryPolicy = new ClientRetryPolicy(maxRetries: 0),
};
var question = JsonNode.Parse(args[2])!;
var client = new OpenAIClient(new ApiKeyCredential("local"), options);
try
{
    Console.Write(args[1] == "Responses" ? await AskResponses(client, question) : await AskChat(client, question));
    return 0;
}
catch (ClientResultException error)
{
    Console.Error.Write(error.Status);
    return 1;
}

static string Weather(BinaryData arguments) => $"storm in {JsonNode.Parse(arguments)!["place"]}";

static bool Is(JsonNode question, string name) => question[name]?.GetValue<bool>() ?? false;

static async Task<string> AskChat(OpenAIClient client, JsonNode question)
{
    var chat = client.GetChatClient((string)question["model"]!);
    var parts = new List<ChatMessageContentPart> { ChatMessageContentPart.CreateTextPart((string)question["prompt"]!) };
    if (Is(question, "sendsImage"))
        parts.Add(ChatMessageContentPart.CreateImagePart(Image(question), "image/png"));
    var messages = new List<ChatMessage> { new UserChatMessage(parts) };
    var settings = new ChatCompletionOptions();
    if (Is(question, "offersTool"))
        settings.Tools.Add(ChatTool.CreateFunctionTool("get_weather", "Returns the weather", Json(question["parameters"]!)));
    if (question["schema"] is { } schema)
        settings.ResponseFormat = ChatResponseFormat.CreateJsonSchemaFormat("answer", Json(schema), null, true);
    while (true)
    {
        var (text, calls) = Is(question, "stream")
            ? await StreamChat(chat, messages, settings)
            : await CompleteChat(chat, messages, settings);
        if (calls.Count == 0) return text;
        messages.Add(new AssistantChatMessage(calls));
        foreach (var call in calls) messages.Add(new ToolChatMessage(call.Id, Weather(call.FunctionArguments)));
    }
}

static async Task<(string, IReadOnlyList<ChatToolCall>)> CompleteChat(ChatClient chat, List<ChatMessage> messages, ChatCompletionOptions settings)
{
    ChatCompletion completion = await chat.CompleteChatAsync(messages, settings);
    return (string.Concat(completion.Content.Select(part => part.Text)), completion.ToolCalls);
}

static async Task<(string, IReadOnlyList<ChatToolCall>)> StreamChat(ChatClient chat, List<ChatMessage> messages, ChatCompletionOptions settings)
{
    var text = "";
    var calls = new SortedDictionary<int, (string Id, string Name, string Arguments)>();
    await foreach (var update in chat.CompleteChatStreamingAsync(messages, settings))
    {
        text += string.Concat(update.ContentUpdate.Select(part => part.Text));
        foreach (var part in update.ToolCallUpdates)
        {
            var call = calls.GetValueOrDefault(part.Index, (Id: "", Name: "", Arguments: ""));
            calls[part.Index] = (part.ToolCallId ?? call.Id, part.FunctionName ?? call.Name, call.Arguments + part.FunctionArgumentsUpdate);
        }
    }
    var made = calls.Values.Select(call => ChatToolCall.CreateFunctionToolCall(call.Id, call.Name, BinaryData.FromString(call.Arguments)));
    return (text, made.ToList());
}

static async Task<string> AskResponses(OpenAIClient client, JsonNode question)
{
    var responses = client.GetResponsesClient();
    var parts = new List<ResponseContentPart> { ResponseContentPart.CreateInputTextPart((string)question["prompt"]!) };
    if (Is(question, "sendsImage"))
        parts.Add(ResponseContentPart.CreateInputImagePart(new Uri((string)question["image"]!)));
    var settings = new CreateResponseOptions { Model = (string)question["model"]! };
    settings.InputItems.Add(ResponseItem.CreateUserMessageItem(parts));
    if (Is(question, "offersTool"))
        settings.Tools.Add(ResponseTool.CreateFunctionTool("get_weather", Json(question["parameters"]!), true, "Returns the weather"));
    if (question["schema"] is { } schema)
        settings.TextOptions = new ResponseTextOptions
        {
            TextFormat = ResponseTextFormat.CreateJsonSchemaFormat("answer", Json(schema), null, true),
        };
    while (true)
    {
        var response = Is(question, "stream")
            ? await StreamResponse(responses, settings)
            : (ResponseResult)await responses.CreateResponseAsync(settings);
        var calls = response.OutputItems.OfType<FunctionCallResponseItem>().ToList();
        if (calls.Count == 0) return response.GetOutputText();
        foreach (var item in response.OutputItems) settings.InputItems.Add(item);
        foreach (var call in calls)
            settings.InputItems.Add(ResponseItem.CreateFunctionCallOutputItem(call.CallId, Weather(call.FunctionArguments)));
    }
}

static async Task<ResponseResult> StreamResponse(ResponsesClient responses, CreateResponseOptions settings)
{
    settings.StreamingEnabled = true;
    await foreach (var update in await responses.CreateResponseStreamingAsync(settings))
    {
        if (update is StreamingResponseCompletedUpdate completed) return completed.Response;
        if (update is StreamingResponseFailedUpdate or StreamingResponseErrorUpdate) break;
    }
    throw new ClientResultException("The stream failed.");
}

static BinaryData Image(JsonNode question) =>
    BinaryData.FromBytes(Convert.FromBase64String(((string)question["image"]!).Split(',')[1]));

static BinaryData Json(JsonNode node) => BinaryData.FromString(node.ToJsonString());
