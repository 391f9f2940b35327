import { FOLDERS_PREFERENCE, type Folders, foldersIn } from '@notevault/protocol/folder-choice.ts';
import type { Preferences } from '@notevault/protocol/personal.ts';
import { useQuery } from '@tanstack/react-query';
import i18next from 'i18next';
import { preferencesQuery } from '../data/preferences.ts';
import type { TreeIndex } from '../data/tree/tree-index.ts';
import { useTree } from '../data/use-tree.ts';
import { useTexts } from '../i18n/use-texts.ts';
import { editorSettings } from './editor-settings.ts';

/** The folders that the account chose, on any device; those of this browser are from before accounts remembered them. */
export function chosenFolders(preferences: Preferences | undefined): Partial<Record<keyof Folders, unknown>> {
  const { templateFolder, dailyFolder } = editorSettings.get();
  const chosen = preferences?.[FOLDERS_PREFERENCE];
  return typeof chosen === 'object' && chosen !== null ? chosen : { templates: templateFolder, daily: dailyFolder };
}

/** Returns the folders for templates and daily notes in a vault. */
export function foldersOf(index: TreeIndex, preferences: Preferences | undefined): Folders {
  const t = i18next.getFixedT(null, 'vault');
  const named = { templates: t('template.folder'), daily: t('daily.folder') };
  return foldersIn((path) => index.hasFolder(path), chosenFolders(preferences), named);
}

/** The same, as they change. */
export function useFolders(vaultId: string): Folders {
  // Drawn again in another language, which calls them otherwise.
  useTexts('vault');
  return foldersOf(useTree(vaultId), useQuery(preferencesQuery).data);
}
