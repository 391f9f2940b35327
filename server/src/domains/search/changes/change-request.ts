import { isTagName } from '@notevault/note-text/rename-tag.ts';
import type { TextChange } from '@notevault/note-text/text-change.ts';
import { invalid } from '@notevault/protocol/errors.ts';
import type { RenameTag, ReplaceText } from '@notevault/protocol/vault-changes.ts';
import { type FieldErrors, folderOfRequest } from '../query/search-request.ts';

/** A change that was checked, and which notes it may touch. */
export interface CheckedChange {
  readonly change: TextChange;
  /** Null for all. */
  readonly folder: string | null;
  readonly dryRun: boolean;
  /** Null for a dry run. */
  readonly plan: string | null;
}

const TEXT_MAX = 1_000;
const REPLACEMENT_MAX = 10_000;
const TAG_MAX = 255;

/** Throws a validation error. */
export function checkRenameTag({ from: sentFrom, to: sentTo, ...rest }: RenameTag): CheckedChange {
  const errors: FieldErrors = {};
  const [from, to] = [sentFrom.trim().replace(/^#/, ''), sentTo.trim().replace(/^#/, '').normalize('NFC')];
  if (from === '' || from.length > TAG_MAX) errors.from = ['must be a tag'];
  if (!isTagName(to)) errors.to = ['must be a name that a tag can have'];
  return checked({ kind: 'tag', from, replacement: to }, null, rest, errors);
}

/** Throws a validation error. */
export function checkReplaceText(request: ReplaceText): CheckedChange {
  const errors: FieldErrors = {};
  const { match_case: matchCase, whole_words: wholeWords, folder: sent } = request;
  const [text, replacement] = [request.text.toWellFormed(), request.replacement.toWellFormed()];
  if (text === '' || text.length > TEXT_MAX) errors.text = [`must have 1 to ${TEXT_MAX} characters`];
  if (replacement.length > REPLACEMENT_MAX) errors.replacement = [`must have at most ${REPLACEMENT_MAX} characters`];
  const folder = folderOfRequest(sent ?? null, errors);
  const options = { matchCase: matchCase ?? false, wholeWords: wholeWords ?? false };
  return checked({ kind: 'text', text, replacement, ...options }, folder, request, errors);
}

function checked(
  change: TextChange,
  folder: string | null,
  { dry_run: dryRun, plan }: Pick<RenameTag, 'dry_run' | 'plan'>,
  errors: FieldErrors,
): CheckedChange {
  if (dryRun !== true && plan == null) errors.plan = ['must be the plan of a dry run'];
  if (Object.keys(errors).length > 0) throw invalid(errors);
  return { change, folder, dryRun: dryRun === true, plan: plan ?? null };
}
