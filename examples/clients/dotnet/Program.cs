// The .NET client with the Chat Completions API.
using System.ClientModel;
using OpenAI;
using OpenAI.Chat;

string Setting(string name, string otherwise) => Environment.GetEnvironmentVariable(name) ?? otherwise;
var options = new OpenAIClientOptions { Endpoint = new Uri(Setting("CAPSTAN_URL", "http://127.0.0.1:8787/v1")) };
var key = new ApiKeyCredential(Setting("CAPSTAN_API_KEY", "local"));
var chat = new ChatClient(Setting("CAPSTAN_MODEL", "capstan/offline"), key, options);
ChatCompletion completion = await chat.CompleteChatAsync("Hello");
Console.WriteLine(completion.Content[0].Text);
