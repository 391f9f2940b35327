import { DailyNote, DailyNoteQuery, OpenedNoteBody, OpenedNotes, Preferences } from '@notevault/protocol/personal.ts';
import { isoTime } from '@notevault/protocol/values/time.ts';
import { shortHash } from '../../../http/answers/revalidation.ts';
import { idParam } from '../../../http/params.ts';
import { type Reply, type Route, route } from '../../../http/route.ts';
import type { Principal } from '../../foundation/access/access.ts';
import type { Personal } from './personal.ts';

export function personalRoutes(personal: Personal): Route[] {
  return [
    route({
      method: 'GET',
      path: '/me/preferences',
      operation: 'getPreferences',
      summary: 'What the clients of the account remember for it',
      revalidates: 'answer',
      responses: { 200: Preferences },
      handle: async ({ principal }) => preferencesReply(principal, await personal.preferences(principal.userId)),
    }),
    route({
      method: 'PATCH',
      path: '/me/preferences',
      operation: 'changePreferences',
      summary: 'Set some preferences; null removes one',
      body: Preferences,
      responses: { 200: Preferences },
      handle: async ({ principal, body }) =>
        preferencesReply(principal, await personal.changePreferences(principal.userId, body)),
    }),
    route({
      method: 'GET',
      path: '/vault/daily',
      operation: 'getDailyNote',
      summary: 'Where the daily note of a day is or belongs, by the folder that the account chose',
      query: DailyNoteQuery,
      responses: { 200: DailyNote },
      handle: async ({ principal, vault, query }) => ({
        body: await personal.dailyNote(principal.userId, vault, query.date),
      }),
    }),
    route({
      method: 'GET',
      path: '/me/recent',
      operation: 'listOpenedNotes',
      summary: 'List the notes of the vault that the account opened last, on any device',
      responses: { 200: OpenedNotes },
      errors: ['note_unreadable'],
      handle: async ({ principal, vault }) => {
        const opened = await personal.opened(principal.userId, vault);
        return { body: { notes: opened.map(({ note, openedAt }) => ({ ...note, opened_at: isoTime(openedAt) })) } };
      },
    }),
    route({
      method: 'POST',
      path: '/me/recent',
      operation: 'recordOpenedNote',
      summary: 'Remember that the account opened a note',
      body: OpenedNoteBody,
      responses: { 204: null },
      errors: ['invalid_id', 'note_not_found', 'note_unreadable'],
      handle: async ({ principal, vault, body }) =>
        personal.recordOpened(principal.userId, vault, idParam(body.note_id)),
    }),
  ];
}

/** The tag is of this account alone: one of equal preferences would tell people that another has the same. */
function preferencesReply({ userId }: Principal, body: Preferences): Pick<Reply<Preferences>, 'body' | 'etag'> {
  return { body, etag: shortHash(`${userId} ${JSON.stringify(body)}`) };
}
