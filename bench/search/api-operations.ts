/**
 * Operations of ten invented services, as imports of OpenAPI documents would name them: `group`, then
 * lines of `name | summary | parameters`.
 */
export const apiOperations: { readonly [group: string]: string } = {
  tracker: `
    issues_create | Create an issue | owner, repo, title, body, labels, assignees
    issues_listForRepo | List repository issues | owner, repo, state, since
    issues_update | Update an issue | owner, repo, issue_number, state, title
    issues_addLabels | Add labels to an issue | owner, repo, issue_number, labels
    issues_createComment | Create an issue comment | owner, repo, issue_number, body
    issues_lock | Lock an issue | owner, repo, issue_number, lock_reason
    pulls_create | Create a pull request | owner, repo, head, base, title
    pulls_merge | Merge a pull request | owner, repo, pull_number, merge_method
    pulls_listFiles | List pull requests files | owner, repo, pull_number
    pulls_requestReviewers | Request reviewers for a pull request | owner, repo, pull_number, reviewers
    repos_get | Get a repository | owner, repo
    repos_createFork | Create a fork | owner, repo, organization
    repos_listBranches | List branches | owner, repo, protected
    repos_createRelease | Create a release | owner, repo, tag_name, body, draft
    repos_listContributors | List repository contributors | owner, repo, anon
    repos_compareCommits | Compare two commits | owner, repo, basehead
    repos_addCollaborator | Add a repository collaborator | owner, repo, username, permission
    actions_listWorkflowRuns | List workflow runs for a repository | owner, repo, branch, status
    actions_reRunWorkflow | Re-run a workflow | owner, repo, run_id
    actions_cancelWorkflowRun | Cancel a workflow run | owner, repo, run_id
    gists_create | Create a gist | files, description, public`,
  calendar: `
    events_insert | Creates an event | calendarId, summary, start, end, attendees
    events_list | Returns events on the specified calendar | calendarId, timeMin, timeMax, q
    events_delete | Deletes an event | calendarId, eventId, sendUpdates
    events_move | Moves an event to another calendar, i.e. changes an event's organizer | calendarId, eventId, destination
    events_patch | Updates an event. This method supports patch semantics | calendarId, eventId
    freebusy_query | Returns free/busy information for a set of calendars | timeMin, timeMax, items
    calendarList_list | Returns the calendars on the user's calendar list | showHidden
    acl_insert | Creates an access control rule | calendarId, role, scope`,
  mailbox: `
    messages_send | Sends the specified message to the recipients in the To, Cc, and Bcc headers | to, subject, body
    messages_list | Lists the messages in the user's mailbox | q, labelIds, maxResults
    messages_get | Gets the specified message | id, format
    messages_trash | Moves the specified message to the trash | id
    messages_modify | Modifies the labels on the specified message | id, addLabelIds, removeLabelIds
    drafts_create | Creates a new draft with the DRAFT label | message
    labels_create | Creates a new label | name, labelListVisibility
    attachments_get | Gets the specified message attachment | messageId, id
    settings_updateVacation | Updates vacation responder settings | enableAutoReply, responseSubject
    filters_create | Creates a filter | criteria, action`,
  billing: `
    PostCustomers | Creates a new customer object | email, name, phone
    GetCustomersSearch | Search for customers | query, limit
    PostInvoices | Creates a draft invoice for a given customer | customer, due_date, currency
    PostInvoicesInvoiceSend | Sends an invoice for manual payment | invoice
    PostInvoicesInvoiceVoid | Marks a finalized invoice as void | invoice
    PostRefunds | Creates a refund of a charge | charge, amount, reason
    GetBalance | Retrieves the current account balance | 
    PostSubscriptions | Creates a subscription on an existing customer | customer, items, trial_end
    DeleteSubscriptionsSubscription | Cancels a customer's subscription | subscription
    PostCoupons | Creates a coupon | percent_off, duration
    GetDisputes | Returns a list of your disputes | charge, limit
    PostPaymentLinks | Creates a payment link | line_items, after_completion
    GetPayouts | Returns a list of existing payouts sent to third-party bank accounts | status, arrival_date`,
  chat: `
    chat_postMessage | Sends a message to a channel | channel, text, thread_ts
    chat_update | Updates a message | channel, ts, text
    chat_scheduleMessage | Schedules a message to be sent to a channel | channel, post_at, text
    conversations_history | Fetches a conversation's history of messages and events | channel, oldest, latest
    conversations_invite | Invites users to a channel | channel, users
    conversations_create | Initiates a public or private channel-based conversation | name, is_private
    reactions_add | Adds a reaction to an item | channel, name, timestamp
    users_profile_set | Set a user's profile information, including custom status | profile, user
    users_list | Lists all users in a workspace | cursor, limit
    pins_add | Pins an item to a channel | channel, timestamp
    reminders_add | Creates a reminder | text, time, user
    dnd_setSnooze | Turns on Do Not Disturb mode for the current user, or changes its duration | num_minutes`,
  drive: `
    files_copy | Creates a copy of a file and applies any requested updates | fileId, name
    files_export | Exports a document to the requested MIME type | fileId, mimeType
    files_list | Lists the user's files | q, orderBy, pageSize
    permissions_create | Creates a permission for a file or shared drive | fileId, role, emailAddress
    permissions_delete | Deletes a permission | fileId, permissionId
    revisions_list | Lists a file's revisions | fileId
    comments_create | Creates a comment on a file | fileId, content
    files_emptyTrash | Permanently deletes all of the user's trashed files | driveId
    spreadsheets_values_append | Appends values to a spreadsheet | spreadsheetId, range, values
    spreadsheets_values_get | Returns a range of values from a spreadsheet | spreadsheetId, range`,
  cluster: `
    listCoreV1NamespacedPod | list or watch objects of kind Pod | namespace, labelSelector
    readCoreV1NamespacedPodLog | read log of the specified Pod | name, namespace, container, tailLines
    deleteCoreV1NamespacedPod | delete a Pod | name, namespace, gracePeriodSeconds
    patchAppsV1NamespacedDeploymentScale | partially update scale of the specified Deployment | name, namespace
    replaceAppsV1NamespacedDeployment | replace the specified Deployment | name, namespace
    listCoreV1Node | list or watch objects of kind Node | fieldSelector
    createCoreV1NamespacedSecret | create a Secret | namespace
    createBatchV1NamespacedCronJob | create a CronJob | namespace
    readCoreV1NamespacedConfigMap | read the specified ConfigMap | name, namespace
    listCoreV1NamespacedEvent | list or watch objects of kind Event | namespace
    createNetworkingV1NamespacedIngress | create an Ingress | namespace`,
  crm: `
    contacts_create | Create a contact | email, firstname, lastname, company
    contacts_search | Filter, sort and search contacts | filterGroups, sorts, query
    contacts_merge | Merge two contacts | primaryObjectId, objectIdToMerge
    deals_create | Create a deal | dealname, amount, dealstage, closedate
    deals_update | Update a deal | dealId, dealstage
    companies_getById | Read a company | companyId, properties
    tasks_create | Create a task | subject, due, owner
    notes_create | Create a note | body, timestamp, associations
    tickets_create | Create a ticket | subject, pipeline, priority
    lists_addMembers | Add records to a list | listId, recordIds`,
  hosting: `
    droplets_create | Create a New Droplet | name, region, size, image
    droplets_destroy | Delete an Existing Droplet | droplet_id
    dropletActions_post | Initiate a Droplet Action such as reboot, power off, resize or snapshot | droplet_id, type
    domains_create_record | Create a New Domain Record | domain_name, type, data, ttl
    domains_list_records | List All Domain Records | domain_name, type
    certificates_create | Create a New Certificate | name, dns_names
    firewalls_create | Create a New Firewall | name, inbound_rules, outbound_rules
    databases_create_cluster | Create a New Database Cluster | name, engine, num_nodes
    databases_list_backups | List Backups for a Database Cluster | database_cluster_uuid
    loadBalancers_create | Create a New Load Balancer | name, algorithm, forwarding_rules
    monitoring_create_alertPolicy | Create Alert Policy | type, compare, value, emails
    balance_get | Get Customer Balance | `,
  travel: `
    flightOffers_get | Search for flight offers | originLocationCode, destinationLocationCode, departureDate, adults
    hotelOffers_get | Search for hotel offers | cityCode, checkInDate, roomQuantity
    hotelBookings_create | Create a hotel booking | offerId, guests, payments
    airportTransfers_search | Search for transfer offers | startLocationCode, endAddressLine
    currency_convert | Convert an amount between currencies | from, to, amount
    geocode_forward | Forward geocoding: coordinates of an address | q, limit, country
    routes_compute | Compute a route between an origin and a destination | origin, destination, travelMode
    timezones_get | Get the time zone of a location | location, timestamp
    translations_create | Translate text into another language | q, source, target
    parcels_track | Retrieve the tracking details of a parcel | trackingNumber, carrier`,
};
