/** Maximum number of notes and attachments that one request renames. */
export const RENAMES_MAX = 100;
