import { NotevaultError } from '@notevault/protocol/errors.ts';
import { type Route, route } from './route.ts';

const REPLACEMENTS = 'This feed was retired: use GET /sync/changes, or GET /sync/manifest and the sync socket.';

/** Removed change feeds: old clients are told what to use instead. */
export function goneRoutes(): Route[] {
  return [
    goneRoute('/notes/changes', 'listNoteChanges', 'Removed: changes of notes'),
    goneRoute('/attachments/changes', 'listAttachmentChanges', 'Removed: changes of attachments'),
  ];
}

function goneRoute(path: string, operation: 'listNoteChanges' | 'listAttachmentChanges', summary: string): Route {
  return route({
    method: 'GET',
    path,
    operation,
    summary,
    responses: {},
    errors: ['gone'],
    handle: async () => {
      throw new NotevaultError('gone', { message: REPLACEMENTS });
    },
  });
}
