import type { QueryClient } from '@tanstack/react-query';
import i18next from 'i18next';
import { api } from '../../data/client.ts';
import { preferencesQuery } from '../../data/preferences.ts';
import { within } from '../../data/tree/moves.ts';
import { nameOf, type TreeIndex } from '../../data/tree/tree-index.ts';
import { showToast } from '../../ui/feedback/toast.ts';
import { dayOf } from '../../ui/text/day-of.ts';
import { dailyPath, dayBeside, dayOfNote, daysIn } from '../../workspace/days.ts';
import { foldersOf } from '../../workspace/folders.ts';
import { fillTemplate, splitCursor } from '../commands/template.ts';

export interface DailyDeps {
  readonly vaultId: string;
  readonly queries: QueryClient;
  readonly index: TreeIndex;
  /** The open note. */
  readonly noteId: string | null;
  openNote(id: string): void;
  /** Makes a note and opens it, with the cursor at an offset. */
  create(folder: string, name: string, content: string, cursor: number): Promise<void>;
}

/** Opens the note of a day; a new one begins as the template does that is called like the folder. */
export async function openDay(day: string, { vaultId, queries, index, openNote, create }: DailyDeps): Promise<void> {
  const folders = foldersOf(index, await preferences(queries));
  const notes = index.notes();
  const existing = notes.find(({ path }) => path === dailyPath(folders.daily, day));
  if (existing !== undefined) return openNote(existing.id);
  const template = notes.find(({ path }) => path === within(folders.templates, `${nameOf(folders.daily)}.md`));
  const reading = template === undefined ? null : api.vault(vaultId).readNoteById(template.id);
  const content = (await reading?.catch(() => null))?.content ?? '';
  const { language } = i18next;
  // The template is about the day of the note, at the time when it is made.
  const now = new Date(`${day}T${new Date().toTimeString().slice(0, 8)}`);
  const { text, cursor } = splitCursor(fillTemplate(content, { title: day, now, language }));
  await create(folders.daily, day, text, cursor);
}

/** Opens the daily note before or after the open one, or before or after today. */
export async function stepDay(step: -1 | 1, { queries, index, noteId, openNote }: DailyDeps): Promise<void> {
  const days = daysIn(index, foldersOf(index, await preferences(queries)).daily);
  const day = dayBeside(days, dayOfNote(days, noteId) ?? dayOf(new Date()), step);
  const id = day === undefined ? undefined : days.get(day);
  if (id !== undefined) return openNote(id);
  const t = i18next.getFixedT(null, 'vault');
  showToast({ kind: 'plain', text: t(step < 0 ? 'daily.noneBefore' : 'daily.noneAfter') });
}

function preferences(queries: QueryClient) {
  return queries.ensureQueryData(preferencesQuery).catch(() => undefined);
}
