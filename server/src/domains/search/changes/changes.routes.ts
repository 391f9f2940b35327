import { RenameTag, ReplaceText, VaultChange } from '@notevault/protocol/vault-changes.ts';
import { answerBytes } from '../../../http/answers/answer-bytes.ts';
import { writeContextOf } from '../../../http/request-context.ts';
import { idempotentRoute, type Route } from '../../../http/route.ts';
import type { Search } from '../search.ts';

/** Writes to many notes of a vault at once. */
export function changesRoutes(search: Search): Route[] {
  return [
    idempotentRoute({
      path: '/vault/tags/rename',
      operation: 'renameTag',
      summary: 'Rename a tag, with those nested in it, in the texts and the frontmatter of all notes',
      answerBytes: answerBytes.write,
      body: RenameTag,
      responses: { 200: VaultChange },
      errors: ['plan_changed', 'too_many_notes', 'note_too_large', 'note_unreadable'],
      perform: (request, inTransaction) => search.renameTag(writeContextOf(request, inTransaction), request.body),
      reply: (change) => ({ body: change }),
    }),
    idempotentRoute({
      path: '/vault/replace',
      operation: 'replaceText',
      summary: 'Replace a text in the notes of the vault, or of a folder',
      answerBytes: answerBytes.write,
      body: ReplaceText,
      responses: { 200: VaultChange },
      errors: ['plan_changed', 'too_many_notes', 'note_too_large', 'note_unreadable'],
      perform: (request, inTransaction) => search.replaceText(writeContextOf(request, inTransaction), request.body),
      reply: (change) => ({ body: change }),
    }),
  ];
}
