/** A task in a user's words, and the tools of which one solves it. */
export interface LabelledQuery {
  readonly query: string;
  /** `group.Tool`. */
  readonly tools: readonly string[];
}

/**
 * Labelled tasks, as lines of `query => tools`. They were written from tasks, before the ranking, and without the
 * words of the tools. Only the lines with an even number (from 0) may be used to improve the ranking;
 * the figures of the others show whether that helps in general.
 */
const lines = `
what day is it today => basic.DateTime
which weekday was 12 March 1987 => basic.DateTime
make everything upper case => basic.Text
turn this sample JSON into a TypeScript type => basic.JsonToInterface
compare our revenue per quarter as bars => charts.BarChart
show how the temperature developed over time in a diagram => charts.LineChart
visualize the market shares => charts.PieChart
is there a correlation between height and weight, plot it => charts.ScatterChart
run a bash command => code.Shell
execute a python snippet with pandas => code.Python
evaluate some node.js code => code.JavaScript
what is 17% of 3480 => data.Calculate
solve (3+4)*12/7 exactly => data.Calculate
pull all prices out of this JSON => data.JsonQuery
aggregate a csv by column with SQL => data.TableQuery
save this text to disk => edit.WriteFile filesystem.write_file
replace a word in my source code => edit.EditFile filesystem.edit_file
apply a unified diff => edit.ApplyPatch
rename readme.txt => edit.MoveFile filesystem.move_file
duplicate a document on my disk => edit.CopyFile drive.files_copy
make a new folder => edit.MakeDirectory filesystem.create_directory
get rid of old log files => edit.RemoveFile
revert my last change => edit.Undo
open a text file and show its contents => files.ViewFile filesystem.read_text_file filesystem.read_file
what is in this folder => files.ListFiles filesystem.list_directory filesystem.directory_tree
where in the project is the function parseDate used => files.SearchFiles
locate all png images below a directory => files.FindFiles filesystem.search_files
what kind of file is this and how large is it => files.InspectFile filesystem.get_file_info
who was Ada Lovelace => knowledge.Wikipedia web.WebSearch
will it rain tomorrow in Berlin => knowledge.Weather
draw a picture of a cat => media.GenerateImage
remove the background of my photo => media.EditImage
what can be seen on this picture => media.DescribeImage
write down what is said in this recording => media.TranscribeAudio
find the passage about liability in my contracts => retrieval.SearchDocuments
read pages 3 to 5 of a PDF => retrieval.ReadDocuments
append a paragraph to my daily note in SiYuan => siyuan.appendContent siyuan.getDailyNoteDocs
which notebooks do I have => siyuan.listNotebooks
create a new note document => siyuan.createNewDoc crm.notes_create
look up the notes for a phrase => siyuan.searchKeyword siyuan.searchDocument
plan the work in steps and tick them off => todo.AddTodos todo.ChangeTodo
what is still open on my list of tasks => todo.ListTodos
latest news about the election => web.WebSearch
read an article on a website => web.FetchWebPage
get the text of https://example.com => web.FetchWebPage
look for a term on a long web page => web.SearchInWebPage
download all pages of a documentation site => web.CrawlPages
which CSS classes does this page use => web.InspectDOMStructure
get the table from an HTML page by a selector => web.ExtractHTML
which abilities with instructions are installed => skills.ListSkills
report a bug in our repository => tracker.issues_create
which bugs are open => tracker.issues_listForRepo
close ticket number 42 of the repo => tracker.issues_update
tag the bug as urgent => tracker.issues_addLabels
answer in the discussion of a bug => tracker.issues_createComment
propose my branch for review => tracker.pulls_create
accept a PR into main => tracker.pulls_merge
which files does the PR touch => tracker.pulls_listFiles
ask Bob to review my code => tracker.pulls_requestReviewers
who has written most of the code of this project => tracker.repos_listContributors
what changed between v1 and v2 => tracker.repos_compareCommits
publish version 2.0 with release notes => tracker.repos_createRelease
give Alice write access to the repo => tracker.repos_addCollaborator
did the CI pass on main => tracker.actions_listWorkflowRuns
restart the failed build => tracker.actions_reRunWorkflow
stop the running pipeline => tracker.actions_cancelWorkflowRun
share a code snippet publicly => tracker.gists_create
set up a meeting with Tom on Friday at 10 => calendar.events_insert
what appointments do I have this week => calendar.events_list
cancel my dentist appointment => calendar.events_delete
when are all of us available => calendar.freebusy_query
shift the meeting one hour later => calendar.events_patch
let my assistant see my agenda => calendar.acl_insert
write an email to the team => mailbox.messages_send
any new mail from my boss => mailbox.messages_list
throw away this email => mailbox.messages_trash
prepare an answer but do not send it yet => mailbox.drafts_create
save the file that was attached to the mail => mailbox.attachments_get
set an out of office notice => mailbox.settings_updateVacation
sort newsletters automatically into a folder => mailbox.filters_create
mark an email as important => mailbox.messages_modify
register a new client for billing => billing.PostCustomers
bill a customer for 200 euros => billing.PostInvoices
give a buyer the money back => billing.PostRefunds
how much money is in our account => billing.GetBalance
end a customer's monthly plan => billing.DeleteSubscriptionsSubscription
offer a 20% discount code => billing.PostCoupons
which chargebacks do we have => billing.GetDisputes
url where people can pay => billing.PostPaymentLinks
tell the #general room that lunch is ready => chat.chat_postMessage
post this tomorrow at 9 in the channel => chat.chat_scheduleMessage
what did people write in the channel yesterday => chat.conversations_history
add Mia to the channel => chat.conversations_invite
react with thumbs up => chat.reactions_add
show that I am on vacation next to my name => chat.users_profile_set mailbox.settings_updateVacation
mute notifications for an hour => chat.dnd_setSnooze
remind me to call mom => chat.reminders_add
convert a google doc to pdf => drive.files_export
share the document with a colleague => drive.permissions_create
older versions of a document => drive.revisions_list
empty the recycle bin => drive.files_emptyTrash
add a row to the sheet => drive.spreadsheets_values_append
read cells A1 to B7 => drive.spreadsheets_values_get
why does the container crash, show its output => cluster.readCoreV1NamespacedPodLog
run more replicas of the service => cluster.patchAppsV1NamespacedDeploymentScale
which pods are running => cluster.listCoreV1NamespacedPod
store a password in kubernetes => cluster.createCoreV1NamespacedSecret
run a job every night in the cluster => cluster.createBatchV1NamespacedCronJob
which machines does the cluster have => cluster.listCoreV1Node
save a new lead with phone and mail => crm.contacts_create
the same person is twice in the CRM => crm.contacts_merge
move the opportunity to won => crm.deals_update
open a support case => crm.tickets_create
rent a new virtual machine => hosting.droplets_create
reboot the server => hosting.dropletActions_post
point www to another IP address => hosting.domains_create_record
get an SSL certificate => hosting.certificates_create
block a port => hosting.firewalls_create
mail me when the CPU is too busy => hosting.monitoring_create_alertPolicy
set up a postgres database => hosting.databases_create_cluster
find a cheap plane ticket to Lisbon => travel.flightOffers_get
book a room for two nights => travel.hotelBookings_create travel.hotelOffers_get
how many dollars are 50 euros => travel.currency_convert
latitude and longitude of an address => travel.geocode_forward
how do I get from Munich to Salzburg by car => travel.routes_compute
say this in Spanish => travel.translations_create
where is my package => travel.parcels_track
press the submit button on the page => browser.browser_click
go to a URL in the browser => browser.browser_navigate
fill in the login form => browser.browser_fill_form browser.browser_type
take a picture of the current page => browser.browser_take_screenshot
upload a document through the web form => browser.browser_file_upload
return to the previous page => browser.browser_navigate_back
what errors did the page log => browser.browser_console_messages
which requests did the page make => browser.browser_network_requests
pick an option in a dropdown => browser.browser_select_option
put the mouse over the menu => browser.browser_hover
add two numbers => everything.get-sum data.Calculate
repeat what I say => everything.echo
which environment variables does the server have => everything.get-env
open several files at once => filesystem.read_multiple_files
which folders may I access => filesystem.list_allowed_directories
wie wird das Wetter morgen in Hamburg => knowledge.Weather
suche im Internet nach Rezepten => web.WebSearch
lies die Datei notizen.txt => files.ViewFile filesystem.read_text_file filesystem.read_file
lösche die alte Datei => edit.RemoveFile
schicke eine E-Mail an Anna => mailbox.messages_send
Termin am Montag um 9 Uhr anlegen => calendar.events_insert
erstelle ein Bild von einem Sonnenuntergang => media.GenerateImage
übersetze den Text ins Französische => travel.translations_create
Rechnung für einen Kunden erstellen => billing.PostInvoices
wie spät ist es => basic.DateTime
Ordner anlegen => edit.MakeDirectory filesystem.create_directory
zeichne ein Balkendiagramm => charts.BarChart
rechne 12 mal 12 => data.Calculate
Nachricht in den Kanal schreiben => chat.chat_postMessage
今天天气怎么样 => knowledge.Weather
搜索网页 => web.WebSearch web.SearchInWebPage
读取文件内容 => files.ViewFile filesystem.read_text_file filesystem.read_file
发送邮件给同事 => mailbox.messages_send
画一张图片 => media.GenerateImage
删除文件 => edit.RemoveFile
现在几点 => basic.DateTime
翻译成英文 => travel.translations_create
创建日历事件 => calendar.events_insert
ファイルを検索する => files.SearchFiles files.FindFiles filesystem.search_files
明日の天気は => knowledge.Weather
`;

/** The labelled queries, in the order in which they were written. */
export const labelledQueries: readonly LabelledQuery[] = lines
  .trim()
  .split("\n")
  .map((line) => {
    const [query = "", tools = ""] = line.split(" => ");
    return { query, tools: tools.split(" ") };
  });
