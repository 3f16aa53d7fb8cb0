/**
 * What programs read of an error, by status (docs/http.md#error-codes, whose table comes from here). A code keeps its
 * name and its meaning; messages may change.
 */
export const problemCodes = {
  ...of(400, {
    invalid_request: 'what came is no HTTP, or no request that the service reads',
    invalid_encoding: 'a percent-encoding is broken, or does not decode to UTF-8',
    incomplete_body: 'the body ended before its announced length',
    invalid_form: 'the body is no whole `multipart/form-data`',
    invalid_json: 'the body is no JSON in UTF-8',
    bad_query: 'the query breaks a rule; the next code says which',
    required: 'the field is missing',
    wrong_type: 'the value is of another type',
    invalid_value: 'the value has another form, or is none of those that there are',
    out_of_range: 'the number is too large or too small, or not whole',
    invalid_number:
      'the number has more digits than are kept exactly, or a magnitude that no 64-bit float has',
    invalid_text: 'the text has characters that it must not have',
    invalid_attribute_path: 'the attribute path is empty, has an empty segment, or leads through a list',
    empty: 'the value is empty',
    too_long: 'the text is too long',
    too_many: 'there are more elements, members or values than allowed',
    too_large: 'the item, or the items together, have too many bytes',
    too_deep: 'lists and objects are nested too deep',
    unknown_member: 'the object must not have this member',
    unknown_operator: 'the condition has an operator that does not exist',
    not_allowed: 'the member, the operator or the path is not allowed here',
    duplicate: 'the same is there twice',
    contradiction: 'two values exclude each other',
    unconfirmed: 'the request would change every item, and does not say that it means to',
    attribute_missing: 'what the path of an update leads through does not exist in the item',
    attribute_mismatch: 'the attribute of the item has another type than the update needs',
    too_many_indexes: 'the base has as many indexes as it may have',
    parts_missing: 'the upload has no parts with these numbers',
    part_too_small: 'a part that is not the last is too small',
    abandoned: 'the client has closed the connection',
  }),
  ...of(401, { unauthorized: 'the key is missing, or not valid for the project' }),
  ...of(403, {
    access_denied: 'the access of the key is not enough',
    limited_key: 'only a key without limits may do this',
    beyond_scope: 'the key is not for this base or drive',
    beyond_prefix: 'a key or a name does not begin with the prefix of the key',
    prefixed_key: 'a key with a prefix may not do this',
    wrong_origin: 'the key is not for web pages of this origin',
    invalid_link: 'the link is not valid, or no longer',
  }),
  ...of(404, {
    not_found: 'there is nothing at this path',
    item_not_found: 'there is no item with this key',
    file_not_found: 'there is no file with this name',
    not_in_trash: 'the trash of the drive has no file with this id',
    upload_not_found: 'there is no such upload, or it was ended or aborted',
    key_not_found: 'the project has no key with this id',
    hook_not_found: 'the project has no webhook with this id, or the key may not see it',
    project_not_found: 'there is no such project',
    link_not_found: 'the drive lists no link with this id',
    changes_not_kept: 'the server keeps no changes',
  }),
  ...of(405, { method_not_allowed: 'the path does not have this method' }),
  ...of(408, { request_timeout: 'the request took too long to arrive' }),
  ...of(409, {
    item_exists: 'there is an item of this key',
    file_exists: 'there is a file of this name',
    not_unique: 'another item has the same values, which a unique index does not allow',
    index_differs: 'there is an index of this name with other fields, or of another kind',
    indexes_unsupported: 'the storage engine of the server has no indexes',
    settings_unsupported: 'the storage engine of the server has no settings of drives',
    too_many_keys: 'the project has as many keys without limits as it may have',
    too_many_uploads: 'the project has as many open uploads as it may have',
    hook_key_ended: 'the key of the webhook was deleted, or has expired',
    too_many_hooks: 'the project has reached its limit of webhooks',
    quotas_unsupported: 'the rows are on several shards, where what is stored cannot be limited',
    project_exists: 'there is a project of this name',
  }),
  ...of(410, {
    cursor_too_old: 'the changes after the cursor are no longer kept',
    project_deleted: 'the project is being deleted',
  }),
  ...of(412, { condition_failed: 'a condition does not hold; nothing was changed' }),
  ...of(413, { body_too_large: 'the body is too large' }),
  ...of(415, { unsupported_type: 'the body has another `Content-Type`' }),
  ...of(416, { range_outside: 'no range is within the file' }),
  ...of(417, { unknown_expectation: 'an `Expect` other than `100-continue`' }),
  ...of(429, {
    rate_exceeded: 'the key, or its project, has used up its rate',
    too_many_requests: 'more requests are in progress than the operator allows',
    share_taken: 'the project has as many requests or connections in use as others leave it',
    memory_full: 'there is no room in memory for the body or the answer',
    contention: 'other requests keep changing the same items or files',
  }),
  ...of(431, { head_too_large: 'the head of the request is too large' }),
  ...of(500, {
    internal_error: 'a fault of the service',
    damaged_data: 'what is stored is damaged',
  }),
  ...of(503, {
    storage_unavailable: 'the storage is full or cannot be reached',
    not_ready: 'the server cannot read or write what it stores',
  }),
  ...of(507, { quota_exceeded: 'the project would have more than its quota allows; `path` names the quota' }),
} as const;

export type ProblemCode = keyof typeof problemCodes;
export type FailureStatus = (typeof problemCodes)[ProblemCode]['status'];

function of<const Status extends number, Meanings extends Readonly<Record<string, string>>>(
  status: Status,
  meanings: Meanings,
): { readonly [Code in keyof Meanings]: { readonly status: Status; readonly meaning: string } } {
  const entries = Object.entries(meanings).map(([code, meaning]) => [code, { status, meaning }]);
  return Object.fromEntries(entries);
}
