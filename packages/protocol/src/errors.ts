/**
 * The error catalogue: every error that a client can receive, with its code, status and wire text.
 *
 * `error` is the `error` field of the body. `both` adds the same text as `errors`, for operations whose documented
 * shape is `{errors}`. `retry` means that the same request may succeed later; the answer then has a Retry-After header.
 */
export interface ErrorEntry {
  readonly status: number;
  readonly error: string;
  /** Explanation for people, printed in docs/errors.md: what happened and what to do. */
  readonly help: string;
  readonly both?: true;
  readonly retry?: true;
}

function entry(status: number, error: string, help: string, more: { both?: true; retry?: true } = {}): ErrorEntry {
  return { status, error, help, ...more };
}

const both = { both: true } as const;

export const errors = {
  // Requests
  bad_request: entry(
    400,
    'bad_request',
    'The request is not valid HTTP (HTTP/1.1 needs one Host header), or it ended early.',
  ),
  invalid_json: entry(400, 'invalid_json', 'The body is not JSON. Send UTF-8 JSON.'),
  unauthorized: entry(
    401,
    'unauthorized',
    'No credential, or one that is malformed, expired or revoked. Sign in again.',
  ),
  not_found_route: entry(404, 'not_found', 'There is no such route. GET /api/openapi lists them.'),
  method_not_allowed: entry(
    405,
    'method_not_allowed',
    'The route does not support this method. The Allow header lists the supported methods.',
  ),
  request_timeout: entry(
    408,
    'request_timeout',
    'The request arrived too slowly or stopped, and the connection was closed. Send the request again.',
  ),
  body_too_large: entry(
    413,
    'body_too_large',
    'The body exceeds the limit in `max` (bytes), or its JSON has more values than `max_values`.',
  ),
  unsupported_media_type: entry(415, 'unsupported_media_type', 'Send `Content-Type: application/json`.'),
  expectation_failed: entry(417, 'expectation_failed', 'The only supported expectation is `Expect: 100-continue`.'),
  upgrade_required: entry(
    426,
    'upgrade_required',
    'This address accepts only WebSocket connections: send an upgrade request.',
  ),
  validation: entry(
    422,
    'validation',
    'A field is missing or has the wrong type. `errors` maps each such field to the reason.',
  ),
  headers_too_large: entry(431, 'headers_too_large', 'The headers exceed 16 KB in total.'),
  missing_idempotency_key: entry(
    400,
    'missing_idempotency_key',
    'This operation needs the header X-Idempotency-Key. Choose a key, and send the same key with every retry.',
  ),
  invalid_idempotency_key: entry(
    400,
    'invalid_idempotency_key',
    'X-Idempotency-Key must have 1 to 255 visible ASCII characters.',
  ),
  idempotency_key_reused: entry(
    422,
    'idempotency_key_reused',
    'This X-Idempotency-Key was used for another request in the last 24 hours. Use a new key for a new request.',
  ),
  request_in_progress: entry(
    409,
    'request_in_progress',
    'The first request with this X-Idempotency-Key is still running. Send the request again later.',
    { retry: true },
  ),
  rate_limited: entry(429, 'rate_limited', 'Too many requests. Wait for the seconds in Retry-After.', {
    retry: true,
  }),
  internal: entry(
    500,
    'internal',
    'An unexpected error. The server’s log lists it under the response’s `x-request-id`.',
  ),
  unavailable: entry(503, 'unavailable', 'The server is overloaded or cannot reach its storage. Try again.', {
    retry: true,
  }),

  storage_full: entry(503, 'storage_full', 'The server’s disk is full: notes can be read, but not written.', {
    retry: true,
  }),

  // Accounts and sessions
  email_and_password_required: entry(
    422,
    'email and password required',
    'Both fields must be non-empty strings, and the e-mail must look like one.',
    both,
  ),
  password_too_short: entry(422, 'password_too_short', 'A password needs at least 8 characters.', both),
  password_too_long: entry(422, 'password_too_long', 'A password can have at most 256 bytes.', both),
  registration_failed: entry(422, 'registration_failed', 'This account cannot be registered.', both),
  registration_closed: entry(403, 'registration_closed', 'Registration is closed on this server.'),
  invite_required: entry(403, 'invite_required', 'Registration needs an invite. Ask the operator for one.'),
  invite_invalid: entry(403, 'invite_invalid', 'The invite is unknown, used, expired or for another e-mail.'),
  setup_token_required: entry(
    403,
    'setup_token_required',
    'The first account needs the setup token. Open the link that `notevault serve` or `notevault admin setup-token` prints, or send its token as `setup_token`.',
  ),
  setup_token_invalid: entry(
    403,
    'setup_token_invalid',
    'The setup token is wrong, or the first account already exists. Sign in, or register without a setup token.',
  ),
  invalid_credentials: entry(401, 'invalid_credentials', 'E-mail or password is wrong.'),
  second_factor_required: entry(
    401,
    'second_factor_required',
    'The password is right, and the account has a second factor. Send its code with the `ticket` to POST /auth/second-factor.',
  ),
  invalid_ticket: entry(
    401,
    'invalid_ticket',
    'The ticket is unknown or used, older than ten minutes, or had five wrong codes. Sign in again with the password.',
  ),
  invalid_code: entry(403, 'invalid_code', 'The code is wrong, or was used before. Wait for the next one.'),
  step_up_required: entry(
    403,
    'step_up_required',
    'The session has not proved for ten minutes who uses it. Send a proof of one of `methods` to POST /auth/step-up, then repeat the request.',
  ),
  totp_already_set: entry(
    409,
    'totp_already_set',
    'The account has an authenticator app already. Remove that one first.',
  ),
  invalid_passkey: entry(
    401,
    'invalid_passkey',
    'The passkey is unknown, or its answer is wrong, used or over ten minutes old.',
  ),
  passkey_not_proved: entry(
    403,
    'invalid_passkey',
    'The passkey is not of this account, or its answer is wrong, used or over ten minutes old.',
  ),
  passkey_copied: entry(
    403,
    'passkey_copied',
    'The counter of the passkey went back: it may have been copied. Delete it and make a new one.',
  ),
  invalid_new_passkey: entry(
    422,
    'invalid_passkey',
    'The answer is wrong, used or over ten minutes old, or the passkey is known.',
    both,
  ),
  passkeys_unavailable: entry(409, 'passkeys_unavailable', 'Passkeys need a public URL with https and a host name.'),
  passkey_not_found: entry(404, 'not_found', 'You have no such passkey.'),
  too_many_passkeys: entry(409, 'too_many_passkeys', 'An account can have at most 50 passkeys. Delete one first.'),
  account_suspended: entry(403, 'account_suspended', 'The account is suspended. Ask the operator.'),
  suspended: entry(403, 'suspended', 'The account of this credential is suspended. Ask the operator.'),
  admin_required: entry(403, 'admin_required', 'Only an admin’s session may do this. Sign in as an admin.'),
  user_not_found: entry(404, 'not_found', 'There is no such account.'),
  import_not_found: entry(404, 'not_found', 'You have no such import. Imports are forgotten after a day.'),
  import_in_progress: entry(
    409,
    'import_in_progress',
    'An account can run one import at a time. Wait for it, or cancel it.',
  ),
  import_not_applicable: entry(409, 'import_not_applicable', 'Only a finished dry run can be applied, and only once.'),
  invite_not_found: entry(404, 'not_found', 'There is no such invite. It may have been used.'),
  no_refresh_token: entry(401, 'no_refresh_token', 'The refresh cookie is missing. Sign in again.'),
  invalid_refresh_token: entry(
    401,
    'invalid_refresh_token',
    'The refresh cookie is unknown, expired or revoked. Sign in again.',
  ),
  foreign_host: entry(403, 'foreign_host', 'The Host header does not name this server. Use its public address.'),
  foreign_origin: entry(403, 'foreign_origin', 'This operation is available only to the server’s own pages.'),
  session_not_found: entry(404, 'not_found', 'You have no such session. It may have ended.'),
  wrong_old_password: entry(422, 'invalid_password', 'The old password is wrong.', both),
  invalid_reset_token: entry(422, 'invalid_token', 'The reset token is unknown, used or older than an hour.', both),
  invalid_confirmation_token: entry(
    422,
    'invalid_token',
    'The confirmation token is unknown, used or older than a day.',
    both,
  ),
  invalid_login_token: entry(422, 'invalid_token', 'The login token is unknown, used or older than ten minutes.', both),
  password_login_off: entry(
    403,
    'password_login_off',
    'The server lets this account sign in by other ways only: NOTEVAULT_PASSWORD_LOGIN.',
  ),
  oidc_off: entry(404, 'not_found', 'The server has no OpenID Connect provider: NOTEVAULT_OIDC_ISSUER.'),
  oidc_unreachable: entry(
    502,
    'oidc_unreachable',
    'The OpenID Connect provider does not answer as NOTEVAULT_OIDC_ISSUER says. `notevault doctor` tries it.',
  ),
  identity_not_found: entry(404, 'not_found', 'The account has no such identity.'),
  last_sign_in_method: entry(
    409,
    'last_sign_in_method',
    'This is the last way to sign in to the account. Set a password or add another way first.',
  ),
  sign_in_over: entry(403, 'sign_in_over', 'The sign-in is older than ten minutes, or was begun in another browser.'),
  first_account_missing: entry(403, 'first_account_missing', 'The first account is made with the setup token.'),
  mail_off: entry(409, 'mail_off', 'The server sends no mails: set NOTEVAULT_SMTP_URL and NOTEVAULT_MAIL_FROM.'),
  mail_failed: entry(502, 'mail_failed', 'The mail could not be sent; `reason` says why.'),
  api_key_not_allowed: entry(
    403,
    'api_key_not_allowed',
    'This operation needs a session. API keys and tokens cannot use it.',
  ),
  password_required: entry(400, 'password_required', 'Deleting an account needs its password.'),
  invalid_password: entry(403, 'invalid_password', 'The password is wrong.'),
  last_admin: entry(
    409,
    'last_admin',
    'This account is the only admin who can sign in. Make another account an admin first.',
  ),
  delete_failed: entry(
    422,
    'delete_failed',
    'The account is closed, but its deletion was interrupted. The server completes it automatically.',
  ),
  account_not_found: entry(404, 'account_not_found', 'No account has this e-mail.'),

  // Keys and connections
  invalid_key_id: entry(400, 'invalid API key id', 'The id is not a UUID.'),
  key_not_found: entry(404, 'API key not found', 'There is no such API key, or it was revoked.'),
  connection_not_found: entry(404, 'not_found', 'You have no such connection.'),
  device_code_not_found: entry(
    404,
    'code not found or expired',
    'The code is wrong, used, older than five minutes, or belongs to another account. After ten wrong codes all codes are refused for an hour.',
  ),
  device_vault_not_owned: entry(
    403,
    'vault not found or not owned by user',
    'Choose one of your active vaults for the device, or `new`.',
  ),
  authorization_pending: entry(
    400,
    'authorization_pending',
    'The user has not decided yet. Poll again after `interval` seconds.',
  ),
  slow_down: entry(400, 'slow_down', 'Polled too early. `interval` grows by five seconds.'),
  access_denied: entry(400, 'access_denied', 'The user refused the device. Start again only if a person asks for it.'),
  device_code_expired: entry(
    410,
    'expired_or_invalid',
    'The device code is unknown, used or older than five minutes. Start again.',
  ),
  authorization_over: entry(
    400,
    'authorization_over',
    'The authorization request was already decided, is older than half an hour, or was started in another browser. Start again in the application.',
  ),
  sign_in_again: entry(
    401,
    'sign_in_again',
    'The account’s password or access changed since the sign-in on this page. Sign in again.',
  ),
  foreign_form: entry(403, 'foreign_form', 'The form was not sent from a page of this server.'),
  oauth_unavailable: entry(
    503,
    'temporarily_unavailable',
    'The authorization server is overloaded or cannot reach its storage. Try again.',
    { retry: true },
  ),
  invalid_device_token: entry(
    401,
    'invalid_refresh_token',
    'The device’s refresh token is unknown, expired or revoked. Link the device again.',
  ),

  // Vaults
  vault_header_not_found: entry(
    404,
    'Vault not found',
    'X-Vault-ID is malformed or unknown, or you have no access to the vault. List the vaults again.',
  ),
  no_vault: entry(404, 'No vault configured', 'The account owns no vault. Create one, or send X-Vault-ID.'),
  vault_not_found: entry(404, 'not found', 'There is no such vault, or you have no access to it.'),
  vault_no_access: entry(
    403,
    'API key does not have access to this vault',
    'The credential has access level `none` for this vault.',
  ),
  insufficient_access: entry(
    403,
    'insufficient_access',
    'The credential can read this vault, but the operation needs the access level in `required`.',
  ),
  owner_required: entry(403, 'owner_required', 'Only the owner of the vault may do this.'),
  owner_suspended: entry(
    403,
    'owner_suspended',
    'The vault’s owner is suspended: members can read and export the vault, but not write to it.',
  ),
  invitation_invalid: entry(
    404,
    'invitation_invalid',
    'The invitation is unknown, used, expired or withdrawn. Ask the vault’s owner for another one.',
  ),
  invitation_for_another: entry(403, 'invitation_for_another', 'The invitation is for another account’s e-mail.'),
  invitation_not_found: entry(404, 'not found', 'The vault has no such invitation.'),
  member_not_found: entry(404, 'not found', 'The vault has no such member.'),
  public_link_not_found: entry(404, 'not found', 'There is no such public link; it may have expired or been ended.'),
  public_links_off: entry(403, 'public_links_off', 'This server has no public links.'),
  too_many_public_links: entry(422, 'too_many_public_links', 'A vault can have at most 1,000 public links.'),
  too_many_members: entry(422, 'too_many_members', 'A vault can have at most 100 members in addition to its owner.'),
  owner_cannot_leave: entry(
    409,
    'owner_cannot_leave',
    'The owner of a vault can neither leave it nor take another role. Hand it over to a member first, or delete it.',
  ),
  owns_shared_vaults: entry(
    409,
    'owns_shared_vaults',
    'The account owns shared vaults, listed in `vaults`. Hand each over to a member, or delete it.',
  ),
  register_params: entry(400, 'name and client_id are required', 'Send both as non-empty strings.'),
  vault_unreadable: entry(
    500,
    'vault_unreadable',
    'The stored vault or its key is damaged and cannot be decrypted. Nothing was changed. Restore it from a backup.',
  ),
  limit_exceeded: entry(
    402,
    'limit_exceeded',
    'The plan’s limit in `limit_key` is reached. `reason`, `current` and `limit` give the details.',
  ),

  // Notes
  version_conflict: entry(
    409,
    'version_conflict',
    'The stored version is not the one that `base_hash`, `version`, `base_hashes`, `If-Match` or `If-None-Match` names; nothing was written. Merge with `server_note` or `server_attachment` and send again.',
  ),
  conflict: entry(409, 'conflict', 'Another note, attachment or folder has this path (paths are case-insensitive).'),
  plan_changed: entry(
    409,
    'plan_changed',
    'The changes are no longer those of `plan`; nothing was written. Repeat the dry run.',
  ),
  text_changed: entry(
    409,
    'text_changed',
    'The note’s text at that position is no longer the one in the request; nothing was written. Read the note again.',
  ),
  note_too_large: entry(413, 'note exceeds maximum size of 10MB', 'A note can have at most 10 MB of UTF-8 text.', both),
  too_many_notes: entry(400, 'too_many_notes', 'A batch can have at most `max` notes.', both),
  invalid_notes: entry(400, 'invalid_notes', '`notes` must be a list of objects, at most 100.', both),
  gone: entry(410, 'gone', 'This operation was removed. `message` names its replacement.', both),
  invalid_id: entry(400, 'invalid id', 'The id is not a UUID.'),
  note_not_found: entry(404, 'not found', 'There is no such note in this vault.'),
  note_unreadable: entry(
    500,
    'note_unreadable',
    'The stored note is damaged and cannot be decrypted. It accepts no writes. Restore it from a backup.',
  ),

  // Trash
  trash_not_found: entry(
    404,
    'not_found',
    'The note or attachment is not in the trash: it was restored, purged, or has expired.',
  ),

  // Activity
  activity_unreadable: entry(500, 'activity_unreadable', 'The stored activity is damaged and cannot be opened.'),
  activity_not_found: entry(404, 'not_found', 'There is no such activity; it may be over 90 days old.'),
  not_undoable: entry(422, 'not_undoable', 'Changes of people and deletions from the trash cannot be undone.'),

  // Sync
  invalid_cursor: entry(
    400,
    'invalid_cursor',
    'The cursor has expired, or was issued for another vault or request. Send a cursor exactly as received, or none to read from the start.',
  ),
  history_expired: entry(
    410,
    'history_expired',
    'Deletions after this cursor are no longer stored. Read the manifest, or all changes from the start.',
  ),

  // Attachments
  attachment_not_found: entry(404, 'attachment not found', 'The vault has no attachment at this path.'),
  content_base64_required: entry(
    422,
    'content_base64 is required',
    'Send the bytes of the file as base64 text in `content_base64`.',
    both,
  ),
  invalid_base64: entry(
    400,
    'invalid base64 content',
    '`content_base64` must be base64 (RFC 4648, section 4) with padding and without line breaks.',
    both,
  ),
  file_too_large: entry(
    413,
    'file_too_large',
    'The file exceeds the operator’s `limit` (bytes). Plans other than `self_hosted` answer `limit_exceeded` instead.',
  ),
  use_put: entry(
    413,
    'use_put',
    'A file in JSON can have at most `max` bytes. Send larger files raw, with PUT /attachments/<path>.',
  ),
  extension_not_allowed: entry(415, 'extension_not_allowed', 'The operator does not allow files with this extension.'),
  mime_not_allowed: entry(
    415,
    'mime_not_allowed',
    'The file is a program, or its content does not match its extension. `mime_type` is the detected type.',
  ),
  attachment_item_not_found: entry(
    404,
    'not_found',
    'One of the paths has no attachment; in a batch, `item_path` names it. Nothing was changed.',
  ),
  range_not_satisfiable: entry(
    416,
    'range_not_satisfiable',
    'The range is outside the file, which has `size_bytes` bytes.',
  ),
  attachment_unreadable: entry(
    500,
    'attachment_unreadable',
    'The stored attachment is damaged and cannot be decrypted. Restore it from a backup.',
  ),
  missing_paths: entry(400, 'missing required param: paths', 'Send `paths`, a list of 1 to 500 paths.', both),
  batch_too_large: entry(422, 'batch_too_large', 'A batch can have at most `max` paths.', both),
  missing_paths_or_target: entry(
    400,
    'missing required params: paths, target_folder',
    'Send `paths`, a list of paths, and `target_folder`, a path (empty for the root).',
    both,
  ),

  // Uploads in slices
  upload_not_found: entry(404, 'not_found', 'There is no such upload, or it belongs to another credential.'),
  upload_gone: entry(410, 'upload_gone', 'The upload has expired, or its attachment was refused. Start a new upload.'),
  upload_offset: entry(
    409,
    'upload_offset',
    'The slice does not start at the upload’s current offset, which is in `Upload-Offset` and `upload_offset`.',
  ),
  upload_refused: entry(
    412,
    'upload_refused',
    'All bytes arrived, but the attachment was refused. The body is the one of the refused `PUT /attachments/<path>`.',
  ),
  tus_version: entry(412, 'tus_version', 'Send `Tus-Resumable: 1.0.0`.'),
  slice_too_short: entry(400, 'slice_too_short', 'A slice must have at least `min` bytes, unless it is the last one.'),
  checksum_algorithm: entry(400, 'checksum_algorithm', 'Send `Upload-Checksum: sha256 <base64>`, or none.'),
  checksum_mismatch: entry(
    460,
    'checksum_mismatch',
    'The received bytes do not match the checksum and were discarded. Send the slice again.',
  ),
  too_many_uploads: entry(
    429,
    'too_many_uploads',
    'The account has reached `max` open uploads or `max_bytes` announced bytes. Finish or cancel some; each expires within a day.',
    { retry: true },
  ),

  // Batches
  missing_ids: entry(400, 'missing required param: ids', 'Send `ids`, a list of 1 to 1,000 ids.', both),
  invalid_ids: entry(400, 'invalid_ids', '`ids` must be a list of 1 to 1,000 UUIDs.', both),
  too_many_items: entry(400, 'too_many_items', 'A batch can have at most `max` items.', both),
  missing_target: entry(
    400,
    'missing required param: target',
    'Send exactly one target: for notes `target_folder_id` (or `root`) or `target_folder`, for folders `target_parent_id` (or `root`) or `target_parent`.',
    both,
  ),
  item_not_found: entry(404, 'not_found', 'One of the items does not exist; `item_id` names it. Nothing was changed.'),
  cycle: entry(409, 'cycle', 'A folder cannot be moved into itself.'),

  // Tickets
  ticket_not_found: entry(
    404,
    'not_found',
    'The ticket is unknown, expired or used, or its credential was revoked. Request another one.',
  ),

  // Search
  cross_vault_plan: entry(
    403,
    'Cross-vault search requires Pro plan',
    'The plan does not include search across vaults. Search one vault at a time, or change the plan.',
  ),

  // Folders
  folder_parameter: entry(
    400,
    'folder parameter is required',
    'Name the folder: `?folder=path`, empty for the root.',
    both,
  ),
  bad_folder_id: entry(400, 'bad_id', 'The id is not a UUID.', both),
  folder_id_not_found: entry(404, 'not_found', 'There is no such folder in this vault.'),
  folder_not_found: entry(404, 'folder not found', 'This path has no folder.', both),
  folder_empty: entry(
    422,
    'folder must not be empty',
    'Name the folder in `folder` or in the path. The root cannot be created or deleted.',
    both,
  ),
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof errors;

/**
 * Body of an error response: `error` is a catalogue text, or `errors` maps fields to messages; an error may add fields.
 */
export interface ErrorBody {
  readonly error?: string;
  readonly errors?: string | Readonly<Record<string, readonly string[]>>;
  readonly [detail: string]: unknown;
}

/** Catalogue error that operations throw; `details` are additional fields of the response body. */
export class NotevaultError extends Error {
  override readonly name = 'NotevaultError';
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;
  constructor(code: ErrorCode, details: Readonly<Record<string, unknown>> = {}, cause?: unknown) {
    super(errors[code].error, cause === undefined ? undefined : { cause });
    this.code = code;
    this.details = details;
  }
}

/** Makes a validation error from a map of field to reasons, which people read. */
export function invalid(fields: Readonly<Record<string, readonly string[]>>): NotevaultError {
  return new NotevaultError('validation', { errors: fields });
}
