import type { Tool } from './tool.ts';
import { getAttachment, getUploadTarget } from './tools/attachments.ts';
import { getBacklinks } from './tools/backlinks.ts';
import { listFolder, listTags, recentNotes } from './tools/browse.ts';
import { setPropertyTool, tagNotes } from './tools/change-properties.ts';
import { appendToNote, editNote } from './tools/edit-note.ts';
import { getNotes } from './tools/get-notes.ts';
import { getHistory } from './tools/history.ts';
import { listLinks } from './tools/links.ts';
import { createFolder, renameFolder } from './tools/manage-folders.ts';
import { createNote, deleteNote, moveNotes, renameNote, restoreNote } from './tools/manage-notes.ts';
import { queryNotes } from './tools/query-notes.ts';
import { recentChanges, undoChange } from './tools/recent-changes.ts';
import { fetchNote, search } from './tools/search-fetch.ts';
import { searchNotes } from './tools/search-notes.ts';
import { listTasks, setTask } from './tools/tasks.ts';
import { listTrash } from './tools/trash.ts';
import { listVaults } from './tools/vaults.ts';

/** Every tool, in the order in which clients see them; it must not change between calls, because hosts cache prompts. */
export const allTools: readonly Tool[] = [
  listVaults,
  searchNotes,
  queryNotes,
  listFolder,
  recentNotes,
  listTags,
  getNotes,
  getBacklinks,
  listLinks,
  getHistory,
  recentChanges,
  listTasks,
  listTrash,
  createNote,
  appendToNote,
  editNote,
  setPropertyTool,
  tagNotes,
  setTask,
  renameNote,
  moveNotes,
  deleteNote,
  restoreNote,
  undoChange,
  createFolder,
  renameFolder,
  getAttachment,
  getUploadTarget,
  search,
  fetchNote,
];

export function isWriter({ hints }: Tool): boolean {
  return !hints.readOnlyHint;
}

export const writerNames: ReadonlySet<string> = new Set(allTools.filter(isWriter).map(({ name }) => name));
