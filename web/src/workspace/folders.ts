import { useTexts } from '../i18n/use-texts.ts';
import { useObservable } from '../platform/use-observable.ts';
import { editorSettings } from './editor-settings.ts';

/** Where templates and daily notes are: as chosen, or as the language names them. */
export function useFolders(): { readonly templates: string; readonly daily: string } {
  const t = useTexts('vault');
  const { templateFolder, dailyFolder } = useObservable(editorSettings);
  return { templates: templateFolder ?? t('template.folder'), daily: dailyFolder ?? t('daily.folder') };
}
